/* SPDX-License-Identifier: Apache-2.0
 *
 * A request as text: `walk bytes=1048576 width=8 lines_per_s=1e6`.
 */
#ifndef PLANECAST_NEIGHBOUR_REQUEST_H
#define PLANECAST_NEIGHBOUR_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "work.h"

enum request {
    REQUEST_WORK, /* do something else from now on */
    REQUEST_STATS,
    REQUEST_QUIT,
    REQUEST_WRONG, /* `error` says what and what is allowed */
};

/* Reads a line, which it takes apart. */
enum request request_parse(char *line, struct work *work, char *error, size_t error_bytes);

#endif
