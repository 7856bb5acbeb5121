/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the configured CPUs are there for this process: asked before EAL, which would answer with
 * a page of its options.
 */
#ifndef PLANECAST_CPUS_H
#define PLANECAST_CPUS_H

#include "config.h"

/* False with a sentence in `error` when a CPU is missing, or not allowed to this process. */
bool cpus_check(const struct config *config, char *error, size_t error_bytes);

#endif
