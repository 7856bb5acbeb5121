#include "chase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS_A_LINE 7 /* of eight; the last is for the page chases */
#define PAGE_SLOT    7
#define LINES_A_PAGE (SMALL_PAGE / LINE_BYTES)

static uint64_t random_state = 0x2545f4914f6cdd1du;

/* xorshift64*; the same on every run, so that two probes walk the same paths. */
static uint32_t random_below(uint32_t bound)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    uint32_t top = (uint32_t)((random_state * 0x2545f4914f6cdd1du) >> 32);
    return (uint32_t)(((uint64_t)top * bound) >> 32);
}

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t chase_sizes(uint64_t max, double a_doubling, const uint64_t *edges, size_t edge_count,
                   uint64_t sizes[CHASE_MAX_SETS])
{
    static const double around[] = {0.625, 0.75, 0.875, 1.0, 1.125, 1.25, 1.5};
    size_t count = 0, kept = 0;
    for (double bytes = 8192; bytes <= (double)max * 1.001 && count < CHASE_MAX_SETS / 2;
         bytes *= exp2(1 / a_doubling))
        sizes[count++] = (uint64_t)(bytes / 1024 + 0.5) * 1024;
    for (size_t e = 0; e < edge_count; e++)
        for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
            double bytes = around[i] * (double)edges[e];
            if (bytes >= 8192 && bytes <= (double)max && count < CHASE_MAX_SETS)
                sizes[count++] = (uint64_t)(bytes / 1024 + 0.5) * 1024;
        }
    qsort(sizes, count, sizeof(sizes[0]), rising);
    for (size_t i = 0; i < count; i++) /* closer than 3 % together says nothing more */
        if (kept == 0 || (double)sizes[i] > 1.03 * (double)sizes[kept - 1])
            sizes[kept++] = sizes[i];
    return kept;
}

/* Makes `next` over [from, to) part of the cycle over [0, from): a uniformly random cycle stays
 * one. */
static void grow_cycle(uint32_t *next, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (i == 0) {
            next[0] = 0;
            continue;
        }
        uint32_t before = random_below(i);
        next[i] = next[before];
        next[before] = i;
    }
}

/* A page chase's lines are spread over all sets of a private cache, also when its pages lie side by
 * side in a 2 MiB page: with `line * 17` alone lines 64 pages apart shared a set of an L2, and more
 * than 1,024 pages showed the L2's misses instead of page walks. No two page chases share a line.
 */
static void **chase_place(const struct chase_set *set, uint64_t line)
{
    if (set->page_chase < 0)
        return (void **)(set->base + line * LINE_BYTES + set->slot);
    uint64_t in_page =
        (line * 17 + line / LINES_A_PAGE + (uint64_t)set->page_chase * 4) % LINES_A_PAGE;
    return (void **)(set->base + line * SMALL_PAGE + in_page * LINE_BYTES + set->slot);
}

void chase_begin(const struct chase_set *set, unsigned width, void ***at)
{
    for (unsigned j = 0; j < width; j++)
        at[j] = chase_place(set, random_below((uint32_t)set->lines));
}

static void write_lines(const struct chase_set *set, const uint32_t *next)
{
    for (uint64_t i = 0; i < set->lines; i++)
        *chase_place(set, i) = chase_place(set, next[i]);
}

static void build_page_chases(struct chase_sets *sets, uint32_t *next)
{
    uint32_t built = 0;
    for (size_t k = 0; k < PAGE_CHASES; k++) {
        uint32_t pages = 16u << k;
        if ((uint64_t)pages * SMALL_PAGE > sets->largest.bytes)
            return;
        grow_cycle(next, built, pages);
        built = pages;
        sets->pages[k] = (struct chase_set){.bytes = (uint64_t)pages * SMALL_PAGE,
                                            .lines = pages,
                                            .base = sets->largest.base,
                                            .slot = PAGE_SLOT * 8,
                                            .page_chase = (int)k};
        write_lines(&sets->pages[k], next);
        sets->page_chases = k + 1;
    }
}

void chase_build(struct chase_sets *sets, enum page_kind kind, const uint64_t *sizes, size_t count)
{
    uint32_t built = 0;
    uint32_t *next = malloc(sizes[count - 1] / LINE_BYTES * sizeof(*next));
    if (next == NULL) {
        fprintf(stderr, "planecast-probe: out of memory: try a smaller --max-mib\n");
        exit(3);
    }
    sets->count = count;
    /* The largest seven share a buffer, then the next seven, so each buffer is as large as needed.
     */
    struct memory buffer[CHASE_MAX_SETS / SLOTS_A_LINE + 1] = {0};
    for (size_t b = 0; b * SLOTS_A_LINE < count; b++)
        buffer[b] = memory_map(sizes[count - 1 - b * SLOTS_A_LINE], kind);
    sets->largest = buffer[0];
    for (size_t i = 0; i < count; i++) {
        size_t from_top = count - 1 - i;
        struct chase_set *set = &sets->set[i];
        set->lines = sizes[i] / LINE_BYTES;
        set->bytes = set->lines * LINE_BYTES;
        set->base = buffer[from_top / SLOTS_A_LINE].base;
        set->slot = from_top % SLOTS_A_LINE * 8;
        set->page_chase = -1;
        grow_cycle(next, built, (uint32_t)set->lines);
        built = (uint32_t)set->lines;
        write_lines(set, next);
    }
    build_page_chases(sets, next);
    free(next);
}
