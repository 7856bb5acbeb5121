/* SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding: a packet goes to the port at which its destination was seen; to all others when that
 * is not known, or is a group. What would go back where it came from drops, and so does what is for
 * this link only (IEEE 802.1Q, table 8-1: 01-80-C2-00-00-00 to -0F).
 *
 * Learning has asked for the lines.
 */
#include "../headers.h"
#include "../stage.h"
#include "bridge.h"

#define THIS_LINK      UINT64_C(0x0000C28001) /* 01-80-C2-00-00-0X as its bytes lie in memory */
#define THIS_LINK_MASK UINT64_C(0xF0FFFFFFFFFF)

/* Of a packet whose destination the first bucket has not, or that goes nowhere. */
static uint8_t judge(const struct bridge *bridge, const struct burst *burst, uint64_t address,
                     uint64_t mark, uint8_t *out)
{
    struct bridge_counters *counters =
        &bridge->counters[(size_t)burst->lcore * PORTS_MAX + burst->input];
    uint64_t word = 0;
    *out = OUT_ALL;
    if ((address & GROUP_BIT) != 0) {
        if ((address & THIS_LINK_MASK) == THIS_LINK)
            return DROP_FILTERED;
        counters->group++;
        return DROP_NONE;
    }
    word = bridge_find(bridge, address, mark);
    if (word == 0) {
        counters->unknown++;
        return DROP_NONE;
    }
    *out = (uint8_t)(word >> PORT_SHIFT & ((1U << PORT_BITS) - 1));
    return *out == burst->input ? DROP_FILTERED : DROP_NONE;
}

static SLOW_PATH forward_slowly(const struct bridge *bridge, struct burst *burst, uint64_t mark,
                                const uint8_t *slow, uint32_t count)
{
    const uint64_t *destination = bridge_columns(burst)->destination;
    uint8_t verdict[BURST_MAX] = {DROP_NONE};
    uint32_t dropped = 0;
    for (uint32_t j = 0; j < count; j++) {
        uint32_t i = slow[j];
        verdict[i] = judge(bridge, burst, destination[i], mark, &burst->out[i]);
        dropped += verdict[i] != DROP_NONE;
    }
    if (dropped > 0)
        burst_drop(burst, verdict);
}

STAGE_FUNCTION(forward)
{
    const struct bridge *bridge = context;
    const struct bridge_columns *columns = bridge_columns(burst);
    uint64_t mark = bridge_mark(bridge, 0);
    uint8_t slow[BURST_MAX]; /* which packets */
    uint32_t count = burst->count, input = burst->input, slows = 0;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const struct bucket *bucket = columns->bucket[i];
        uint64_t sought = columns->destination[i] | THERE;
        uint32_t found = bucket_find(bucket, sought, ADDRESS_MASK | THERE);
        /* Not found: any slot's word will do, the slow path looks again. */
        uint64_t word = bucket->slot[__builtin_ctz(found | 1U << (SLOTS - 1))];
        uint8_t out = (uint8_t)(word >> PORT_SHIFT & ((1U << PORT_BITS) - 1));
        burst->out[i] = out;
        slow[slows] = (uint8_t)i;
        slows +=
            (uint32_t)(found == 0) | (uint32_t)(out == input) | (uint32_t)bridge_aged(word, mark);
    }
    if (unlikely(slows > 0))
        forward_slowly(bridge, burst, mark, slow, slows);
}

static const struct stage forward = {
    .name = "forward", .run = stage_forward, .needs = "learn", .tables_of = "learn"};
STAGE_REGISTER(forward)
