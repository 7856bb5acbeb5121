/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include <semaphore.h>
#include <time.h>

/* How long a sleep may last: a program that is to end looks at its own flag after it. */
enum { IDLE_NS = 20 * 1000 * 1000 };

static struct {
    put_function *put;
    sem_t go, done;
    atomic_uint running; /* lanes whose windows are not over */
    uint32_t count;
    struct lane lanes[LANES];
} all;

void lanes_open(uint32_t count, put_function *put)
{
    sem_init(&all.go, 0, 0);
    sem_init(&all.done, 0, 0);
    all.put = put;
    all.count = count;
}

uint32_t lanes_count(void)
{
    return all.count;
}

struct lane *lanes_at(uint32_t lane)
{
    return &all.lanes[lane];
}

static void sleep_until(sem_t *event, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    sem_clockwait(event, CLOCK_MONOTONIC, &until);
}

void lanes_sleep(struct lane *lane)
{
    atomic_store(&lane->asleep, true);
    sleep_until(&all.go, IDLE_NS);
    atomic_store(&lane->asleep, false);
}

void lanes_over(void)
{
    if (atomic_fetch_sub(&all.running, 1) > 1)
        return;
    all.put(POLL_SLEEPS);
    sem_post(&all.done);
}

static bool all_asleep(void)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (!atomic_load(&all.lanes[i].asleep))
            return false;
    return true;
}

/* From then on nobody else reads or writes the meters. */
static void wait_asleep(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    for (int turn = 0; turn < 20000 && !all_asleep(); turn++)
        nanosleep(&moment, NULL);
}

static void wake(void)
{
    for (uint32_t i = 0; i < all.count; i++)
        sem_post(&all.go);
}

void lanes_idle(void)
{
    all.put(POLL_SLEEPS);
    wait_asleep();
}

bool lanes_measure(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)whole;
    until.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);
    atomic_store(&all.running, all.count);
    all.put(POLL_COUNTS);
    wake();
    bool fine = sem_clockwait(&all.done, CLOCK_MONOTONIC, &until) == 0;
    while (sem_trywait(&all.go) == 0)
        ; /* of threads that woke by themselves: they would not sleep */
    lanes_idle();
    if (!fine)
        sem_trywait(&all.done); /* it may have ended just now: not the next one's */
    return fine;
}

void lanes_release(void)
{
    all.put(POLL_PASSES);
    wake();
}
