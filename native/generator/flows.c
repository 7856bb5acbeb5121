/* SPDX-License-Identifier: Apache-2.0 */
#include "flows.h"

#include <math.h>
#include <stdlib.h>

/* Vose's way of building it, linear in the flows: columns below the mean are filled up by those
 * above it. */
static void build_alias(struct alias *alias, uint32_t count, double exponent, double *weight,
                        uint32_t *stack)
{
    double sum = 0;
    uint32_t low = 0, high = count; /* two stacks in one array: poor from below, rich from above */
    for (uint32_t k = 0; k < count; k++)
        sum += weight[k] = pow(k + 1.0, -exponent);
    for (uint32_t k = 0; k < count; k++) {
        weight[k] *= count / sum;
        stack[weight[k] < 1 ? low++ : --high] = k;
    }
    while (low > 0 && high < count) {
        uint32_t poor = stack[--low], rich = stack[high++];
        alias[poor] = (struct alias){(uint32_t)(weight[poor] * 4294967296.0), rich};
        weight[rich] -= 1 - weight[poor];
        stack[weight[rich] < 1 ? low++ : --high] = rich;
    }
    /* What is left is 1 but for rounding. */
    while (low > 0 || high < count) {
        uint32_t whole = low > 0 ? stack[--low] : stack[high++];
        alias[whole] = (struct alias){UINT32_MAX, whole};
    }
}

bool flows_open(struct flows *flows, const struct stream_config *config)
{
    *flows = (struct flows){
        .order = config->order, .count = config->flows, .random = (uint64_t)config->seed << 20};
    if (config->order != FLOWS_ZIPF)
        return true;
    flows->alias = malloc(config->flows * sizeof *flows->alias);
    double *weight = malloc(config->flows * sizeof *weight);
    uint32_t *stack = malloc(config->flows * sizeof *stack);
    bool fine = flows->alias != NULL && weight != NULL && stack != NULL;
    if (fine)
        build_alias(flows->alias, config->flows, config->zipf, weight, stack);
    free(weight);
    free(stack);
    return fine;
}

void flows_close(struct flows *flows)
{
    free(flows->alias);
    flows->alias = NULL;
}

static void take_steps(struct flows *flows, uint32_t *flow, uint32_t wanted)
{
    uint32_t next = flows->next, count = flows->count;
    if (next + wanted < count) { /* the usual case, as vectors */
        for (uint32_t i = 0; i < wanted; i++)
            flow[i] = next + i;
        flows->next = next + wanted;
        return;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        flow[i] = next;
        next = next + 1 == count ? 0 : next + 1;
    }
    flows->next = next;
}

void flows_take(struct flows *flows, uint32_t *flow, uint32_t wanted)
{
    if (flows->order == FLOWS_STEP) {
        take_steps(flows, flow, wanted);
        return;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        uint64_t random = random_next(&flows->random);
        uint32_t column = (uint32_t)((random >> 32) * flows->count >> 32);
        if (flows->order == FLOWS_ZIPF && (uint32_t)random > flows->alias[column].threshold)
            column = flows->alias[column].other;
        flow[i] = column;
    }
}
