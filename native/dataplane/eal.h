/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL's arguments, made from the configuration and followed by the user's own; and EAL's end.
 */
#ifndef PLANECAST_EAL_H
#define PLANECAST_EAL_H

#include "config.h"
#include "exit_code.h"

/* rte_eal_init with them. EXIT_DONE, or how the program has to end, with a sentence in `error`.
 * `extra` are the words after `--`. */
enum exit_code eal_open(const struct config *config, char *program, int extra_count, char **extra,
                        char *error, size_t error_bytes);

/* Ends EAL and takes its folder of sockets away, which EAL itself leaves behind. */
void eal_close(void);

/* DPDK memory in MiB that the tables and pools of a configuration need, whatever memory_mb says. */
uint32_t eal_memory_needed_mib(const struct config *config);

#endif
