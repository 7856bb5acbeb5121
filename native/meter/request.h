/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that the meter is asked, and the one line of JSON that it answers each:
 *
 *   attach port=0 side=rx        {"attached": {…}}, or {"waiting": "port 0 is not up"}
 *   trial windows=64 packets=8192 warmup=8192 canary=1 seconds=10
 *   stats port=0                 what ethdev counts
 *   release                      forwards at full speed, unmeasured
 *   idle                         sleeps (as it does after attach and after each trial)
 */
#ifndef PLANECAST_METER_REQUEST_H
#define PLANECAST_METER_REQUEST_H

#include <stdio.h>

void request_answer(char *line, FILE *out);

#endif
