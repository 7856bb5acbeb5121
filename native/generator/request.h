/* SPDX-License-Identifier: Apache-2.0
 *
 * The words after `start`: "seconds=10 rate=50% web.sizes=imix streams=web,voice".
 */
#ifndef PLANECAST_GENERATOR_REQUEST_H
#define PLANECAST_GENERATOR_REQUEST_H

#include "config.h"

/* Reads them over a copy of the file's configuration, `asked`; what a key of a stream sets, it sets
 * in all streams, or in one when its name and a dot stand before it. False with a sentence in
 * `error`. */
bool request_read(const struct config *config, const char *words, struct config *asked,
                  double *seconds, char *error, size_t error_bytes);

#endif
