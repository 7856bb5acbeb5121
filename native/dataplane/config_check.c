/* SPDX-License-Identifier: Apache-2.0
 *
 * What has to hold between keys that are fine each alone.
 */
#include <stdarg.h>

#include "config.h"
#include "ip4_routes.h"
#include "lcore_map.h"

bool config_conflicts(struct config_conflict *conflict, struct config_name first,
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

#define NO_NAME CONFIG_NAME(NULL, NULL)

static bool is_power_of_two(uint32_t value)
{
    return (value & (value - 1)) == 0;
}

static bool check_rings(const struct config *config, struct config_conflict *conflict)
{
    static const char sentence[] = "'%u' is not allowed; it takes a power of two from 32 to 16384";
    if (!is_power_of_two(config->rx_ring))
        return config_conflicts(conflict, CONFIG_NAME("pool", "rx_ring"), NO_NAME, sentence,
                                config->rx_ring);
    if (!is_power_of_two(config->tx_ring))
        return config_conflicts(conflict, CONFIG_NAME("pool", "tx_ring"), NO_NAME, sentence,
                                config->tx_ring);
    /* Twice: what the rings hold, and as much on its way through bursts and the pool's cache. */
    uint32_t handed = (segments_of(config) - 1) * config->rx.count * config->handoff_ring;
    uint32_t least =
        2 * handed + 2 * (config->rx.count * (config->rx_ring + config->tx_ring) + BURST_MAX);
    if (config->mbufs >= least)
        return true;
    return config_conflicts(conflict, CONFIG_NAME("pool", "mbufs"), CONFIG_NAME("pool", "rx_ring"),
                            "%u are too few for rx_ring %u and tx_ring %u; it takes %u or more",
                            config->mbufs, config->rx_ring, config->tx_ring, least);
}

static bool check_lcores(const struct config *config, struct config_conflict *conflict)
{
    for (uint32_t i = 0; i < config->lcores.count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (config->lcores.cpu[i] == config->lcores.cpu[j])
                return config_conflicts(conflict, CONFIG_NAME("machine", "lcores"), NO_NAME,
                                        "CPU %u is named twice; each takes one lcore",
                                        config->lcores.cpu[i]);
        }
    }
    if (config->simd_bits == 0 || (config->simd_bits >= 64 && is_power_of_two(config->simd_bits)))
        return true;
    return config_conflicts(conflict, CONFIG_NAME("machine", "simd_bits"), NO_NAME,
                            "'%u' is not allowed; it takes 0, 64, 128, 256 or 512",
                            config->simd_bits);
}

bool config_check_stages(const struct config *config, const struct pipeline *pipeline, char *error,
                         size_t error_bytes)
{
    for (uint8_t i = 0; i < pipeline->length; i++) {
        const struct stage *stage = function_stage(pipeline->function, pipeline->order[i]);
        if (stage->check_pipeline != NULL &&
            !stage->check_pipeline(config, pipeline, error, error_bytes))
            return false;
    }
    return true;
}

static bool check_stage_keys(const struct config *config, struct config_conflict *conflict)
{
    const struct function *function = config_function(config);
    for (uint32_t i = 0; i < function_length(function); i++) {
        const struct stage *stage = function_stage(function, i);
        if (stage->check_keys != NULL && !stage->check_keys(config, conflict))
            return false;
    }
    return true;
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
        return config_conflicts(
            conflict, CONFIG_NAME("ports", "tx"), CONFIG_NAME("ports", "rx"),
            "%u of them, but rx has %u; what comes in at one goes out at its partner",
            config->tx.count, config->rx.count);
    if (config->function == FUNCTION_L2BRIDGE && config->rx.count < 2)
        return config_conflicts(
            conflict, CONFIG_NAME("ports", "rx"), CONFIG_NAME("pipeline", "function"),
            "a bridge takes two ports or more, such as internal,internal (as many in tx)");
    if (!config->rx_by_queue && config->rx.count % chains_of(config) != 0)
        return config_conflicts(
            conflict, CONFIG_NAME("ports", "rx_by_queue"), CONFIG_NAME("machine", "lcores"),
            "%u ports can't be shared evenly by %u lcores when each is one lcore's",
            config->rx.count, chains_of(config));
    return true;
}

static bool check_cuts(struct config *config, struct config_conflict *conflict)
{
    conflict->keys[0] = CONFIG_NAME("pipeline", "cuts");
    conflict->keys[1] = CONFIG_NAME("pipeline", "function");
    if (!cuts_parse(config_function(config), config->cut_names, &config->cuts, conflict->sentence,
                    sizeof conflict->sentence))
        return false;
    if (config->lcores.count % segments_of(config) == 0)
        return true;
    return config_conflicts(conflict, CONFIG_NAME("machine", "lcores"),
                            CONFIG_NAME("pipeline", "cuts"),
                            "%u of them can't be shared evenly by the %u segments of the pipeline",
                            config->lcores.count, segments_of(config));
}

static bool check_pipeline(struct config *config, struct config_conflict *conflict)
{
    conflict->keys[0] = CONFIG_NAME("pipeline", "stages");
    conflict->keys[1] = CONFIG_NAME("pipeline", "function");
    if (!pipeline_parse(config_function(config), config->stages, &config->pipeline,
                        conflict->sentence, sizeof conflict->sentence))
        return false;
    conflict->keys[1] = CONFIG_NAME("ports", "rx");
    return config_check_stages(config, &config->pipeline, conflict->sentence,
                               sizeof conflict->sentence);
}

static bool check_routes(const struct config *config, struct config_conflict *conflict)
{
    uint32_t depth = config->route_depth;
    if (depth == DEPTH_MIXED || config->routes <= 1ULL << depth)
        return true;
    return config_conflicts(
        conflict, CONFIG_NAME("tables", "routes"), CONFIG_NAME("tables", "route_depth"),
        "there are %u prefixes of %u bits; it takes no more than that", 1U << depth, depth);
}

bool config_check(struct config *config, struct config_conflict *conflict)
{
    if (!check_cuts(config, conflict) || !check_rings(config, conflict) ||
        !check_lcores(config, conflict) || !check_ports(config, conflict) ||
        !check_stage_keys(config, conflict))
        return false;
    if (config->active_flows > config->flows && !config_has_rx_port(config))
        return config_conflicts(
            conflict, CONFIG_NAME("traffic", "flows"), CONFIG_NAME("tables", "flows"),
            "%u flows are active, but the tables have %u; traffic.flows takes no more "
            "than tables.flows",
            config->active_flows, config->flows);
    return check_routes(config, conflict) && check_pipeline(config, conflict);
}
