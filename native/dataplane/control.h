/* SPDX-License-Identifier: Apache-2.0
 *
 * --control: trials on request, a line of stdin each, until `quit`, the end of input or a signal.
 */
#ifndef PLANECAST_CONTROL_H
#define PLANECAST_CONTROL_H

#include "dataplane.h"

/* The exit code. */
int control_serve(struct dataplane *dataplane);

#endif
