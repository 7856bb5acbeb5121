/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of DPDK that this library has, too. Those of a shared DPDK are asked here first,
 * because this library is loaded before it. Where DPDK is linked into the program, no call leaves
 * it: a jump to ours is written over the first instructions of its function, before the program
 * starts.
 *
 * They are functions of a program's start, which one thread calls, never the meter's: while the
 * original is called its first instructions are there again. The clock's rate, which each lcore may
 * ask for, is taken over under an instrument alone, whose threads take turns.
 */
#ifndef PLANECAST_METER_REPLACED_H
#define PLANECAST_METER_REPLACED_H

#include <stdbool.h>

struct replaced;

/* Whether a jump was written over a function. */
bool replaced_over(const char *name);

/* The original of a function is about to be called. NULL: nothing was written over it. */
struct replaced *replaced_lift(const char *name);

/* It was called. NULL does nothing. */
void replaced_lay(struct replaced *lifted);

#endif
