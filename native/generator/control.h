/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of a controlling program, a line each; docs/reference/interfaces.md has them.
 */
#ifndef PLANECAST_GENERATOR_CONTROL_H
#define PLANECAST_GENERATOR_CONTROL_H

#include "generator.h"

/* Until `quit`, the end of input or a signal; how the program ends. */
int control_serve(struct generator *generator);

#endif
