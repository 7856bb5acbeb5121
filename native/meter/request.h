/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that the meter is asked, and the one line of JSON that it answers each:
 *
 *   attach port=0 out=1 side=rx  {"attached": {…}}, or {"waiting": "port 0 is not up"}
 *   trial windows=64 packets=8192 warmup=8192 canary=1 seconds=10 burst=32 clock=16
 *                                polls of 32 packets at most; of every 16th the parts are timed;
 *                                with frame=HEX … (see frames.h) packets get frames of ours;
 *                                with fresh=1 a small cache of packet buffers begins empty
 *                                (fresh_cache.h), with rotation=1 as well they are followed
 *                                (rotation.h)
 *   watch port=0 out=1           counts polls while it forwards; unwatch ends that and answers
 *   stats port=0                 what ethdev counts
 *   release                      forwards at full speed, unmeasured
 *   idle                         sleeps (as it does after attach and after each trial)
 */
#ifndef PLANECAST_METER_REQUEST_H
#define PLANECAST_METER_REQUEST_H

#include <stdio.h>

void request_answer(char *line, FILE *out);

#endif
