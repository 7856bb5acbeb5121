/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls of a port by a program that forwards at full speed: how many found packets, how many, the
 * time from each poll to the next, and what of it the drivers' receive and send functions took.
 * What readings of the clock take is taken off. A poll that takes longer than AWAY_MS was
 * preempted, and is left out.
 */
#ifndef PLANECAST_METER_POLLS_H
#define PLANECAST_METER_POLLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AWAY_MS = 1 };

struct polls {
    uint64_t packets, found, empty;     /* polls that found some, and that found none */
    uint64_t busy_cycles, empty_cycles; /* of these polls, each to the next one's begin */
    uint64_t rx_cycles, tx_cycles;      /* of busy_cycles, in the drivers' functions */
    uint64_t away;                      /* polls that were left out */
};

/* From now on polls of the port are counted; packets leave by port `out`. False with a sentence
 * when it isn't up, has several queues, or is watched or metered already. */
bool polls_watch(uint16_t port, uint16_t out, char *error, size_t error_bytes);

/* The driver's own function again. False when nothing was watched. */
bool polls_end(struct polls *found);

#endif
