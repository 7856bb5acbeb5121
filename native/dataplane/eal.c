/* SPDX-License-Identifier: Apache-2.0 */
#include "eal.h"

#include <rte_mbuf.h>

#include "eal_start.h"
#include "lcore_map.h"
#include "sockets.h"

static uint64_t stage_bytes(const struct config *config, const struct stage *stage)
{
    uint64_t tables = stage->table_bytes == NULL ? 0 : stage->table_bytes(config);
    uint64_t context = stage->context_bytes == NULL ? 0 : stage->context_bytes(config);
    return tables * (stage->one_table ? 1 : sockets_of(config)) + context * chains_of(config);
}

uint32_t eal_memory_needed_mib(const struct config *config)
{
    const struct function *function = config_function(config);
    uint64_t buffer = sizeof(struct rte_mbuf) + 2 * RTE_PKTMBUF_HEADROOM +
                      (config->frame_bytes > 2048 ? config->frame_bytes : 2048);
    uint64_t bytes = config->lcores.count * (config->mbufs * buffer + (2ULL << 20));
    for (uint32_t i = 0; i < function_length(function); i++)
        bytes += stage_bytes(config, function_stage(function, i));
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
