/* SPDX-License-Identifier: Apache-2.0
 *
 * Learning: the source address of a packet is a station at the port that it came in by.
 *
 * The addresses are read here for both stages of the bridge, and the lines of the table are asked
 * for, the destination's too. The usual station is known, at this port, seen in this eighth of the
 * ageing time: its word is in the table as it is, and nothing is written. Anything else takes the
 * slow path: a new station, one that moved, one whose stamp is old, one in its second bucket.
 *
 * A frame from a group address, or from no address, is not one (IEEE 802.3, 3.2.3): it drops.
 */
#include <rte_telemetry.h>

#include "../headers.h"
#include "../pktgen_plain.h"
#include "../stage.h"
#include "bridge.h"
#include "runts.h"

enum { OFFSET_SOURCE = 6 };

/* The in-process source stands for a network that has been there for a while: its stations are
 * known, as flows are in the flow table. */
static void learn_internal(struct bridge *bridge, const struct config *config)
{
    for (uint32_t input = 0; input < config->rx.count; input++) {
        if (config->rx.port[input] != PORT_INTERNAL)
            continue;
        uint64_t mark = bridge_mark(bridge, input);
        for (uint32_t flow = 0; flow < config->active_flows; flow++) {
            bridge_learn(bridge, plain_station((uint8_t)input, flow) | mark, 0);
        }
    }
}

static void *create_tables(const struct stage_site *site)
{
    struct bridge *bridge = bridge_open(site->config, site->socket);
    if (bridge == NULL)
        return stage_fails(site, "no memory for a bridge of %u stations",
                           site->config->bridge_entries);
    learn_internal(bridge, site->config);
    return bridge;
}

static void destroy_tables(void *tables)
{
    bridge_close(tables);
}

static void report_port(const struct bridge *bridge, uint32_t port, struct rte_tel_data *data)
{
    struct bridge_counters counters = bridge_count(bridge, port);
    struct rte_tel_data *dict = rte_tel_data_alloc();
    char name[16];
    if (dict == NULL)
        return;
    rte_tel_data_start_dict(dict);
    rte_tel_data_add_dict_u64(dict, "learned", counters.learned);
    rte_tel_data_add_dict_u64(dict, "moved", counters.moved);
    rte_tel_data_add_dict_u64(dict, "aged", counters.aged);
    rte_tel_data_add_dict_u64(dict, "table_full", counters.full);
    rte_tel_data_add_dict_u64(dict, "flooded_unknown", counters.unknown);
    rte_tel_data_add_dict_u64(dict, "flooded_group", counters.group);
    snprintf(name, sizeof name, "port_%u", port);
    rte_tel_data_add_dict_container(data, name, dict, 0);
}

static void report(const struct config *config, void *const *given, uint32_t count,
                   struct rte_tel_data *data)
{
    const struct bridge *bridge = given[0];
    (void)count; /* all chains have the same */
    rte_tel_data_add_dict_u64(data, "capacity", bridge->capacity);
    rte_tel_data_add_dict_u64(data, "stations", bridge->stations);
    for (uint32_t port = 0; port < config->rx.count; port++)
        report_port(bridge, port, data);
}

/* True: the burst has packets without a station as their source; verdicts say which. */
static bool judge_sources(const struct burst *burst, uint8_t *verdict)
{
    bool any = false;
    for (uint32_t i = 0; i < burst->count; i++) {
        uint64_t source = load64(burst->frame[i] + OFFSET_SOURCE) & ADDRESS_MASK;
        bool bad = source == 0 || (source & GROUP_BIT) != 0;
        verdict[i] = bad ? DROP_HEADER : DROP_NONE;
        any |= bad;
    }
    return any;
}

static SLOW_PATH learn_slowly(struct bridge *bridge, struct burst *burst, const uint64_t *unknown,
                              uint32_t count)
{
    uint8_t verdict[BURST_MAX];
    for (uint32_t i = 0; i < count; i++) {
        if ((unknown[i] & ADDRESS_MASK) != 0 && (unknown[i] & GROUP_BIT) == 0)
            bridge_learn(bridge, unknown[i], burst->lcore);
    }
    if (judge_sources(burst, verdict))
        burst_drop(burst, verdict);
}

/* Packets whose lines are asked for ahead of the one that is looked up: two lines each fill the
 * line buffers of a core. A prefetch that finds them full is lost (seen on Zen 3), and asking for a
 * whole burst's lines at once took 14 to 22 % more (docs/lab-notes/2026-11-27-lost-prefetches.md).
 */
enum { AHEAD = 12 };

/* Where a packet's source is, if it is known, and its word there. */
struct station {
    const struct bucket *bucket;
    uint64_t word;
};

/* Reads a packet's addresses and asks for the lines of both. */
static inline struct station ask(const struct bridge *bridge, struct burst *burst, uint64_t mark,
                                 uint32_t i)
{
    struct bridge_columns *columns = bridge_columns(burst);
    const uint8_t *frame = burst->frame[i];
    uint64_t destination = load64(frame) & ADDRESS_MASK;
    uint64_t source = load64(frame + OFFSET_SOURCE) & ADDRESS_MASK;
    struct station from = {bridge_bucket(bridge, source), source | mark};
    columns->destination[i] = destination;
    columns->bucket[i] = bridge_bucket(bridge, destination);
    __builtin_prefetch(from.bucket);
    __builtin_prefetch(columns->bucket[i]);
    return from;
}

static inline bool is_known(const struct station *station)
{
    return bucket_has(station->bucket, station->word);
}

STAGE_FUNCTION(learn)
{
    struct bridge *here = context;
    struct station from[BURST_MAX];
    uint64_t unknown[BURST_MAX];
    if (unlikely(any_shorter(burst, ETHERNET_BYTES)))
        drop_runts(burst);
    bridge_tick(here, burst->now_tsc, burst->lcore);
    uint64_t mark = bridge_mark(here, burst->input);
    uint32_t count = burst->count, ahead = RTE_MIN(count, (uint32_t)AHEAD), unknowns = 0;
    for (uint32_t i = 0; i < ahead; i++)
        from[i] = ask(here, burst, mark, i);
    BURST_UNROLL
    for (uint32_t i = ahead; i < count; i++) {
        from[i] = ask(here, burst, mark, i);
        unknown[unknowns] = from[i - ahead].word;
        unknowns += !is_known(&from[i - ahead]);
    }
    for (uint32_t i = count - ahead; i < count; i++) {
        unknown[unknowns] = from[i].word;
        unknowns += !is_known(&from[i]);
    }
    if (unlikely(unknowns > 0))
        learn_slowly(here, burst, unknown, unknowns);
}

static const struct stage learn = {.name = "learn",
                                   .run = stage_learn,
                                   .timed = true,
                                   .create = create_tables,
                                   .destroy = destroy_tables,
                                   .one_table = true,
                                   .table_bytes = bridge_bytes,
                                   .telemetry = "/planecast/bridge",
                                   .telemetry_help = "Stations learned, moved and aged, packets "
                                                     "flooded, by port. No parameters.",
                                   .report = report};
STAGE_REGISTER(learn)
