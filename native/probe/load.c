#define _GNU_SOURCE
#include "load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "clock.h"
#include "kernels.h"
#include "memory.h"

#define SLICE_BYTES  (16u << 20)
#define STREAM_BYTES (1u << 20)
#define OTHER_BYTES  ((uint64_t)128 << 20)
#define LINES        16384u

struct other {
    int cpu;
    char *base;
    atomic_int run; /* 0: not yet there; 1: streams; -1: ends; -2: could not */
    uint64_t lines, cycles;
};

static void *stream(void *argument)
{
    struct other *other = argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(other->cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        atomic_store(&other->run, -2);
        return NULL;
    }
    uint64_t start = clock_cycles(), at = 0;
    atomic_store(&other->run, 1);
    while (atomic_load(&other->run) == 1) {
        kernel_stream(other->base + at, STREAM_BYTES);
        at = (at + STREAM_BYTES) % OTHER_BYTES;
        other->lines += STREAM_BYTES / LINE_BYTES;
    }
    other->cycles = clock_cycles() - start;
    return NULL;
}

static void ask(const char *base, uint64_t lines, struct load *load, int loaded,
                const volatile int *stop)
{
    uint64_t seed = 88172645463325252u;
    size_t first = load->points;
    for (unsigned width = 1; width <= KERNEL_MAX_WIDTH; width = width == 1 ? 8 : width * 4)
        load->point[load->points++] = (struct load_point){.width = width, .loaded = loaded};
    for (int i = 0; i < LOAD_SLICES && !*stop; i++)
        for (size_t p = first; p < load->points; p++)
            load->point[p].cycles[i] =
                (float)kernel_prefetch(base, lines, load->point[p].width, LINES, &seed) / LINES;
}

void load_measure(char *base, uint64_t bytes, int other_cpu, struct load *load,
                  const volatile int *stop)
{
    load->other = other_cpu;
    for (int i = 0; i < LOAD_SLICES && !*stop; i++) {
        const char *from = base + (uint64_t)i * SLICE_BYTES % bytes;
        load->stream[i] =
            (float)(SLICE_BYTES / LINE_BYTES) / (float)kernel_stream(from, SLICE_BYTES);
    }
    ask(base, bytes / LINE_BYTES, load, 0, stop);
    if (other_cpu < 0)
        return;
    struct other other = {.cpu = other_cpu, .base = memory_map(OTHER_BYTES, PAGE_2MIB).base};
    pthread_t thread;
    if (pthread_create(&thread, NULL, stream, &other) != 0) {
        load->other = -1;
        return;
    }
    while (atomic_load(&other.run) == 0)
        sched_yield();
    if (atomic_load(&other.run) == 1)
        ask(base, bytes / LINE_BYTES, load, 1, stop);
    else
        load->other = -1;
    atomic_store(&other.run, -1);
    pthread_join(thread, NULL);
    if (other.cycles > 0)
        load->other_stream = (double)other.lines / (double)other.cycles;
}
