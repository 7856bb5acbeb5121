/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL for a configuration: its lcores, and the memory that its tables and pools need.
 */
#ifndef PLANECAST_EAL_H
#define PLANECAST_EAL_H

#include "config.h"
#include "exit_code.h"

/* eal_start for a configuration. EXIT_DONE, or how the program has to end, with a sentence in
 * `error`. `extra` are the words after `--`. */
enum exit_code eal_open(const struct config *config, const char *program, int extra_count,
                        char **extra, char *error, size_t error_bytes);

/* DPDK memory in MiB that the tables and pools of a configuration need, whatever memory_mb says. */
uint32_t eal_memory_needed_mib(const struct config *config);

#endif
