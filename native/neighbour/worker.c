/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <sched.h>

#include "pace.h"

#define BATCH_LINES 256u

/* Keeps the compiler from leaving reads out. */
static volatile uint64_t sunk;

/* Rate-limited batches until asked to stop. */
#define PACED(worker, pace, body)                                                                  \
    while (!__atomic_load_n(&(worker)->stop, __ATOMIC_RELAXED)) {                                  \
        if (!pace_take(&(pace), BATCH_LINES, (pace).ns_per_line > 0 ? pace_now_ns() : 0)) {        \
            __builtin_ia32_pause();                                                                \
            continue;                                                                              \
        }                                                                                          \
        body;                                                                                      \
        __atomic_fetch_add(&(worker)->lines, BATCH_LINES, __ATOMIC_RELAXED);                       \
    }

static void walk_on(struct worker *worker, const struct work *work)
{
    struct pace pace;
    pace_begin(&pace, work->lines_per_s, pace_now_ns());
    /* Widths that do not divide a batch make it a little smaller than it is counted: by a step. */
    PACED(worker, pace, walk_steps(&worker->walk, BATCH_LINES / work->width))
}

static uint64_t stream_lines(char *at, bool write)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BATCH_LINES; i++) {
        uint64_t *line = (uint64_t *)(void *)(at + i * LINE_BYTES);
        sum += line[1]; /* a walk's pointer stands in the first word */
        if (write)
            line[2] = sum;
    }
    return sum;
}

static void stream_on(struct worker *worker, const struct work *work)
{
    struct pace pace;
    uint64_t at = 0, batch = (uint64_t)BATCH_LINES * LINE_BYTES;
    uint64_t end = work->bytes / batch * batch; /* at least one: walk_map rounds up */
    pace_begin(&pace, work->lines_per_s, pace_now_ns());
    PACED(worker, pace, {
        sunk += stream_lines(worker->walk.base + at, work->write);
        at = at + batch >= end ? 0 : at + batch;
    })
}

static void spin_on(struct worker *worker)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    struct pace pace = {0};
    PACED(
        worker, pace, for (unsigned i = 0; i < BATCH_LINES; i++) {
            /* Four chains that wait for nothing: as many units busy as a core has. */
            a += i ^ b;
            b += i ^ a;
            c += i ^ d;
            d += i ^ c;
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        })
    sunk += a + b + c + d;
}

/* Builds and warms what the work needs. */
static bool prepare(struct worker *worker, const struct work *work)
{
    if (work->mode == WORK_WALK) {
        if (!walk_build(&worker->walk, work->bytes, work->width))
            return false;
        uint64_t lines = worker->walk.lines / work->width;
        walk_steps(&worker->walk, lines > UINT32_MAX ? UINT32_MAX : (unsigned)lines);
    }
    return work->mode != WORK_STREAM || walk_map(&worker->walk, work->bytes);
}

static void *run(void *argument)
{
    struct worker *worker = argument;
    pthread_mutex_lock(&worker->lock);
    while (!worker->ending) {
        while (worker->begun == worker->given && !worker->ending &&
               (worker->failed || worker->work.mode == WORK_IDLE))
            pthread_cond_wait(&worker->changed, &worker->lock);
        struct work work = worker->work;
        uint64_t number = worker->given;
        __atomic_store_n(&worker->stop, worker->ending, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&worker->lock);
        bool ready = prepare(worker, &work);
        pthread_mutex_lock(&worker->lock);
        if (worker->given != number || worker->ending)
            continue;
        __atomic_store_n(&worker->lines, 0, __ATOMIC_RELAXED);
        worker->began_ns = pace_now_ns();
        worker->failed = !ready;
        worker->begun = number;
        pthread_cond_broadcast(&worker->changed);
        pthread_mutex_unlock(&worker->lock);
        if (ready && work.mode == WORK_WALK)
            walk_on(worker, &work);
        else if (ready && work.mode == WORK_STREAM)
            stream_on(worker, &work);
        else if (ready && work.mode == WORK_SPIN)
            spin_on(worker);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    walk_unmap(&worker->walk);
    return NULL;
}

bool worker_start(struct worker *worker, int cpu)
{
    pthread_attr_t attributes;
    cpu_set_t one;
    *worker = (struct worker){0};
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    pthread_attr_init(&attributes);
    if (cpu >= 0) {
        if (cpu >= CPU_SETSIZE)
            return false;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    }
    bool started = pthread_create(&worker->thread, &attributes, run, worker) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

bool worker_do(struct worker *worker, const struct work *work)
{
    pthread_mutex_lock(&worker->lock);
    worker->work = *work;
    worker->given++;
    __atomic_store_n(&worker->stop, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&worker->changed);
    while (worker->begun != worker->given)
        pthread_cond_wait(&worker->changed, &worker->lock);
    bool began = !worker->failed;
    pthread_mutex_unlock(&worker->lock);
    return began;
}

struct done worker_done(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    struct done done = {.lines = __atomic_load_n(&worker->lines, __ATOMIC_RELAXED),
                        .seconds = (double)(pace_now_ns() - worker->began_ns) * 1e-9};
    pthread_mutex_unlock(&worker->lock);
    return done;
}

void worker_end(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    __atomic_store_n(&worker->stop, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
}
