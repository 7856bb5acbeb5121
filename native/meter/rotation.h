/* SPDX-License-Identifier: Apache-2.0
 *
 * Rotation of packet buffers: how many packets come between two uses of the same one. A mempool's
 * cache gives those back that were freed last, some tens; where a burst and what is freed at once
 * do not fit it, buffers come from the pool's ring, in which all of them take turns.
 */
#ifndef PLANECAST_METER_ROTATION_H
#define PLANECAST_METER_ROTATION_H

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

struct seen_buffer;

struct rotation {
    struct seen_buffer *seen; /* NULL: nobody asked */
    uint64_t packets, known, counted;
    uint64_t far;      /* of those counted: whose buffer none of the last ROTATION_NEAR had */
    double logarithms; /* sum of their distances', to the base 2 */
};
enum { ROTATION_NEAR = 256 };

/* From now on; false when memory is short. */
bool rotation_open(struct rotation *rotation);
void rotation_close(struct rotation *rotation);

/* Packets that came; `counts`: their distances, not only that they came. */
void rotation_see(struct rotation *rotation, struct rte_mbuf **packets, uint16_t count,
                  bool counts);

/* Share of the packets whose buffer was far; and the packets between two uses of such a one, their
 * geometric mean. A buffer that was not seen before counts as one that is used again after all
 * packets so far. */
double rotation_share(const struct rotation *rotation);
double rotation_packets(const struct rotation *rotation);

#endif
