/* SPDX-License-Identifier: Apache-2.0
 *
 * Live counters on DPDK's telemetry socket: /planecast/stats, and /planecast/stages for cycles by
 * stage.
 */
#ifndef PLANECAST_TELEMETRY_H
#define PLANECAST_TELEMETRY_H

#include "dataplane.h"

void telemetry_open(struct dataplane *dataplane);

#endif
