/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL's interrupt thread, where drivers handle what their peers send. A driver that is closed by
 * another thread at that moment tears the same connection down twice: net_memif frees its memory
 * twice, or reads what the port's release has removed.
 */
#ifndef PLANECAST_INTERRUPTS_H
#define PLANECAST_INTERRUPTS_H

/* Runs `function` on the interrupt thread, one after another with the drivers' own handlers, and
 * returns when it has. */
void interrupts_call(void (*function)(void *), void *argument);

/* Keeps the thread for good, before EAL takes its memory away: EAL itself never ends it. */
void interrupts_stop(void);

#endif
