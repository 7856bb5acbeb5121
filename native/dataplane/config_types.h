/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of keys that the data plane alone has.
 */
#ifndef PLANECAST_CONFIG_TYPES_H
#define PLANECAST_CONFIG_TYPES_H

#include "key_types.h"

extern const struct key_type type_ports;    /* struct port_list */
extern const struct key_type type_function; /* enum function_id */
extern const struct key_type type_names;    /* char[STAGES_TEXT] */
extern const struct key_type type_depth;    /* uint32_t, or DEPTH_MIXED */

#endif
