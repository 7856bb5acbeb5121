/* SPDX-License-Identifier: Apache-2.0
 *
 * A port's receive (or send) function, in whose place ours stands: it calls the driver's and counts
 * (measuring), or sends the thread to sleep (idle).
 *
 * All queues of one port, each polled by a thread of its own.
 */
#ifndef PLANECAST_METER_HOOK_H
#define PLANECAST_METER_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

enum side { SIDE_RX, SIDE_TX };

/* Whether the port is there and its start is over. */
bool hook_started(uint16_t port);

/* The same, with one queue; else with a sentence. */
enum readiness hook_ready(uint16_t port, enum side side, char *error, size_t error_bytes);

/* Takes hold of it when it is ready; else with a sentence. `out` is the port that packets leave by,
 * whose send function is timed; `port` itself where there is none. */
enum readiness hook_attach(uint16_t port, uint16_t out, enum side side, char *error,
                           size_t error_bytes);

/* Whether it took hold of a port. */
bool hook_attached(void);

#endif
