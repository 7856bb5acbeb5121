/* SPDX-License-Identifier: Apache-2.0
 *
 * A memory interface's client (memif 2.0), as an alternative to DPDK's driver: the generator is
 * what a data plane is measured with, so a packet costs it less than it costs the data plane
 * (docs/explanation/generator.md).
 *
 * A client makes the memory (rings and buffers, memif_ring.h), hands it to the server over a Unix
 * socket, and is connected from then on. The socket is looked at between runs only: a peer that
 * ends in the middle of one takes nothing any more, which the sender notices.
 */
#ifndef PLANECAST_GENERATOR_MEMIF_CLIENT_H
#define PLANECAST_GENERATOR_MEMIF_CLIENT_H

#include <sys/un.h>

#include "memif_ring.h"

enum { MEMIF_QUEUES_MAX = 16, MEMIF_PATH_BYTES = sizeof((struct sockaddr_un *)NULL)->sun_path };

struct memif {
    char path[MEMIF_PATH_BYTES]; /* of the server's socket */
    uint32_t slots;              /* of each ring; a power of two */
    uint32_t queues;             /* rings to receive from */
    int socket;                  /* -1: not connected */
    int memory;                  /* descriptor of the memory */
    uint8_t *region;
    size_t region_bytes;
    struct memif_ring send, receive[MEMIF_QUEUES_MAX];
};

/* Not yet connected. */
void memif_client_init(struct memif *memif, const char *path, uint32_t slots, uint32_t queues);

/* Calls the server, if we are not connected. False with a sentence in `error`: it isn't there, or
 * refuses. */
bool memif_client_connect(struct memif *memif, char *error, size_t error_bytes);

/* Whether the server is there still. */
bool memif_client_is_up(struct memif *memif);

void memif_client_close(struct memif *memif);

#endif
