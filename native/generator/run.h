/* SPDX-License-Identifier: Apache-2.0
 *
 * What lcores do in a run: one sends and receives in turn, or one does each.
 */
#ifndef PLANECAST_GENERATOR_RUN_H
#define PLANECAST_GENERATOR_RUN_H

#include "generator.h"

/* The clock of the run starts, and all counts begin. */
void run_begin(struct generator *generator);

/* Each takes a generator, and returns when its part of the run is over. */
int run_both(void *opaque);
int run_sending(void *opaque);
int run_receiving(void *opaque);

#endif
