/* SPDX-License-Identifier: Apache-2.0 */
#include "eal_start.h"

#include <dirent.h>
#include <fcntl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <stdio.h>
#include <unistd.h>

#include "eal_arguments.h"
#include "interrupts.h"
#include "pages.h"
#include "unmap.h"

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
    static struct eal_arguments arguments; /* EAL keeps pointers into it */
    bool hugepages = !request->small_pages && pages_free_mib() >= request->memory_mib;
    bool pci = eal_names_pci(extra_count, extra);
    if (!eal_arguments_make(&arguments, request, hugepages, (int)getpid(), extra_count, extra,
                            error, error_bytes))
        return EXIT_BAD_INPUT;
    if (init_quietly(arguments.count, arguments.word) < 0)
        return init_failed(extra_count, pci, error, error_bytes);
    bool shared = pci || eal_names_virtio_user(extra_count, extra);
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
