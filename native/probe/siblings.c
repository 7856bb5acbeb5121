#define _GNU_SOURCE
#include "siblings.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "canary.h"
#include "topology.h"

enum { IDLE, BUSY, END };

struct neighbour {
    int cpu;
    atomic_int wanted, doing; /* IDLE, BUSY, END */
    atomic_bool failed;
};

static void *neighbour_main(void *argument)
{
    struct neighbour *n = argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(n->cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        atomic_store(&n->failed, true);
    for (;;) {
        int wanted = atomic_load(&n->wanted);
        atomic_store(&n->doing, wanted);
        if (wanted == END)
            return NULL;
        if (wanted == BUSY)
            canary_run();
        else
            usleep(200); /* asleep, so that the core is free */
    }
}

static void phase(struct neighbour *n, int wanted, float *samples)
{
    atomic_store(&n->wanted, wanted);
    while (atomic_load(&n->doing) != wanted)
        sched_yield();
    canary_run(); /* the change itself is not of interest */
    for (int i = 0; i < SIBLING_CHUNKS; i++)
        samples[i] = (float)canary_run();
}

bool siblings_measure(struct sibling_test *test, int cpu, int other)
{
    struct neighbour n = {.cpu = other};
    pthread_t thread;
    test->cpu = cpu;
    test->other = other;
    test->listed = topology_listed_siblings(cpu, other);
    test->count = 0;
    if (pthread_create(&thread, NULL, neighbour_main, &n) != 0)
        return false;
    for (int i = 0; i < SIBLING_PHASES && !atomic_load(&n.failed); i++) {
        phase(&n, IDLE, test->alone + test->count);
        phase(&n, BUSY, test->both + test->count);
        test->count += SIBLING_CHUNKS;
    }
    atomic_store(&n.wanted, END);
    pthread_join(thread, NULL);
    return !atomic_load(&n.failed);
}
