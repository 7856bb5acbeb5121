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
    uint64_t far; /* of those counted: whose buffer none of the last ROTATION_NEAR had */
};
enum { ROTATION_NEAR = 256 };

/* From now on; false when memory is short. */
bool rotation_open(struct rotation *rotation);
void rotation_close(struct rotation *rotation);

/* Packets that came; `counts`: their distances, not only that they came. */
void rotation_see(struct rotation *rotation, struct rte_mbuf **packets, uint16_t count,
                  bool counts);

/* Share of the packets whose buffer was far; one that was not seen before is. */
double rotation_share(const struct rotation *rotation);

#endif
