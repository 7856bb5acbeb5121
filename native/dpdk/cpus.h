/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the configured CPUs are there for this process, asked before EAL, which would answer with
 * a page of its options; and on which of them a thread runs.
 */
#ifndef PLANECAST_CPUS_H
#define PLANECAST_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False with a sentence in `error` when a CPU is missing, or not allowed to this process. */
bool cpus_check(uint32_t main_cpu, const uint16_t *lcore_cpu, uint32_t lcore_count, char *error,
                size_t error_bytes);

/* From here on the calling thread runs on any of these; where it ran, when the set is empty. */
static inline void cpus_run_on(const cpu_set_t *cpus)
{
    if (CPU_COUNT(cpus) > 0)
        sched_setaffinity(0, sizeof *cpus, cpus);
}

#endif
