/* SPDX-License-Identifier: Apache-2.0
 *
 * Live counters on DPDK's telemetry socket: /planecast/stats, and /planecast/stages for the cycles
 * of the sampled bursts by stage.
 */
#ifndef PLANECAST_TELEMETRY_H
#define PLANECAST_TELEMETRY_H

#include "dataplane.h"

void telemetry_open(struct dataplane *dataplane);

/* After it, no reader sees the data plane any more: it may be freed. */
void telemetry_close(void);

/* The socket's path. */
const char *telemetry_socket(void);

#endif
