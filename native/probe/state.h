/*
 * The host's state now, in about two seconds: how long lines survive in the shared cache, what
 * memory does alone and under load, what page walks cost. `planecast-probe --state` prints it as
 * JSON.
 */
#ifndef PLANECAST_PROBE_STATE_H
#define PLANECAST_PROBE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Measures on `cpu`, next to a stream on `other` (-1: none), with working sets up to `max` bytes.
 * False if the text could not be written. */
bool state_write(FILE *out, int cpu, int other, uint64_t max, const volatile int *stop);

#endif
