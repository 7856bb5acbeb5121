/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL's arguments, made from the configuration and followed by the user's own.
 */
#ifndef PLANECAST_EAL_H
#define PLANECAST_EAL_H

#include "config.h"

/* rte_eal_init with them. False with a sentence in `error`. `extra` are the words after `--`. */
bool eal_open(const struct config *config, char *program, int extra_count, char **extra,
              char *error, size_t error_bytes);

/* DPDK memory in MiB that the tables and pools of a configuration need. */
uint32_t eal_memory_mib(const struct config *config);

#endif
