/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program says to planecast-trace.so, which sees system calls: the kernel knows no such
 * request and refuses it.
 */
#ifndef PLANECAST_TRACE_MARKS_H
#define PLANECAST_TRACE_MARKS_H

#include <sys/prctl.h>

enum { TRACE_REQUEST = 0x706c616e, TRACE_BEGIN = 1, TRACE_COUNT = 2, TRACE_END = 3 };

/* Touches are followed from BEGIN on, by the thread that says it, and counted from COUNT to END. */
static inline void trace_mark(int what)
{
    prctl(TRACE_REQUEST, what, 0, 0, 0);
}

#endif
