/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers as JSON, one line each. docs/reference/interfaces.md has their format.
 */
#ifndef PLANECAST_GENERATOR_ANSWER_H
#define PLANECAST_GENERATOR_ANSWER_H

#include "generator.h"

void answer_ready(FILE *out, const struct generator *generator);

/* The run as it is by now; `histograms`: with the latencies' encoded histograms, and only when it
 * is over. */
void answer_run(FILE *out, struct generator *generator, bool histograms);

#endif
