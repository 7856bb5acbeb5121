/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow actions: for each of four traffic classes an array of `flows` entries with a meter, a
 * policer and counters. The DSCP gives class and colour; a colour-aware two-rate three-colour meter
 * (RFC 2698) runs on the IP total length with one clock reading a burst; the policer may recolour
 * or drop.
 *
 * An entry is one cache line, so a packet touches one line here; key extraction has asked for it.
 * With a flow's classes side by side, flows of one class each had their lines in a quarter of the
 * sets of L1 and L2.
 *
 * Each chain of lcores has entries of its own: no two lcores ever write one line. Where packets of
 * one flow may come to several chains, each chain's meters have its share of the rate, so that all
 * of them together let no more through than one meter would (docs/explanation/dataplane.md,
 * "Meters").
 */
#include <rte_malloc.h>
#include <rte_telemetry.h>

#include "../config.h"
#include "../headers.h"
#include "../stage.h"
#include "actions.h"
#include "upstream.h"

/* Of one chain. */
struct actions {
    struct rte_meter_trtcm_profile profile;
    uint64_t rate, burst; /* of a flow: bytes a second, bytes */
    size_t count;
    struct class_entry *entries; /* [count]: [CLASSES][flows] */
    /* By the whole TOS byte: no shift, whatever its ECN bits are. */
    struct class_entry *first_of_tos[256]; /* the first flow's of the class */
    uint8_t colour_of_tos[256];
};

/* The profile of DPDK's edge router: CIR = PIR, CBS = PBS. `chains` share it. */
static bool set_profile(struct actions *actions, uint32_t chains)
{
    uint64_t rate = RTE_MAX(actions->rate / chains, UINT64_C(1));
    uint64_t burst = RTE_MAX(actions->burst / chains, UINT64_C(1));
    struct rte_meter_trtcm_params parameters = {
        .cir = rate, .pir = rate, .cbs = burst, .pbs = burst};
    return rte_meter_trtcm_profile_config(&actions->profile, &parameters) == 0;
}

/* Class selector: the DSCP's upper two bits, EF-like values first. Colour: the drop precedence of
 * the assured-forwarding code points (RFC 2597), green for all others. */
static void fill_tos_table(struct actions *actions, size_t flows)
{
    for (int tos = 0; tos < 256; tos++) {
        int dscp = tos >> 2;
        int precedence = dscp >> 1 & 3;
        bool assured = dscp >= 10 && dscp <= 38 && (dscp & 1) == 0 && precedence != 0;
        size_t class = (size_t)CLASSES - 1 - (size_t)(dscp >> 4);
        actions->first_of_tos[tos] = &actions->entries[class * flows];
        actions->colour_of_tos[tos] = (uint8_t)(assured ? precedence - 1 : RTE_COLOR_GREEN);
    }
}

static uint64_t context_bytes(const struct config *config)
{
    return sizeof(struct actions) + (uint64_t)config->flows * CLASSES * sizeof(struct class_entry);
}

static void close_context(void *context)
{
    struct actions *actions = context;
    rte_free(actions->entries);
    rte_free(actions);
}

static void fill_entries(struct actions *actions, bool police_red)
{
    const struct class_entry fresh = {
        .policer = {RTE_COLOR_GREEN, RTE_COLOR_YELLOW, police_red ? POLICER_DROP : RTE_COLOR_RED}};
    for (size_t i = 0; i < actions->count; i++) {
        actions->entries[i] = fresh;
        rte_meter_trtcm_config(&actions->entries[i].meter, &actions->profile);
    }
}

static void *open_context(const struct stage_site *site)
{
    const struct config *config = site->config;
    struct actions *actions = rte_zmalloc_socket("actions", sizeof *actions, 0, site->socket);
    if (actions != NULL) {
        actions->rate = config->meter_rate;
        actions->burst = config->meter_burst;
        actions->count = (size_t)config->flows * CLASSES;
        actions->entries =
            rte_malloc_socket("flow_actions", actions->count * sizeof(struct class_entry),
                              RTE_CACHE_LINE_SIZE, site->socket);
    }
    if (actions == NULL || actions->entries == NULL) {
        rte_free(actions);
        return stage_fails(site, "no memory for the flow actions of %u flows", config->flows);
    }
    if (!set_profile(actions, 1)) {
        close_context(actions);
        return stage_fails(site, "the meter's profile is refused: meter_rate %" PRIu64,
                           config->meter_rate);
    }
    fill_tos_table(actions, config->flows);
    fill_entries(actions, config->police_red);
    return actions;
}

static void prepare(void *context, const struct stage_use *use)
{
    set_profile(context, use->flow_chains); /* a share of what was not refused is not */
}

/* The entries are an array of `flows`, and a packet's VLAN ids can name any of 2^24: only the
 * in-process source never names one that is not there. */
static bool check_pipeline(const struct config *config, const struct pipeline *pipeline,
                           char *error, size_t error_bytes)
{
    if (!config_has_rx_port(config) || pipeline_has(pipeline, "classify"))
        return true;
    snprintf(error, error_bytes,
             "'actions' needs 'classify' before it when packets come from a port: their VLAN ids "
             "may have no entry");
    return false;
}

void actions_count(void *const *contexts, uint32_t count, uint64_t packets[RTE_COLORS])
{
    memset(packets, 0, RTE_COLORS * sizeof *packets);
    for (uint32_t chain = 0; chain < count; chain++) {
        const struct actions *actions = contexts[chain];
        for (size_t i = 0; i < actions->count; i++) {
            for (int colour = 0; colour < RTE_COLORS; colour++)
                packets[colour] +=
                    __atomic_load_n(&actions->entries[i].packets[colour], __ATOMIC_RELAXED);
        }
    }
}

static void report(const struct config *config, void *const *contexts, uint32_t count,
                   struct rte_tel_data *data)
{
    uint64_t packets[RTE_COLORS];
    (void)config;
    actions_count(contexts, count, packets);
    rte_tel_data_add_dict_u64(data, "green", packets[RTE_COLOR_GREEN]);
    rte_tel_data_add_dict_u64(data, "yellow", packets[RTE_COLOR_YELLOW]);
    rte_tel_data_add_dict_u64(data, "red", packets[RTE_COLOR_RED]);
}

static SLOW_PATH drop_policed(struct burst *burst)
{
    const uint8_t *colour = upstream_columns(burst)->colour;
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = colour[i] == POLICER_DROP ? DROP_POLICER : DROP_NONE;
    burst_drop(burst, verdict);
}

struct class_entry *const *actions_of_tos(const void *context)
{
    return context == NULL ? NULL : ((const struct actions *)context)->first_of_tos;
}

/* This lcore alone increments a counter, and other threads read it (actions_count). On x86-64 the
 * increment is one instruction on an aligned word, so they see the old value or the new. Written as
 * a relaxed load and store, which C asks for, GCC 12 makes three instructions of it, two a packet
 * more; with the instruction as inline assembly a packet takes 1.5 more. So that is for other
 * processors and for ThreadSanitizer. */
static __rte_always_inline void count_packet(struct class_entry *entry, enum rte_color colour)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    entry->packets[colour]++;
#else
    uint64_t *packets = &entry->packets[colour];
    __atomic_store_n(packets, __atomic_load_n(packets, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
#endif
}

STAGE_FUNCTION(actions)
{
    const struct actions *actions = context;
    struct rte_meter_trtcm_profile profile =
        actions->profile; /* a copy: no store below can change it */
    struct upstream_columns *columns = upstream_columns(burst);
    uint64_t now = burst->now_tsc;
    uint16_t count = burst->count;
    uint32_t any = 0;
    for (uint16_t i = 0; i < count; i++) {
        struct class_entry *entry = columns->entry[i];
        const uint8_t *frame = burst->frame[i];
        uint32_t bytes = big16(load16(frame + OFFSET_IP_LENGTH));
        enum rte_color colour = rte_meter_trtcm_color_aware_check(
            &entry->meter, &profile, now, bytes,
            (enum rte_color)actions->colour_of_tos[frame[OFFSET_IP_TOS]]);
        count_packet(entry, colour);
        uint8_t policed = entry->policer[colour];
        columns->colour[i] = policed;
        any |= policed;
    }
    if (unlikely((any & POLICER_DROP) != 0))
        drop_policed(burst);
}

static const struct stage actions = {.name = "actions",
                                     .run = stage_actions,
                                     .needs = "key",
                                     .timed = true,
                                     .open = open_context,
                                     .close = close_context,
                                     .context_bytes = context_bytes,
                                     .prepare = prepare,
                                     .check_pipeline = check_pipeline,
                                     .telemetry = "/planecast/meters",
                                     .telemetry_help = "Packets by colour after metering, of all "
                                                       "flows. No parameters.",
                                     .report = report};
STAGE_REGISTER(actions)
