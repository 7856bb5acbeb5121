/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLANECAST_METER_OFFLOADS_H
#define PLANECAST_METER_OFFLOADS_H

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

/* Says of packets with frames of ours what a port that checks checksums says of them, if the
 * program asked this one to, which is in memory. */
void offloads_mark_good(uint16_t port, struct rte_mbuf **packets, uint16_t count);

/* How many queues the program asked its port for, by any thread; false: for none yet. */
bool offloads_queues(uint16_t port, uint16_t *rx, uint16_t *tx);

#endif
