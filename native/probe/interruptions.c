#define _GNU_SOURCE
#include "interruptions.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clock.h"

/* A turn of the loop takes some ten nanoseconds; what takes a microsecond was not the loop. */
#define SHORTEST_S 1e-6
#define AHEAD_S    50e-6 /* from the last one's arrival to the common start */

struct watch {
    size_t count;
    atomic_size_t there;
    atomic_uint_fast64_t start; /* 0: not all are there */
    uint64_t ahead, span, shortest;
    atomic_int failed; /* errno of who could not be where it shall */
    const volatile int *stop;
};

struct watcher {
    pthread_t thread;
    struct watch *watch;
    struct interruptions found;
};

static void record(struct interruptions *found, uint64_t start, uint64_t cycles)
{
    if (found->count < INTERRUPTIONS_MOST)
        found->list[found->count++] = (struct interruption){start, cycles};
}

static void spin(struct interruptions *found, const struct watch *watch, uint64_t start)
{
    uint64_t end = start + watch->span, last = start, now;
    while (__rdtsc() < start)
        ;
    do {
        now = __rdtsc();
        if (now - last > watch->shortest)
            record(found, last - start, (now < end ? now : end) - last);
        last = now;
    } while (now < end && !*watch->stop);
}

static void *watcher_main(void *argument)
{
    struct watcher *self = argument;
    struct watch *watch = self->watch;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(self->found.cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        atomic_store(&watch->failed, errno);
    if (atomic_fetch_add(&watch->there, 1) + 1 == watch->count)
        atomic_store(&watch->start, __rdtsc() + watch->ahead);
    uint64_t start;
    while ((start = atomic_load(&watch->start)) == 0)
        ;
    if (atomic_load(&watch->failed) == 0)
        spin(&self->found, watch, start);
    return NULL;
}

static void write_list(FILE *out, const char *name, const struct interruptions *found, bool starts)
{
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < found->count; i++) {
        const struct interruption *one = &found->list[i];
        fprintf(out, "%s%llu", i == 0 ? "" : ",",
                (unsigned long long)(starts ? one->start : one->cycles));
    }
    fputc(']', out);
}

static void write_all(FILE *out, const struct watch *watch, const struct watcher *watchers,
                      double hz)
{
    fprintf(out, "{\"tsc_hz\": %.0f, \"cycles\": %llu, \"shortest_cycles\": %llu, \"cpus\": [", hz,
            (unsigned long long)watch->span, (unsigned long long)watch->shortest);
    for (size_t i = 0; i < watch->count; i++) {
        fprintf(out, "%s\n {\"cpu\": %d", i == 0 ? "" : ",", watchers[i].found.cpu);
        write_list(out, "starts", &watchers[i].found, true);
        write_list(out, "lengths", &watchers[i].found, false);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

bool interruptions_watch(FILE *out, const int *cpus, size_t count, double seconds,
                         const volatile int *stop)
{
    double hz = clock_about_tsc_hz();
    struct watch watch = {.count = count,
                          .ahead = (uint64_t)(AHEAD_S * hz),
                          .span = (uint64_t)(seconds * hz),
                          .shortest = (uint64_t)(SHORTEST_S * hz),
                          .stop = stop};
    struct watcher watchers[INTERRUPTIONS_CPUS] = {0};
    size_t started = 0;
    for (size_t i = 0; i < count; i++) {
        struct interruption *list = calloc(INTERRUPTIONS_MOST, sizeof(*list));
        watchers[i].watch = &watch;
        watchers[i].found = (struct interruptions){cpus[i], 0, list};
        if (list == NULL)
            atomic_store(&watch.failed, ENOMEM);
    }
    for (; started < count; started++) {
        int error =
            pthread_create(&watchers[started].thread, NULL, watcher_main, &watchers[started]);
        if (error != 0) {
            atomic_store(&watch.failed, error);
            atomic_store(&watch.start, 1); /* nobody waits for it */
            break;
        }
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(watchers[i].thread, NULL);
    int failed = atomic_load(&watch.failed);
    if (failed == 0)
        write_all(out, &watch, watchers, hz);
    for (size_t i = 0; i < count; i++)
        free(watchers[i].found.list);
    errno = failed;
    return failed == 0;
}
