/* SPDX-License-Identifier: Apache-2.0 */
#include "eal_start.h"

#include <dirent.h>
#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interrupts.h"
#include "pages.h"
#include "unmap.h"

enum { ARGUMENTS_MAX = 128, LCORES_TEXT = 1024 };

/* Where EAL puts its sockets: made for every process by its prefix, which has our pid, and never
 * removed. No hidden files are in it. */
static void remove_runtime_folder(void)
{
    const char *path = rte_eal_get_runtime_dir();
    DIR *folder = path == NULL || path[0] == '\0' ? NULL : opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    rmdir(path);
}

/* "0@MAIN,1@CPU,2@CPU…": lcore 0 sleeps, the others work; several may share a CPU. */
static void lcores_text(const struct eal_request *request, char *text)
{
    int used = snprintf(text, LCORES_TEXT, "0@%u", request->main_cpu);
    for (uint32_t i = 0; i < request->lcore_count; i++) {
        used += snprintf(text + used, (size_t)(LCORES_TEXT - used), ",%u@%u", i + 1,
                         request->lcore_cpu[i]);
    }
}

static bool names_pci(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "-a", 2) == 0 || strncmp(words[i], "--allow", 7) == 0)
            return true;
    }
    return false;
}

static bool names_virtio_user(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strstr(words[i], "virtio_user") != NULL)
            return true;
    }
    return false;
}

/* rte_eal_init prints its options, a hundred lines, where our JSON is to be: out of the way with
 * it. What is wrong it says on stderr. */
static int init_quietly(int count, char **arguments)
{
    fflush(stdout);
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    int rc = rte_eal_init(count, arguments);
    fflush(stdout);
    if (kept >= 0 && nowhere >= 0)
        dup2(kept, STDOUT_FILENO);
    if (kept >= 0)
        close(kept);
    if (nowhere >= 0)
        close(nowhere);
    return rc;
}

/* Why EAL may not have started decides how the program ends. */
static enum exit_code init_failed(int extra_count, bool pci, char *error, size_t error_bytes)
{
    int reason = rte_errno;
    snprintf(error, error_bytes, "DPDK's EAL did not start: %s%s", rte_strerror(reason),
             extra_count > 0 ? "; see its words above about the arguments after --" : "");
    remove_runtime_folder();
    if (reason == ENOMEM)
        return EXIT_FAILED;
    return extra_count > 0 && !pci ? EXIT_BAD_INPUT : EXIT_MISSING;
}

enum exit_code eal_start(const struct eal_request *request, int extra_count, char **extra,
                         char *error, size_t error_bytes)
{
    /* Static: EAL keeps pointers into its arguments. */
    static char lcores[LCORES_TEXT], memory[16], prefix[32], simd[48];
    static char *arguments[ARGUMENTS_MAX];
    bool hugepages = !request->small_pages && pages_free_mib() >= request->memory_mib;
    lcores_text(request, lcores);
    snprintf(memory, sizeof memory, "%u", request->memory_mib);
    snprintf(prefix, sizeof prefix, "planecast-%d", (int)getpid());
    snprintf(simd, sizeof simd, "--force-max-simd-bitwidth=%u", request->simd_bits);
    int count = 0;
#define ADD(word) (arguments[count++] = (char *)(word))
    ADD(request->program);
    ADD("--lcores");
    ADD(lcores);
    ADD("-m");
    ADD(memory);
    ADD("--file-prefix");
    ADD(prefix);
    ADD("--log-level=lib.eal:error");
    ADD("--log-level=lib.telemetry:error");
    bool pci = names_pci(extra_count, extra);
    if (hugepages) {
        ADD("--in-memory");
        if (!pci)
            ADD("--iova-mode=va"); /* by physical addresses nothing is longer than a page */
        if (names_virtio_user(extra_count, extra))
            ADD("--single-file-segments"); /* vhost-user takes 8 regions; a file is one */
    } else {
        ADD("--no-huge");
        ADD("--no-shconf");
    }
    if (!request->telemetry)
        ADD("--no-telemetry");
    if (request->simd_bits != 0)
        ADD(simd);
    if (!pci)
        ADD("--no-pci"); /* EAL would probe the machine's own NIC */
    if (count + extra_count > ARGUMENTS_MAX) {
        snprintf(error, error_bytes, "more than %d arguments after --", ARGUMENTS_MAX - count);
        return EXIT_BAD_INPUT;
    }
    for (int i = 0; i < extra_count; i++)
        ADD(extra[i]);
#undef ADD
    if (init_quietly(count, arguments) < 0)
        return init_failed(extra_count, pci, error, error_bytes);
    bool shared = pci || names_virtio_user(extra_count, extra);
    if (!hugepages && !shared && !request->small_pages && !pages_enlarge(error, error_bytes)) {
        eal_end();
        return EXIT_FAILED;
    }
    if (!unmap_open()) {
        snprintf(error, error_bytes, "no memory for the lcores' states");
        eal_end();
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

void eal_end(void)
{
    interrupts_stop();
    unmap_waits_for = NULL;
    rte_eal_cleanup();
    remove_runtime_folder();
}
