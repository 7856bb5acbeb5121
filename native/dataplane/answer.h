/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program says: one line of JSON for each trial, and one when it is ready.
 */
#ifndef PLANECAST_ANSWER_H
#define PLANECAST_ANSWER_H

#include "trial.h"

void answer_ready(FILE *out, const struct dataplane *dataplane);
void answer_trial(FILE *out, const struct dataplane *dataplane, const struct trial *trial,
                  const struct window *windows, const struct totals *totals);

/* Says on stderr that packets got lost; the exit code. */
int answer_not_conserved(void);

#endif
