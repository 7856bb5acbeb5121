/* SPDX-License-Identifier: Apache-2.0 */
#include "eal.h"

#include <rte_mbuf.h>

#include "eal_start.h"
#include "placement.h"
#include "stages/bridge.h"
#include "stages/tm.h"

/* The groups of longer prefixes, at most one a route; counters; the FIB's tree. */
static uint64_t ip4_bytes(const struct config *config)
{
    if (config->function != FUNCTION_IP4)
        return 0;
    return config->routes * (1024ULL + 256) +
           config->next_hops * 16ULL * (1 + config->lcores.count);
}

uint32_t eal_memory_needed_mib(const struct config *config)
{
    uint64_t buffer = sizeof(struct rte_mbuf) + 2 * RTE_PKTMBUF_HEADROOM +
                      (config->frame_bytes > 2048 ? config->frame_bytes : 2048);
    uint64_t bytes = (64ULL << 20)                   /* LPM's first 24 bits */
                     + config->tbl8_groups * 1024ULL /* LPM's groups */
                     + config->flows * (256ULL + 96) /* actions; buckets, keys, free slots */
                     + config->acl_rules * 16384ULL  /* tries: up to so much a rule seen */
                     + (config->function == FUNCTION_VPE_DOWNSTREAM
                            ? chains_of(config) * config->rx.count * TM_BYTES
                            : 0) /* schedulers */
                     + (config->function == FUNCTION_L2BRIDGE ? bridge_bytes(config) : 0) +
                     ip4_bytes(config) +
                     config->lcores.count * (config->mbufs * buffer + (2ULL << 20));
    return (uint32_t)(bytes >> 20) * 5 / 4 + 96; /* heap and pools are fragmented by alignment */
}

enum exit_code eal_open(const struct config *config, const char *program, int extra_count,
                        char **extra, char *error, size_t error_bytes)
{
    const struct eal_request request = {
        .program = program,
        .main_cpu = config->main_cpu,
        .lcore_cpu = config->lcores.cpu,
        .lcore_count = config->lcores.count,
        .memory_mib = config->memory_mb != 0 ? config->memory_mb : eal_memory_needed_mib(config),
        .small_pages = config->page_size == PAGES_4KIB,
        .simd_bits = config->simd_bits,
        .telemetry = config->telemetry,
    };
    return eal_start(&request, extra_count, extra, error, error_bytes);
}
