/* SPDX-License-Identifier: Apache-2.0 */
#include "rotation.h"

#include <stdlib.h>

enum { SLOTS_LOG = 17, SLOTS = 1 << SLOTS_LOG, KNOWN_MOST = SLOTS / 4 * 3 };

struct seen_buffer {
    const struct rte_mbuf *buffer;
    uint64_t at; /* packets that had come */
};

bool rotation_open(struct rotation *rotation)
{
    rotation_close(rotation);
    rotation->seen = calloc(SLOTS, sizeof *rotation->seen);
    return rotation->seen != NULL;
}

void rotation_close(struct rotation *rotation)
{
    free(rotation->seen);
    *rotation = (struct rotation){0};
}

/* The buffer's place, or the free one that would be its; NULL: no room for more. */
static struct seen_buffer *place(struct rotation *rotation, const struct rte_mbuf *buffer)
{
    uint64_t hash = ((uint64_t)(uintptr_t)buffer / RTE_CACHE_LINE_SIZE) * 0x9e3779b97f4a7c15u;
    for (uint32_t slot = (uint32_t)(hash >> (64 - SLOTS_LOG));; slot = (slot + 1) % SLOTS) {
        struct seen_buffer *found = &rotation->seen[slot];
        if (found->buffer == buffer)
            return found;
        if (found->buffer == NULL)
            return rotation->known < KNOWN_MOST ? found : NULL;
    }
}

void rotation_see(struct rotation *rotation, struct rte_mbuf **packets, uint16_t count, bool counts)
{
    for (uint16_t i = 0; i < count; i++) {
        uint64_t now = ++rotation->packets;
        struct seen_buffer *own = place(rotation, packets[i]);
        uint64_t last = 0;
        if (own != NULL) {
            last = own->at;
            rotation->known += own->buffer == NULL;
            *own = (struct seen_buffer){.buffer = packets[i], .at = now};
        }
        rotation->counted += counts;
        rotation->far += counts && (last == 0 || now - last > ROTATION_NEAR);
    }
}

double rotation_share(const struct rotation *rotation)
{
    return rotation->counted > 0 ? (double)rotation->far / (double)rotation->counted : 0.0;
}
