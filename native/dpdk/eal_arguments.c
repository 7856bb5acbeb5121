/* SPDX-License-Identifier: Apache-2.0 */
#include "eal_arguments.h"

#include <stdio.h>
#include <string.h>

/* "0@MAIN,1@CPU,2@CPU…": lcore 0 sleeps, the others work; several may share a CPU. */
static void lcores_text(const struct eal_request *request, char *text)
{
    int used = snprintf(text, EAL_LCORES_TEXT, "0@%u", request->main_cpu);
    for (uint32_t i = 0; i < request->lcore_count; i++) {
        used += snprintf(text + used, (size_t)(EAL_LCORES_TEXT - used), ",%u@%u", i + 1,
                         request->lcore_cpu[i]);
    }
}

bool eal_names_pci(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "-a", 2) == 0 || strncmp(words[i], "--allow", 7) == 0)
            return true;
    }
    return false;
}

bool eal_names_virtio_user(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strstr(words[i], "virtio_user") != NULL)
            return true;
    }
    return false;
}

static void add(struct eal_arguments *arguments, const char *word)
{
    arguments->word[arguments->count++] = (char *)word;
}

static void add_memory(struct eal_arguments *arguments, bool hugepages, bool pci, bool virtio_user)
{
    if (!hugepages) {
        add(arguments, "--no-huge");
        add(arguments, "--no-shconf");
        return;
    }
    add(arguments, "--in-memory");
    if (!pci)
        add(arguments, "--iova-mode=va"); /* by physical addresses nothing is longer than a page */
    if (virtio_user)
        add(arguments, "--single-file-segments"); /* vhost-user takes 8 regions; a file is one */
}

bool eal_arguments_make(struct eal_arguments *arguments, const struct eal_request *request,
                        bool hugepages, int pid, int extra_count, char **extra, char *error,
                        size_t error_bytes)
{
    bool pci = eal_names_pci(extra_count, extra);
    lcores_text(request, arguments->lcores);
    snprintf(arguments->memory, sizeof arguments->memory, "%u", request->memory_mib);
    snprintf(arguments->prefix, sizeof arguments->prefix, "planecast-%d", pid);
    snprintf(arguments->simd, sizeof arguments->simd, "--force-max-simd-bitwidth=%u",
             request->simd_bits);
    arguments->count = 0;
    add(arguments, request->program);
    add(arguments, "--lcores");
    add(arguments, arguments->lcores);
    add(arguments, "-m");
    add(arguments, arguments->memory);
    add(arguments, "--file-prefix");
    add(arguments, arguments->prefix);
    add(arguments, "--log-level=lib.eal:error");
    add(arguments, "--log-level=lib.telemetry:error");
    add_memory(arguments, hugepages, pci, eal_names_virtio_user(extra_count, extra));
    if (!request->telemetry)
        add(arguments, "--no-telemetry");
    if (request->simd_bits != 0)
        add(arguments, arguments->simd);
    if (!pci)
        add(arguments, "--no-pci"); /* EAL would probe the machine's own NIC */
    if (arguments->count + extra_count > EAL_WORDS_MAX) {
        snprintf(error, error_bytes, "more than %d arguments after --",
                 EAL_WORDS_MAX - arguments->count);
        return false;
    }
    for (int i = 0; i < extra_count; i++)
        add(arguments, extra[i]);
    return true;
}
