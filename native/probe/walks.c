#define _GNU_SOURCE
#include "walks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernels.h"
#include "memory.h"

enum { SIZES = 4, FEWEST_PAGES = 8192, WIDE = 8, HOPS = 16384 };
#define LINES_A_PAGE (SMALL_PAGE / LINE_BYTES)

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 32) * bound >> 32);
}

/* 0 ... count - 1 in a random order that is one cycle: next[i] follows i (Sattolo). */
static void make_cycle(uint32_t *next, uint32_t count)
{
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < count; i++)
        next[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t j = random_below(&state, i), swap = next[i];
        next[i] = next[j];
        next[j] = swap;
    }
}

/* 4 KiB pages: touched in an order of their own, they lie anywhere. */
static char *map_scattered(uint64_t bytes, const uint32_t *next)
{
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    madvise(base, bytes, MADV_NOHUGEPAGE);
    for (uint64_t i = 0, page = 0; i < bytes / SMALL_PAGE; i++, page = next[page])
        base[page * SMALL_PAGE] = 0;
    return base;
}

/* The line of a page that is chased: all sets of a cache have as many. No two sizes share a line.
 */
static void **place(char *base, uint32_t page, uint32_t size)
{
    uint32_t line = (page * 17 + page / LINES_A_PAGE + size * 4) % LINES_A_PAGE;
    return (void **)(base + (uint64_t)page * SMALL_PAGE + line * LINE_BYTES);
}

static void slice(char *base, const uint32_t *next, uint32_t size, struct walks_point *point, int i)
{
    void **at[KERNEL_MAX_WIDTH];
    uint32_t page = 0;
    for (unsigned j = 0; j < point->width; j++) { /* a way apart, so that none follows another */
        at[j] = place(base, page, size);
        for (uint32_t k = 0; k < point->pages / WIDE; k++)
            page = next[page];
    }
    uint64_t hops = point->pages > HOPS ? point->pages : HOPS;
    if (point->width == 1) {
        kernel_chase(&at[0], point->pages);
        point->cycles[i] = (float)kernel_chase(&at[0], hops) / (float)hops;
    } else {
        kernel_chase_many(at, point->width, point->pages);
        point->cycles[i] = (float)kernel_chase_many(at, point->width, hops) / (float)hops;
    }
}

size_t walks_measure(char *huge, uint64_t bytes, struct walks_point point[WALKS_POINTS],
                     const volatile int *stop)
{
    uint32_t *next[SIZES], sizes = 0;
    char *base[WALKS_KINDS] = {[WALKS_HUGE] = huge};
    while (sizes < SIZES && ((uint64_t)FEWEST_PAGES << sizes) * SMALL_PAGE <= bytes) {
        uint32_t pages = (uint32_t)FEWEST_PAGES << sizes;
        next[sizes] = malloc(pages * sizeof **next);
        if (next[sizes] == NULL)
            break;
        make_cycle(next[sizes++], pages);
    }
    if (sizes == 0)
        return 0;
    base[WALKS_IN_ORDER] = memory_map(bytes, PAGE_4KIB).base;
    base[WALKS_SCATTERED] =
        map_scattered(((uint64_t)FEWEST_PAGES << (sizes - 1)) * SMALL_PAGE, next[sizes - 1]);
    size_t count = 0;
    for (uint32_t size = 0; size < sizes; size++)
        for (int kind = 0; kind < WALKS_KINDS && base[WALKS_SCATTERED] != NULL; kind++) {
            uint32_t pages = (uint32_t)FEWEST_PAGES << size;
            for (uint32_t i = 0; i < pages; i++)
                *place(base[kind], i, size) = place(base[kind], next[size][i], size);
            for (unsigned width = 1; width <= WIDE; width *= WIDE)
                point[count++] = (struct walks_point){.kind = kind, .pages = pages, .width = width};
        }
    for (int i = 0; i < WALKS_SLICES && !*stop; i++)
        for (size_t p = 0; p < count; p++) {
            uint32_t size = (uint32_t)__builtin_ctz(point[p].pages / FEWEST_PAGES);
            slice(base[point[p].kind], next[size], size, &point[p], i);
        }
    return count;
}
