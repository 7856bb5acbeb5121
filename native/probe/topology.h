/* What the kernel says about this machine: caches, CPUs, its name. Sizes are the kernel's claim. */
#ifndef PLANECAST_PROBE_TOPOLOGY_H
#define PLANECAST_PROBE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOPOLOGY_CACHES 8

struct cache {
    unsigned level;
    unsigned ways; /* 0: the kernel does not say */
    uint64_t bytes;
    char type[16];         /* Data, Instruction, Unified */
    char shared_cpus[128]; /* CPU list, as the kernel writes it */
};

struct topology {
    char model[128];
    size_t caches;
    struct cache cache[TOPOLOGY_CACHES];
};

/* Reads what concerns this CPU; what the kernel does not report stays empty. */
void topology_read(int cpu, struct topology *t);

/* Whether the kernel lists the two as hyper-threads of one core. */
bool topology_listed_siblings(int cpu, int other);

/* Bytes that can be allocated without swapping; 0 if the kernel does not say. */
uint64_t topology_available_bytes(void);

#endif
