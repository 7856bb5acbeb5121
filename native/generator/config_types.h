/* SPDX-License-Identifier: Apache-2.0
 *
 * The types that a configuration key may have: how text becomes a value, and what to say is
 * allowed.
 */
#ifndef PLANECAST_GENERATOR_CONFIG_TYPES_H
#define PLANECAST_GENERATOR_CONFIG_TYPES_H

#include "config.h"

struct config_key;

struct config_type {
    /* False when the text is not allowed. */
    bool (*read)(void *place, const struct config_key *key, const char *text);
    void (*allowed)(const struct config_key *key, char *text, size_t text_bytes);
};

struct config_key {
    const char *section, *name;
    const struct config_type *type;
    size_t offset; /* in struct config, or in struct stream_config for section "stream" */
    double min, max;
    const char *initial, *meaning;
    const char *choices; /* of type_choice: names in the order of their values, with commas */
};

extern const struct config_type type_u32, type_u64, type_number, type_bool, type_choice, type_ipv4,
    type_mac, type_cpus, type_port, type_sizes, type_rate, type_dscps, type_path;

#endif
