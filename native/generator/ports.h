/* SPDX-License-Identifier: Apache-2.0
 *
 * The DPDK ports: opened with a queue to send and as many to receive as configured,
 * closed.
 */
#ifndef PLANECAST_GENERATOR_PORTS_H
#define PLANECAST_GENERATOR_PORTS_H

#include "config.h"

struct rte_mempool;

/* Whether the configured ports are there; false with a sentence in `error`. */
bool ports_check(const struct config *config, char *error, size_t error_bytes);

bool ports_open(const struct config *config, struct rte_mempool *pool, char *error,
                size_t error_bytes);
void ports_close(const struct config *config);

/* Whether the links of both are up. */
bool ports_up(const struct config *config);

/* Starts memory interfaces anew whose link is down: as a client, such a port asks for its peer only
 * then. No lcore may be at work. */
void ports_call_peers(const struct config *config);

/* Packets that the port itself says it dropped before we could take them. */
uint64_t ports_missed(const struct config *config);

#endif
