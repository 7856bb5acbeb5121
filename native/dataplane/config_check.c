/* SPDX-License-Identifier: Apache-2.0
 *
 * What has to hold between keys that are fine each alone.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "config.h"
#include "ip4_routes.h"
#include "placement.h"
#include "stages/tm.h"

static bool conflicts(struct config_conflict *conflict, struct config_name first,
                      struct config_name second, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(conflict->sentence, sizeof conflict->sentence, format, arguments);
    va_end(arguments);
    conflict->keys[0] = first;
    conflict->keys[1] = second;
    return false;
}

#define NAME(section, key) ((struct config_name){section, key})
#define NO_NAME            ((struct config_name){NULL, NULL})

static bool is_power_of_two(uint32_t value)
{
    return (value & (value - 1)) == 0;
}

static bool check_rings(const struct config *config, struct config_conflict *conflict)
{
    static const char sentence[] = "'%u' is not allowed; it takes a power of two from 32 to 16384";
    if (!is_power_of_two(config->rx_ring))
        return conflicts(conflict, NAME("pool", "rx_ring"), NO_NAME, sentence, config->rx_ring);
    if (!is_power_of_two(config->tx_ring))
        return conflicts(conflict, NAME("pool", "tx_ring"), NO_NAME, sentence, config->tx_ring);
    /* Twice: what the rings hold, and as much on its way through bursts and the pool's cache. */
    uint32_t handed = (segments_of(config) - 1) * config->rx.count * config->handover_ring;
    uint32_t least =
        2 * handed + 2 * (config->rx.count * (config->rx_ring + config->tx_ring) + BURST_MAX);
    if (config->mbufs >= least)
        return true;
    return conflicts(conflict, NAME("pool", "mbufs"), NAME("pool", "rx_ring"),
                     "%u are too few for rx_ring %u and tx_ring %u; it takes %u or more",
                     config->mbufs, config->rx_ring, config->tx_ring, least);
}

static bool check_lcores(const struct config *config, struct config_conflict *conflict)
{
    for (uint32_t i = 0; i < config->lcores.count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (config->lcores.cpu[i] == config->lcores.cpu[j])
                return conflicts(conflict, NAME("machine", "lcores"), NO_NAME,
                                 "CPU %u is named twice; each takes one lcore",
                                 config->lcores.cpu[i]);
        }
    }
    if (config->simd_bits == 0 || (config->simd_bits >= 64 && is_power_of_two(config->simd_bits)))
        return true;
    return conflicts(conflict, NAME("machine", "simd_bits"), NO_NAME,
                     "'%u' is not allowed; it takes 0, 64, 128, 256 or 512", config->simd_bits);
}

static bool has_stage(const struct pipeline *pipeline, enum stage_id id)
{
    for (uint8_t i = 0; i < pipeline->length; i++) {
        if (pipeline->order[i] == id)
            return true;
    }
    return false;
}

/* The actions are an array of `flows` entries, and a packet's VLAN ids can name any of 2^24: only
 * the in-process source never names one that is not there. */
bool config_check_stages(const struct config *config, const struct pipeline *pipeline, char *error,
                         size_t error_bytes)
{
    if (!config_has_rx_port(config) || !has_stage(pipeline, STAGE_ACTIONS) ||
        has_stage(pipeline, STAGE_CLASSIFY))
        return true;
    snprintf(error, error_bytes,
             "'actions' needs 'classify' before it when packets come from a port: their VLAN ids "
             "may have no entry");
    return false;
}

/* A pipe can't have more than its output; and a class of it must be able to send the longest frame
 * in one period, for what it doesn't use up is lost to it. */
static bool check_scheduler(const struct config *config, struct config_conflict *conflict)
{
    if (config->function != FUNCTION_VPE_DOWNSTREAM)
        return true;
    if (config->tm_pipe_rate > config->tm_rate)
        return conflicts(conflict, NAME("tables", "tm_pipe_rate"), NAME("tables", "tm_rate"),
                         "%" PRIu64 " bytes a second are more than the output's tm_rate %" PRIu64,
                         config->tm_pipe_rate, config->tm_rate);
    uint64_t least = (tm_mtu(config) + TM_OVERHEAD_BYTES) * 1000ULL / TM_PIPE_PERIOD_MS + 1;
    if (config->tm_pipe_rate >= least)
        return true;
    return conflicts(conflict, NAME("tables", "tm_pipe_rate"), NAME("traffic", "frame_bytes"),
                     "%" PRIu64
                     " bytes a second never let a frame of %u bytes through; it takes %" PRIu64
                     " or more",
                     config->tm_pipe_rate, tm_mtu(config), least);
}

bool config_has_rx_port(const struct config *config)
{
    for (uint32_t i = 0; i < config->rx.count; i++) {
        if (config->rx.port[i] != PORT_INTERNAL)
            return true;
    }
    return false;
}

static bool check_ports(const struct config *config, struct config_conflict *conflict)
{
    if (config->rx.count != config->tx.count)
        return conflicts(conflict, NAME("ports", "tx"), NAME("ports", "rx"),
                         "%u of them, but rx has %u; what comes in at one goes out at its partner",
                         config->tx.count, config->rx.count);
    if (config->function == FUNCTION_L2BRIDGE && config->rx.count < 2)
        return conflicts(
            conflict, NAME("ports", "rx"), NAME("pipeline", "function"),
            "a bridge takes two ports or more, such as internal,internal (as many in tx)");
    if (!config->rx_by_queue && config->rx.count % chains_of(config) != 0)
        return conflicts(conflict, NAME("ports", "rx_by_queue"), NAME("machine", "lcores"),
                         "%u ports can't be shared evenly by %u lcores when each is one lcore's",
                         config->rx.count, chains_of(config));
    return true;
}

static bool check_cuts(struct config *config, struct config_conflict *conflict)
{
    conflict->keys[0] = NAME("pipeline", "cuts");
    conflict->keys[1] = NAME("pipeline", "function");
    if (!cuts_parse(config_function(config), config->cut_names, &config->cuts, conflict->sentence,
                    sizeof conflict->sentence))
        return false;
    if (config->lcores.count % segments_of(config) == 0)
        return true;
    return conflicts(conflict, NAME("machine", "lcores"), NAME("pipeline", "cuts"),
                     "%u of them can't be shared evenly by the %u segments of the pipeline",
                     config->lcores.count, segments_of(config));
}

static bool check_pipeline(struct config *config, struct config_conflict *conflict)
{
    conflict->keys[0] = NAME("pipeline", "stages");
    conflict->keys[1] = NAME("pipeline", "function");
    if (!pipeline_parse(config_function(config), config->stages, &config->pipeline,
                        conflict->sentence, sizeof conflict->sentence))
        return false;
    conflict->keys[1] = NAME("ports", "rx");
    return config_check_stages(config, &config->pipeline, conflict->sentence,
                               sizeof conflict->sentence);
}

static bool check_routes(const struct config *config, struct config_conflict *conflict)
{
    uint32_t depth = config->route_depth;
    if (depth == DEPTH_MIXED || config->routes <= 1ULL << depth)
        return true;
    return conflicts(conflict, NAME("tables", "routes"), NAME("tables", "route_depth"),
                     "there are %u prefixes of %u bits; it takes no more than that", 1U << depth,
                     depth);
}

bool config_check(struct config *config, struct config_conflict *conflict)
{
    if (!check_cuts(config, conflict) || !check_rings(config, conflict) ||
        !check_lcores(config, conflict) || !check_ports(config, conflict) ||
        !check_scheduler(config, conflict))
        return false;
    if (config->active_flows > config->flows && !config_has_rx_port(config))
        return conflicts(conflict, NAME("traffic", "flows"), NAME("tables", "flows"),
                         "%u flows are active, but the tables have %u; traffic.flows takes no more "
                         "than tables.flows",
                         config->active_flows, config->flows);
    return check_routes(config, conflict) && check_pipeline(config, conflict);
}
