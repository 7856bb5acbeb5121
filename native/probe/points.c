#include "points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "clock.h"

#define SLICE_NS   100000.0 /* disturbance lasts milliseconds; reading the clock 20 ns */
#define FAST_WIDTH 8
#define FAST_FROM  (256u << 10)
/* Pages beyond a TLB whose lines, one each, an L2 still holds. */
#define WALKS_FROM    4096
#define WALKS_TO      16384
#define STREAM_BYTES  (1u << 20)
#define CALIBRATE_TSC (SLICE_NS * 2.5) /* 2.5 GHz is near enough to choose a slice's length */

/* What a private cache holds is soon there; what no cache holds can't be warmed. */
#define WARM_FROM_LINES (512u << 10) / LINE_BYTES
#define WARM_TO_LINES   (96u << 20) / LINE_BYTES
#define WARM_ROUNDS     10
#define WARM_FAST_TSC   65000000u /* 25 ms */
#define WARM_OWN_TSC    7500000u  /* 3 ms */

static uint64_t run_chase(struct point *p, uint64_t units)
{
    return kernel_chase(&p->at[0], units);
}

static uint64_t run_chase_many(struct point *p, uint64_t units)
{
    return kernel_chase_many(p->at, p->width, units);
}

static uint64_t run_prefetch(struct point *p, uint64_t units)
{
    return kernel_prefetch(p->base, p->lines, p->width, units, &p->offset);
}

static uint64_t run_stream(struct point *p, uint64_t units)
{
    uint64_t bytes = units * LINE_BYTES;
    if (p->offset + bytes > p->bytes)
        p->offset = 0;
    uint64_t cycles = kernel_stream(p->base + p->offset, bytes);
    p->offset += bytes;
    return cycles;
}

static uint64_t run_additions(struct point *p, uint64_t units)
{
    (void)p;
    return kernel_additions(units);
}

/*
 * Brings a point into a state that does not depend on what ran before it.
 *
 * An LLC shared with other tenants has a memory of its own: it lets a set in only after it was
 * walked about ten times (one pass in order leaves nothing), a slow walker never gets in from cold
 * at all, and the others' misses push it out within milliseconds. So: ten fast rounds, which get as
 * much in as possible, then the point's own pace for some milliseconds, which shows what it can
 * hold.
 */
static void warm(struct point *p)
{
    void **fast[KERNEL_MAX_WIDTH];
    uint64_t until = clock_cycles() + WARM_FAST_TSC;
    if (p->set != NULL) {
        chase_begin(p->set, FAST_WIDTH, fast);
        chase_begin(p->set, p->width, p->at);
        if (p->lines >= WARM_FROM_LINES && p->lines <= WARM_TO_LINES)
            for (uint64_t done = 0; done < WARM_ROUNDS * p->lines && clock_cycles() < until;
                 done += 1024)
                kernel_chase_many(fast, FAST_WIDTH, 1024);
    }
    until = clock_cycles() + WARM_OWN_TSC;
    uint64_t units = 64 * p->granule;
    for (uint64_t done = 0; done < p->lines && clock_cycles() < until; done += units)
        p->run(p, units);
}

static struct point *add(struct points *points, const char *kind, enum page_kind page)
{
    if (points->count == points->capacity) {
        points->capacity = points->capacity * 2 + 64;
        points->point = realloc(points->point, points->capacity * sizeof(*points->point));
        if (points->point == NULL)
            exit(3);
    }
    struct point *p = &points->point[points->count++];
    *p = (struct point){.kind = kind, .page = page, .width = 1, .granule = 8};
    return p;
}

static void add_chase(struct points *points, const char *kind, enum page_kind page,
                      const struct chase_set *set, unsigned width)
{
    struct point *p = add(points, kind, page);
    p->set = set;
    p->bytes = set->bytes;
    p->lines = set->lines;
    p->width = width;
    p->granule = width < 8 ? 8 : width;
    p->run = width == 1 ? run_chase : run_chase_many;
}

static void add_prefetch(struct points *points, enum page_kind page, const struct chase_set *set,
                         unsigned width)
{
    struct point *p = add(points, "prefetch", page);
    p->bytes = set->bytes;
    p->lines = set->lines;
    p->base = set->base;
    p->width = width;
    p->granule = KERNEL_MAX_WIDTH;
    p->run = run_prefetch;
    p->offset = 88172645463325252u + width;
}

static void add_stream(struct points *points, const struct memory *memory)
{
    struct point *p = add(points, "stream", PAGE_2MIB);
    p->bytes = memory->bytes;
    p->lines = p->bytes / LINE_BYTES;
    p->base = memory->base;
    p->units = STREAM_BYTES / LINE_BYTES;
    p->run = run_stream;
}

static void add_additions(struct points *points)
{
    struct point *p = add(points, "additions", PAGE_2MIB);
    p->granule = 64;
    p->run = run_additions;
}

void points_add(struct points *points, const struct chase_sets *sets, enum page_kind kind)
{
    const struct chase_set *largest = &sets->set[sets->count - 1];
    for (size_t i = 0; i < sets->count; i++) {
        const struct chase_set *set = &sets->set[i];
        add_chase(points, "chase", kind, set, 1);
        /* How much of an LLC we hold depends on how fast we ask: the same again, eight at once. */
        if (kind == PAGE_2MIB && set->bytes >= FAST_FROM && set != largest)
            add_chase(points, "chase", kind, set, FAST_WIDTH);
    }
    for (size_t i = 0; i < sets->page_chases; i++) {
        const struct chase_set *pages = &sets->pages[i];
        add_chase(points, "page_chase", kind, pages, 1);
        /* Walks of lines that are asked for together overlap, as those of a burst's packets do. */
        if (pages->lines >= WALKS_FROM && pages->lines <= WALKS_TO)
            add_chase(points, "page_chase", kind, pages, FAST_WIDTH);
    }
    for (unsigned width = 1; width <= KERNEL_MAX_WIDTH; width *= 2) {
        if (width > 1)
            add_chase(points, "chase", kind, largest, width);
        add_prefetch(points, kind, largest, width);
    }
    if (kind == PAGE_2MIB) { /* these depend little on the page size */
        add_stream(points, &sets->largest);
        add_additions(points);
    }
}

static void record(struct point *p, struct slice slice)
{
    if (p->count == p->capacity) {
        p->capacity = p->capacity * 2 + 64;
        p->slices = realloc(p->slices, p->capacity * sizeof(*p->slices));
        if (p->slices == NULL)
            exit(3);
    }
    p->slices[p->count++] = slice;
}

static void calibrate(struct point *p)
{
    uint64_t units = 64 * p->granule;
    double cost = (double)p->run(p, units) / (double)units;
    p->units = (uint64_t)(CALIBRATE_TSC / cost / (double)p->granule + 1) * p->granule;
}

/* A first guess of a slice's length is off by the state of that moment; the best slice is not. */
static void adjust(struct point *p)
{
    float best = p->slices[0].cycles;
    for (size_t i = 1; i < p->count; i++)
        if (p->slices[i].cycles < best)
            best = p->slices[i].cycles;
    p->units = (uint64_t)(CALIBRATE_TSC / (double)best / (double)p->granule + 1) * p->granule;
}

static void take_turn(struct point *p)
{
    warm(p);
    if (p->units == 0)
        calibrate(p);
    double before = canary_run();
    for (int i = 0; i < POINTS_SLICES_A_TURN; i++) {
        double cycles = (double)p->run(p, p->units) / (double)p->units;
        double after = canary_run();
        record(p, (struct slice){(float)cycles, (float)before, (float)after});
        before = after;
    }
    if (p->count == POINTS_SLICES_A_TURN)
        adjust(p);
}

void points_run(struct points *points, uint64_t deadline_ns, const volatile int *interrupted)
{
    while (!*interrupted && (points->rounds < 2 || clock_ns() < deadline_ns)) {
        for (size_t i = 0; i < points->count && !*interrupted; i++) {
            take_turn(&points->point[i]);
            if (points->rounds >= 2 && clock_ns() >= deadline_ns)
                return;
        }
        points->rounds++;
    }
}
