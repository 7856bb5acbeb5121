/* SPDX-License-Identifier: Apache-2.0
 *
 * The compute reference as a stage: one iteration of the kernel for each packet, whose bytes are
 * left alone. An iteration takes a hundred times as long as to bring a packet and take it away, so
 * packets a second are iterations a second, and the stage's own cycles are those of an iteration.
 *
 * The CRC of each iteration is compared with the one that the same seed had when the stage was
 * made; a packet whose iteration was wrong drops, counted as `compute`: on a sound core there are
 * none.
 */
#include <rte_malloc.h>
#include <stdio.h>

#include "../config.h"
#include "../stage.h"
#include "kernel.h"

/* Of one lcore: nobody else's lines. */
struct compute {
    struct kernel kernel;
    uint32_t seed;
    uint32_t expected[KERNEL_SEEDS];
} __rte_cache_aligned;

static uint64_t context_bytes(const struct config *config)
{
    (void)config;
    return sizeof(struct compute);
}

static void *open_context(const struct stage_site *site)
{
    struct compute *compute = rte_zmalloc_socket("compute", sizeof *compute, 0, site->socket);
    if (compute == NULL)
        return stage_fails(site, "no memory for the compute reference of an lcore");
    compute->seed = site->config->seed;
    for (uint32_t i = 0; i < KERNEL_SEEDS; i++)
        compute->expected[i] = kernel_run(&compute->kernel, compute->seed + i);
    return compute;
}

static SLOW_PATH drop_wrong(struct burst *burst, const uint32_t *wrong)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = wrong[i] != 0 ? DROP_COMPUTE : DROP_NONE;
    burst_drop(burst, verdict);
}

STAGE_FUNCTION(compute)
{
    struct compute *compute = context;
    uint32_t wrong[BURST_MAX], any = 0;
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = i % KERNEL_SEEDS;
        wrong[i] = kernel_run(&compute->kernel, compute->seed + number) ^ compute->expected[number];
        any |= wrong[i];
    }
    if (unlikely(any != 0))
        drop_wrong(burst, wrong);
}

static const struct stage compute = {.name = "compute",
                                     .run = stage_compute,
                                     .open = open_context,
                                     .close = rte_free,
                                     .context_bytes = context_bytes};
STAGE_REGISTER(compute)
