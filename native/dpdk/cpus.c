/* SPDX-License-Identifier: Apache-2.0 */
#include "cpus.h"

#include <sched.h>
#include <stdio.h>

/* Tried and not looked up: a container may have fewer CPUs than the machine shows, and more than
 * the process was started on. */
static bool usable(uint32_t cpu)
{
    cpu_set_t set;
    if (cpu >= CPU_SETSIZE)
        return false;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static void list_usable(char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE && used + 16 < text_bytes; cpu++) {
        uint32_t first = cpu;
        if (!usable(cpu))
            continue;
        while (usable(cpu + 1))
            cpu++;
        const char *format = first == cpu ? "%s%u" : "%s%u-%u";
        used += (size_t)snprintf(text + used, text_bytes - used, format, used > 0 ? "," : "", first,
                                 cpu);
    }
}

bool cpus_check(uint32_t main_cpu, const uint16_t *lcore_cpu, uint32_t lcore_count, char *error,
                size_t error_bytes)
{
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        return true; /* more CPUs than a cpu_set_t has: EAL will show */
    const char *key = NULL;
    uint32_t missing = main_cpu;
    if (!usable(main_cpu))
        key = "main_cpu";
    for (uint32_t i = 0; i < lcore_count && key == NULL; i++) {
        missing = lcore_cpu[i];
        if (!usable(missing))
            key = "lcores";
    }
    if (key != NULL) {
        char cpus[128];
        list_usable(cpus, sizeof cpus);
        snprintf(error, error_bytes,
                 "machine.%s: CPU %u is not there, or not allowed to this process; there are %s",
                 key, missing, cpus);
    }
    sched_setaffinity(0, sizeof before, &before);
    return key == NULL;
}
