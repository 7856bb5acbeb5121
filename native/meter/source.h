/* SPDX-License-Identifier: Apache-2.0
 *
 * What brings a program its packets, and where the meter stands: ports of DPDK (hook.c,
 * counting_port.c, port_requests.c), or the node with which VPP makes packets (vpp.c).
 */
#ifndef PLANECAST_METER_SOURCE_H
#define PLANECAST_METER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Answers a request that is about it; false: it is another's. */
bool source_answer(const char *line, FILE *out);

/* Whether what brings packets can be taken hold of. */
enum readiness { READY, NOT_YET, NEVER };

/* Puts `counting` (counting.h) in place, now or when the program is up; else with a sentence. */
enum readiness source_counts(uint16_t port, char *error, size_t error_bytes);

/* Packets that all ports have sent by now; false where none of them says. */
bool source_sent(uint64_t *packets);

#endif
