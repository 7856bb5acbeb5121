/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets: on which one an lcore's CPU is, and memory there for what the lcore works with.
 */
#ifndef PLANECAST_SOCKETS_H
#define PLANECAST_SOCKETS_H

#include "config.h"

enum { SOCKETS_MAX = RTE_MAX_NUMA_NODES };

/* The socket of an lcore's CPU. */
int socket_of_lcore(const struct config *config, uint32_t lcore);

/* Sockets whose CPUs forward. */
uint32_t sockets_of(const struct config *config);

/* Memory that this thread touches first comes from a socket, if it has some left. Without large
 * pages of its own EAL knows no sockets: whoever touches memory first decides where it is. */
void prefer_socket(int socket);
/* Ends that: memory comes from the socket of this thread's CPU. */
void prefer_here(void);

#endif
