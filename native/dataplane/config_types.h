/* SPDX-License-Identifier: Apache-2.0
 *
 * The types that a configuration key may have: how text becomes a value, and what to say is
 * allowed.
 */
#ifndef PLANECAST_CONFIG_TYPES_H
#define PLANECAST_CONFIG_TYPES_H

#include "config.h"

struct config_key;

struct config_type {
    /* False when the text is not allowed; `reason` stays empty when the allowed range says it all.
     */
    bool (*read)(struct config *config, const struct config_key *key, const char *text,
                 char *reason, size_t reason_bytes);
    void (*allowed)(const struct config_key *key, char *text, size_t text_bytes);
};

struct config_key {
    const char *section, *name;
    const struct config_type *type;
    size_t offset;
    uint64_t min, max;
    const char *initial, *meaning;
};

extern const struct config_type type_u32, type_u64, type_bool, type_ipv4, type_dscps, type_cpus,
    type_pages, type_ports, type_function, type_text, type_lookup, type_route_lookup, type_depth,
    type_flow_table;

#endif
