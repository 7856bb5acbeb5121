/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that people and programs write.
 */
#ifndef PLANECAST_NUMBERS_H
#define PLANECAST_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

enum { SECONDS_MAX = 1000000 };

/* More would overflow the counters' sum; at 100 million a second they take months. */
#define PACKETS_MAX UINT64_C(1000000000000000)

/* A whole decimal number in the bounds, ended by one of `stops` or the end of the text: what
 * follows it; NULL when there is none. */
const char *parse_whole(const char *text, uint64_t min, uint64_t max, const char *stops,
                        uint64_t *value);

/* A number of seconds above 0 and up to SECONDS_MAX. */
bool parse_seconds(const char *text, double *seconds);

#endif
