/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of keys that more than one program has; a program's own are next to its table.
 */
#ifndef PLANECAST_KEY_TYPES_H
#define PLANECAST_KEY_TYPES_H

#include <stdint.h>

#include "keys.h"

enum { CPUS_MAX = 64, DSCPS_MAX = 64 };

struct cpu_list {
    uint32_t count;
    uint16_t cpu[CPUS_MAX];
};

struct dscp_list {
    uint32_t count;
    uint8_t value[DSCPS_MAX];
};

extern const struct key_type type_u32, type_u64; /* whole numbers from `min` to `max` */
extern const struct key_type type_number;        /* double */
extern const struct key_type type_bool;
extern const struct key_type type_choice; /* uint32_t or an enum: the name's number */
extern const struct key_type type_ipv4;   /* uint32_t, host order */
extern const struct key_type type_cpus;   /* struct cpu_list */
extern const struct key_type type_dscps;  /* struct dscp_list */

#endif
