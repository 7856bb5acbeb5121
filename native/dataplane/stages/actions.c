/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow actions: an array of `flows` entries, each with four traffic classes of a meter, a policer
 * and counters. The DSCP gives class and colour; a colour-aware two-rate three-colour meter (RFC
 * 2698) runs on the IP total length with one clock reading a burst; the policer may recolour or
 * drop.
 *
 * A class is one cache line, so a packet touches one line here; key extraction has asked for it.
 */
#include <errno.h>
#include <rte_cycles.h>
#include <rte_malloc.h>

#include "../config.h"
#include "../headers.h"
#include "actions.h"
#include "stages.h"

struct actions_tables actions_tables;

/* CIR = PIR = 1.25e9 B/s, CBS = PBS = 1e6 B: the profile of DPDK's edge router. */
static struct rte_meter_trtcm_params meter_params(const struct config *config)
{
    return (struct rte_meter_trtcm_params){.cir = config->meter_rate,
                                           .pir = config->meter_rate,
                                           .cbs = config->meter_burst,
                                           .pbs = config->meter_burst};
}

/* Class selector: the DSCP's upper two bits, EF-like values first. Colour: the drop precedence of
 * the assured-forwarding code points (RFC 2597), green for all others. */
static void fill_tos_table(void)
{
    for (int tos = 0; tos < 256; tos++) {
        int dscp = tos >> 2;
        int precedence = dscp >> 1 & 3;
        bool assured = dscp >= 10 && dscp <= 38 && (dscp & 1) == 0 && precedence != 0;
        actions_tables.of_tos[tos].class = (uint8_t)(CLASSES - 1 - (dscp >> 4));
        actions_tables.of_tos[tos].colour = (uint8_t)(assured ? precedence - 1 : RTE_COLOR_GREEN);
    }
}

void *actions_create(const struct config *config, char *error, size_t error_bytes)
{
    struct rte_meter_trtcm_params parameters = meter_params(config);
    if (rte_meter_trtcm_profile_config(&actions_tables.profile, &parameters) != 0) {
        snprintf(error, error_bytes, "the meter's profile is refused: meter_rate %" PRIu64,
                 config->meter_rate);
        return NULL;
    }
    fill_tos_table();
    size_t count = (size_t)config->flows * CLASSES;
    actions_tables.entries =
        rte_malloc("flow_actions", count * sizeof(struct class_entry), RTE_CACHE_LINE_SIZE);
    if (actions_tables.entries == NULL) {
        snprintf(error, error_bytes, "no memory for the flow actions of %u flows", config->flows);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        struct class_entry *entry = &actions_tables.entries[i];
        *entry =
            (struct class_entry){.policer = {RTE_COLOR_GREEN, RTE_COLOR_YELLOW,
                                             config->police_red ? POLICER_DROP : RTE_COLOR_RED}};
        rte_meter_trtcm_config(&entry->meter, &actions_tables.profile);
    }
    return &actions_tables;
}

void actions_destroy(void *opaque)
{
    (void)opaque;
    rte_free(actions_tables.entries);
    actions_tables.entries = NULL;
}

static SLOW_PATH drop_policed(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++) {
        verdict[i] = burst->colour[i] == POLICER_DROP ? DROP_POLICER : DROP_NONE;
    }
    burst_drop(burst, verdict);
}

STAGE_FUNCTION stage_actions(void *opaque, struct burst *burst)
{
    (void)opaque;
    struct rte_meter_trtcm_profile profile =
        actions_tables.profile; /* a copy: no store below can change it */
    uint64_t now = burst->now_tsc;
    uint16_t count = burst->count;
    uint32_t any = 0;
    for (uint16_t i = 0; i < count; i++) {
        struct class_entry *entry = burst->action[i];
        uint32_t bytes = big16(load16(burst->frame[i] + OFFSET_IP_LENGTH));
        enum rte_color colour = rte_meter_trtcm_color_aware_check(
            &entry->meter, &profile, now, bytes, (enum rte_color)burst->colour[i]);
        entry->packets[colour]++;
        uint8_t policed = entry->policer[colour];
        burst->colour[i] = policed;
        any |= policed;
    }
    if (unlikely((any & POLICER_DROP) != 0))
        drop_policed(burst);
}
