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
#include "kernel.h"
#include "stages.h"

/* Of one lcore: nobody else's lines. */
struct compute_lane {
    struct kernel kernel;
    uint32_t seed;
    uint32_t expected[KERNEL_SEEDS];
} __rte_cache_aligned;

void *compute_create(const struct config *config, char *error, size_t error_bytes)
{
    struct compute_lane *lanes = rte_zmalloc("compute", config->lcores.count * sizeof *lanes, 0);
    if (lanes == NULL) {
        snprintf(error, error_bytes, "no memory for the compute reference of %u lcores",
                 config->lcores.count);
        return NULL;
    }
    for (uint32_t lcore = 0; lcore < config->lcores.count; lcore++) {
        for (uint32_t seed = 0; seed < KERNEL_SEEDS; seed++)
            lanes[lcore].expected[seed] = kernel_run(&lanes[lcore].kernel, config->seed + seed);
        lanes[lcore].seed = config->seed;
    }
    return lanes;
}

void compute_destroy(void *tables)
{
    rte_free(tables);
}

static SLOW_PATH drop_wrong(struct burst *burst, const uint32_t *wrong)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = wrong[i] != 0 ? DROP_COMPUTE : DROP_NONE;
    burst_drop(burst, verdict);
}

STAGE_FUNCTION stage_compute(void *tables, struct burst *burst)
{
    struct compute_lane *lane = &((struct compute_lane *)tables)[burst->lcore];
    uint32_t wrong[BURST_MAX], any = 0;
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = i % KERNEL_SEEDS;
        wrong[i] = kernel_run(&lane->kernel, lane->seed + number) ^ lane->expected[number];
        any |= wrong[i];
    }
    if (unlikely(any != 0))
        drop_wrong(burst, wrong);
}
