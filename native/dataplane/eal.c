/* SPDX-License-Identifier: Apache-2.0 */
#include "eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <string.h>
#include <unistd.h>

#include "pages.h"

enum { ARGUMENTS_MAX = 128, LCORES_TEXT = 1024 };

uint32_t eal_memory_mib(const struct config *config)
{
    if (config->memory_mb != 0)
        return config->memory_mb;
    uint64_t buffer = sizeof(struct rte_mbuf) + 2 * RTE_PKTMBUF_HEADROOM +
                      (config->frame_bytes > 2048 ? config->frame_bytes : 2048);
    uint64_t bytes = (64ULL << 20)                   /* LPM's first 24 bits */
                     + config->tbl8_groups * 1024ULL /* LPM's groups */
                     + config->flows * (256ULL + 96) /* actions; buckets, keys, free slots */
                     + config->acl_rules * 16384ULL  /* tries: up to so much a rule seen */
                     + config->lcore_count * (config->mbufs * buffer + (2ULL << 20));
    return (uint32_t)(bytes >> 20) * 5 / 4 + 96; /* heap and pools are fragmented by alignment */
}

/* "0@MAIN,1@CPU,2@CPU…": lcore 0 sleeps, the others forward; several may share a CPU. */
static void lcores_text(const struct config *config, char *text)
{
    int used = snprintf(text, LCORES_TEXT, "0@%u", config->main_cpu);
    for (uint32_t i = 0; i < config->lcore_count; i++) {
        used += snprintf(text + used, (size_t)(LCORES_TEXT - used), ",%u@%u", i + 1,
                         config->lcore_cpu[i]);
    }
}

static bool names_pci(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "-a") == 0 || strncmp(words[i], "--allow", 7) == 0)
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

bool eal_open(const struct config *config, char *program, int extra_count, char **extra,
              char *error, size_t error_bytes)
{
    /* Static: EAL keeps pointers into its arguments. */
    static char lcores[LCORES_TEXT], memory[16], prefix[32], simd[48];
    static char *arguments[ARGUMENTS_MAX];
    uint32_t memory_mib = eal_memory_mib(config);
    bool hugepages = config->page_size != PAGES_4KIB && pages_free_mib() >= memory_mib;
    lcores_text(config, lcores);
    snprintf(memory, sizeof memory, "%u", memory_mib);
    snprintf(prefix, sizeof prefix, "planecast-%d", (int)getpid());
    snprintf(simd, sizeof simd, "--force-max-simd-bitwidth=%u", config->simd_bits);
    int count = 0;
#define ADD(word) (arguments[count++] = (char *)(word))
    ADD(program);
    ADD("--lcores");
    ADD(lcores);
    ADD("-m");
    ADD(memory);
    ADD("--file-prefix");
    ADD(prefix);
    ADD("--log-level=lib.eal:error");
    if (hugepages) {
        ADD("--in-memory");
    } else {
        ADD("--no-huge");
        ADD("--no-shconf");
    }
    if (!config->telemetry)
        ADD("--no-telemetry");
    if (config->simd_bits != 0)
        ADD(simd);
    bool pci = names_pci(extra_count, extra);
    if (!pci)
        ADD("--no-pci"); /* EAL would probe the machine's own NIC */
    for (int i = 0; i < extra_count && count < ARGUMENTS_MAX - 2; i++)
        ADD(extra[i]);
#undef ADD
    if (rte_eal_init(count, arguments) < 0) {
        snprintf(error, error_bytes, "DPDK's EAL did not start: %s", rte_strerror(rte_errno));
        return false;
    }
    bool shared = pci || names_virtio_user(extra_count, extra);
    if (!hugepages && !shared && config->page_size != PAGES_4KIB)
        return pages_enlarge(error, error_bytes);
    return true;
}
