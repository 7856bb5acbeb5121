/*
 * Memory, alone and next to another CPU that streams: what one access and many at once cost, and
 * how fast each side streams.
 */
#ifndef PLANECAST_PROBE_LOAD_H
#define PLANECAST_PROBE_LOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_SLICES 8
#define LOAD_POINTS 6

struct load_point {
    unsigned width;            /* random lines asked for at once */
    int loaded;                /* the other CPU streams */
    float cycles[LOAD_SLICES]; /* TSC cycles a line */
};

struct load {
    int other;                 /* the CPU that streams; -1: there is no other */
    float stream[LOAD_SLICES]; /* lines a TSC cycle that one CPU reads in order, alone */
    double other_stream;       /* the same of the other CPU, next to random accesses; 0: none */
    size_t points;
    struct load_point point[LOAD_POINTS];
};

/* Another CPU that streams from memory, in a thread. */
struct load_other {
    int cpu;
    char *base;
    pthread_t thread;
    atomic_int run; /* 0: not yet there; 1: streams; -1: ends; -2: could not */
    uint64_t lines, cycles;
};

/* False where there is no such CPU; then there is nothing to end. */
bool load_other_begin(struct load_other *other, int cpu);

/* Lines a TSC cycle that it has streamed. */
double load_other_end(struct load_other *other);

/* `base` holds `bytes` in 2 MiB pages, more than the caches; a CPU below 0: alone. */
void load_measure(char *base, uint64_t bytes, int other, struct load *load,
                  const volatile int *stop);

#endif
