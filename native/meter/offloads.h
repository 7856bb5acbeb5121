/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLANECAST_METER_OFFLOADS_H
#define PLANECAST_METER_OFFLOADS_H

#include <rte_mbuf.h>
#include <stdint.h>

/* Says of packets with frames of ours what a port says that checks checksums, if the program asked
 * a port of memory to check them. */
void offloads_checked(struct rte_mbuf **packets, uint16_t count);

#endif
