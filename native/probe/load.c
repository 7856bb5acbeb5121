#define _GNU_SOURCE
#include "load.h"

#include <sched.h>
#include <sys/mman.h>

#include "clock.h"
#include "kernels.h"
#include "memory.h"

#define SLICE_BYTES  (16u << 20)
#define STREAM_BYTES (1u << 20)
#define OTHER_BYTES  ((uint64_t)128 << 20)
#define LINES        16384u

static void *stream(void *argument)
{
    struct load_other *other = argument;
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

bool load_other_begin(struct load_other *other, int cpu)
{
    if (cpu < 0)
        return false;
    *other = (struct load_other){.cpu = cpu, .base = memory_map(OTHER_BYTES, PAGE_2MIB).base};
    bool begun = pthread_create(&other->thread, NULL, stream, other) == 0;
    while (begun && atomic_load(&other->run) == 0)
        sched_yield();
    if (begun && atomic_load(&other->run) == 1)
        return true;
    if (begun)
        pthread_join(other->thread, NULL);
    munmap(other->base, OTHER_BYTES);
    return false;
}

double load_other_end(struct load_other *other)
{
    atomic_store(&other->run, -1);
    pthread_join(other->thread, NULL);
    munmap(other->base, OTHER_BYTES);
    return other->cycles > 0 ? (double)other->lines / (double)other->cycles : 0.0;
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
    load->other = -1;
    for (int i = 0; i < LOAD_SLICES && !*stop; i++) {
        const char *from = base + (uint64_t)i * SLICE_BYTES % bytes;
        load->stream[i] =
            (float)(SLICE_BYTES / LINE_BYTES) / (float)kernel_stream(from, SLICE_BYTES);
    }
    ask(base, bytes / LINE_BYTES, load, 0, stop);
    struct load_other other;
    if (!load_other_begin(&other, other_cpu))
        return;
    load->other = other_cpu;
    ask(base, bytes / LINE_BYTES, load, 1, stop);
    load->other_stream = load_other_end(&other);
}
