/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ports: opened with a queue to send and as many to receive as configured, closed.
 */
#ifndef PLANECAST_GENERATOR_PORTS_H
#define PLANECAST_GENERATOR_PORTS_H

#include "port.h"

struct ports {
    struct port port[2];
    struct port *tx, *rx; /* one and the same, if the configuration says so; NULL: none */
};

/* Whether the configured ports are there; false with a sentence in `error`. */
bool ports_check(const struct config *config, char *error, size_t error_bytes);

bool ports_open(struct ports *ports, const struct config *config, struct rte_mempool *pool,
                char *error, size_t error_bytes);
void ports_close(struct ports *ports);

/* Whether the links of both are up. No lcore may be at work. */
bool ports_up(struct ports *ports);

/* Starts DPDK's memory interfaces again whose link is down: as a client, such a port asks for its
 * peer only then. No lcore may be at work. */
void ports_call_peers(struct ports *ports);

/* Packets that a port says it dropped before we could take them; NULL: none. */
uint64_t port_missed(const struct port *port);

#endif
