/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of keys that the generator alone has.
 */
#ifndef PLANECAST_GENERATOR_CONFIG_TYPES_H
#define PLANECAST_GENERATOR_CONFIG_TYPES_H

#include "key_types.h"

extern const struct key_type type_mac;      /* uint64_t */
extern const struct key_type type_cpu_pair; /* struct cpu_list of one or two */
extern const struct key_type type_port;     /* struct port_choice */
extern const struct key_type type_sizes;    /* struct sizes */
extern const struct key_type type_rate;     /* struct rate */
extern const struct key_type type_path;     /* char[PATH_MAX] */

#endif
