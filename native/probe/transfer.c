#define _GNU_SOURCE
#include "transfer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "clock.h"

/* Lines as a data plane hands them on: three of a packet buffer (its descriptor, what is noted of
 * the packet, its headers), of a burst all first ones first, and buffers spaced as DPDK lays
 * them, in no order. Lines that lie nearer together come twice as fast on some machines. */
enum {
    BURST = 32,
    KINDS = 3,
    KIND_BYTES = 128,
    BUFFER_BYTES = 38 * 64,
    BUFFERS = 16 * BURST,
    LINES = BUFFERS * KINDS,
    ROUND_TRIPS = 100,
    YIELD_SPINS = 1 << 24,
};
#define TRANSFER_NS 1000000000u /* at most, on a busy machine */

enum turn { MINE, WRITE, ECHO, END };

struct exchange {
    _Alignas(256) atomic_int turn;
    _Alignas(256) atomic_int ball;
    _Alignas(256) int other;
    atomic_bool failed;
    unsigned short order[BUFFERS];
    unsigned char *lines;
};

static volatile atomic_int *line(const struct exchange *x, size_t i)
{
    size_t burst = i / (BURST * KINDS), kind = i / BURST % KINDS;
    size_t buffer = x->order[burst * BURST + i % BURST];
    return (volatile atomic_int *)(x->lines + buffer * BUFFER_BYTES + kind * KIND_BYTES);
}

static void write_all(const struct exchange *x, int value)
{
    for (size_t i = 0; i < LINES; i++)
        atomic_store_explicit(line(x, i), value, memory_order_relaxed);
}

static int read_all(const struct exchange *x)
{
    int sum = 0;
    for (size_t i = 0; i < LINES; i++)
        sum += atomic_load_explicit(line(x, i), memory_order_relaxed);
    return sum;
}

/* Waits for its turn; yields now and then, because both may have to share one CPU for a while. */
static int wait_while(atomic_int *what, int value)
{
    int now;
    for (unsigned spins = 1; (now = atomic_load(what)) == value; spins++)
        if (spins % YIELD_SPINS == 0)
            sched_yield();
    return now;
}

static void *other_main(void *argument)
{
    struct exchange *x = argument;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(x->other, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        atomic_store(&x->failed, true);
    for (;;) {
        int turn = wait_while(&x->turn, MINE);
        if (turn == END)
            return NULL;
        if (turn == WRITE)
            write_all(x, 1);
        for (int i = 1; turn == ECHO && i < 2 * ROUND_TRIPS; i += 2) {
            wait_while(&x->ball, i - 1);
            atomic_store(&x->ball, i + 1);
        }
        atomic_store(&x->turn, MINE);
    }
}

static void let_other(struct exchange *x, enum turn turn)
{
    atomic_store(&x->turn, turn);
    while (atomic_load(&x->turn) != MINE)
        ;
}

static float round_trips(struct exchange *x)
{
    atomic_store(&x->ball, 0);
    atomic_store(&x->turn, ECHO);
    uint64_t start = clock_cycles();
    for (int i = 0; i < 2 * ROUND_TRIPS; i += 2) {
        atomic_store(&x->ball, i + 1);
        while (atomic_load(&x->ball) != i + 2)
            ;
    }
    uint64_t end = clock_cycles();
    while (atomic_load(&x->turn) != MINE)
        ;
    return (float)(end - start) / (2 * ROUND_TRIPS);
}

static void slice(struct exchange *x, struct transfer_test *test, volatile int *sink)
{
    size_t i = test->count++;
    let_other(x, WRITE);
    uint64_t start = clock_cycles();
    *sink = read_all(x);
    uint64_t read = clock_cycles();
    let_other(x, WRITE);
    uint64_t again = clock_cycles();
    write_all(x, 2);
    _mm_mfence(); /* until all of them are done, not merely queued */
    uint64_t written = clock_cycles();
    test->read[i] = (float)(read - start) / LINES;
    test->write[i] = (float)(written - again) / LINES;
    test->alone[i] = round_trips(x);
}

static void shuffle(unsigned short *order)
{
    uint32_t random = 1;
    for (unsigned short i = 0; i < BUFFERS; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned short j = (unsigned short)((uint64_t)random * (i + 1u) >> 32);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Puts a thread on the other CPU, which takes its turns until close_exchange. */
static bool open_exchange(struct exchange *x, pthread_t *thread, int other)
{
    x->other = other;
    atomic_store(&x->turn, MINE);
    atomic_store(&x->failed, false);
    return pthread_create(thread, NULL, other_main, x) == 0;
}

/* False if it could not be there. */
static bool close_exchange(struct exchange *x, pthread_t thread)
{
    atomic_store(&x->turn, END);
    pthread_join(thread, NULL);
    return !atomic_load(&x->failed);
}

size_t transfer_ping_pong(int other, float slices[PING_PONG_SLICES])
{
    static struct exchange x;
    pthread_t thread;
    size_t count = 0;
    if (!open_exchange(&x, &thread, other))
        return 0;
    round_trips(&x); /* it is where it shall be */
    uint64_t deadline = clock_ns() + TRANSFER_NS;
    while (count < PING_PONG_SLICES && clock_ns() < deadline && !atomic_load(&x.failed))
        slices[count++] = round_trips(&x);
    return close_exchange(&x, thread) ? count : 0;
}

bool transfer_measure(struct transfer_test *test, int cpu, int other)
{
    static struct exchange x;
    pthread_t thread;
    volatile int sink;
    test->cpu = cpu;
    test->other = other;
    test->count = 0;
    shuffle(x.order);
    x.lines = aligned_alloc(4096, (size_t)BUFFERS * BUFFER_BYTES);
    if (x.lines == NULL)
        return false;
    bool started = open_exchange(&x, &thread, other);
    if (started) {
        let_other(&x, WRITE); /* it is where it shall be, and the pages are there */
        uint64_t deadline = clock_ns() + TRANSFER_NS;
        while (test->count < TRANSFER_SLICES && clock_ns() < deadline && !atomic_load(&x.failed))
            slice(&x, test, &sink);
        started = close_exchange(&x, thread);
    }
    free(x.lines);
    return started && test->count > 0;
}
