/* SPDX-License-Identifier: Apache-2.0
 *
 * DPDK ports: one queue pair an lcore, started when the configuration names a port.
 */
#ifndef PLANECAST_PORTS_H
#define PLANECAST_PORTS_H

#include "dataplane.h"

/* Right after EAL's start, before tables are built: that the ports are there, with enough queues.
 * False with a sentence in `error`. */
bool ports_check(const struct config *config, char *error, size_t error_bytes);

bool ports_open(struct dataplane *dataplane, char *error, size_t error_bytes);
void ports_close(struct dataplane *dataplane);

#endif
