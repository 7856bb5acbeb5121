#include "survival.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "clock.h"
#include "memory.h"

#define LINES_A_PAGE (SMALL_PAGE / LINE_BYTES)
enum { TIMED_EVERY = 31, FAST_LAPS = 10, BORDER_LINES = 4000, INTERRUPTED = 20 };
#define LAPS_TSC 25000000u /* of a point: so long, or one lap */
#define LEAST    (1u << 20)
#define FAST_TSC 60000000u /* of the laps before */
/* Paces: a pipeline's that touches a line or two a packet, and slower ones. */
static const uint32_t paces[] = {30, 60, 100};
enum { PACES = sizeof paces / sizeof *paces };

/* The next line of a full cycle over a power of two of lines: a linear congruence (Knuth, The Art
 * of Computer Programming 2, 3.2.1.2), in whose order no prefetcher follows. */
static inline uint64_t next_line(uint64_t line, uint64_t lines)
{
    return (line * 1664525u + 1013904223u) & (lines - 1);
}

/* Where a working set's lines lie: so many bytes apart, each at the same place of its page or, so
 * that all sets of a cache have as many of them, at one of its own. */
struct layout {
    uint64_t apart;
    bool spread;
};

static const struct layout packed = {LINE_BYTES, false};

static inline const char *line_at(const char *base, uint64_t line, struct layout layout)
{
    uint64_t own = layout.spread ? (line * 17 + line / LINES_A_PAGE) % LINES_A_PAGE : 0;
    return base + line * layout.apart + own * LINE_BYTES;
}

static inline double timed_load(const char *at)
{
    uint64_t before = clock_cycles();
    (void)*(const volatile char *)at;
    return (double)(clock_cycles() - before);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct survival_border survival_border(char *base, uint64_t l2_bytes)
{
    static double cycles[BORDER_LINES];
    uint64_t lines = 1;
    struct survival_border border;
    while (lines * LINE_BYTES < 2 * l2_bytes)
        lines *= 2;
    uint64_t line = 0;
    for (uint64_t i = 0; i < FAST_LAPS * lines; i++) {
        (void)*(const volatile char *)(base + line * LINE_BYTES);
        line = next_line(line, lines);
    }
    for (int i = 0; i < BORDER_LINES; i++) {
        cycles[i] = timed_load(base + line * LINE_BYTES);
        line = next_line(line, lines);
    }
    qsort(cycles, BORDER_LINES, sizeof *cycles, by_value);
    border.hit = cycles[BORDER_LINES / 2];
    for (int i = 0; i < BORDER_LINES; i++) {
        _mm_clflush(base + line * LINE_BYTES);
        _mm_mfence();
        cycles[i] = timed_load(base + line * LINE_BYTES);
        line = next_line(line, lines);
    }
    qsort(cycles, BORDER_LINES, sizeof *cycles, by_value);
    border.miss = cycles[BORDER_LINES / 2];
    return border;
}

/* Dependent multiplications, three core cycles each: they set the pace and let accesses overlap, as
 * a pipeline's do. (To read the clock for every line would wait for the line.) */
static inline uint64_t wait(uint64_t x, uint32_t multiplications)
{
    for (uint32_t i = 0; i < multiplications; i++)
        __asm__ volatile("imulq %0, %0" : "+r"(x));
    return x;
}

static double multiplication_cycles(void)
{
    enum { COUNT = 5000, TRIES = 50 };
    uint64_t best = UINT64_MAX, x = 3;
    for (int i = 0; i < TRIES; i++) { /* the fastest: nobody interrupted it */
        uint64_t before = clock_cycles();
        x = wait(x, COUNT);
        __asm__ volatile("" : : "r"(x));
        uint64_t cycles = clock_cycles() - before;
        if (cycles < best)
            best = cycles;
    }
    return (double)best / COUNT;
}

/* Every line once, so many multiplications apart. Adds the timed ones to the point. */
static void lap(const char *base, struct layout layout, uint64_t lines, uint32_t multiplications,
                double limit, struct survival_point *point)
{
    uint64_t line = 0, x = 3;
    uint32_t until_timed = TIMED_EVERY;
    for (uint64_t i = 0; i < lines; i++) {
        const char *at = line_at(base, line, layout);
        line = next_line(line, lines);
        if (--until_timed == 0) {
            double cycles = timed_load(at);
            until_timed = TIMED_EVERY;
            if (cycles > INTERRUPTED * limit)
                continue;
            point->share += cycles < limit;
            point->cycles += cycles;
            point->timed++;
        } else {
            (void)*(const volatile char *)at;
        }
        x = wait(x, multiplications);
    }
    __asm__ volatile("" : : "r"(x));
}

static struct survival_point walk(const char *base, struct layout layout, uint64_t lines,
                                  uint32_t multiplications, double limit)
{
    struct survival_point warm = {0}, point = {.bytes = lines * LINE_BYTES};
    uint64_t start = clock_cycles(), line = 0;
    /* A shared cache may let a set in only after it was walked about ten times. */
    for (uint64_t i = 0; i < FAST_LAPS * lines && clock_cycles() - start < FAST_TSC; i += 256)
        for (int j = 0; j < 256; j++) {
            (void)*(const volatile char *)line_at(base, line, layout);
            line = next_line(line, lines);
        }
    lap(base, layout, lines, multiplications, limit,
        &warm); /* it shows how old the fast laps' lines are */
    start = clock_cycles();
    uint64_t laps = 0;
    do {
        lap(base, layout, lines, multiplications, limit, &point);
        laps++;
    } while (clock_cycles() - start < LAPS_TSC);
    point.lap_cycles = (double)(clock_cycles() - start) / (double)laps;
    point.pace = point.lap_cycles / (double)lines;
    point.share /= (double)(point.timed + (point.timed == 0));
    point.cycles /= (double)(point.timed + (point.timed == 0));
    return point;
}

size_t survival_measure(char *base, uint64_t max, const struct survival_border *border,
                        uint64_t until_tsc, struct survival_point point[SURVIVAL_POINTS],
                        const volatile int *stop)
{
    double limit = sqrt(border->hit * border->miss), one = multiplication_cycles();
    size_t count = 0;
    for (uint64_t bytes = LEAST; bytes <= max; bytes *= 2)
        for (int i = 0; i < PACES && count < SURVIVAL_POINTS && !*stop; i++) {
            if (clock_cycles() > until_tsc)
                return count;
            point[count++] =
                walk(base, packed, bytes / LINE_BYTES, (uint32_t)(paces[i] / one + 0.5), limit);
        }
    return count;
}

size_t survival_conflicts(const char *base, uint64_t max, uint64_t llc_bytes,
                          const struct survival_border *border,
                          struct survival_conflict found[SURVIVAL_CONFLICTS],
                          const volatile int *stop)
{
    double limit = sqrt(border->hit * border->miss);
    uint64_t pages = 1;
    while (pages * SMALL_PAGE < 2 * llc_bytes && 2 * pages * SMALL_PAGE <= max)
        pages *= 2;
    if (pages * SMALL_PAGE < llc_bytes + llc_bytes / 4)
        return 0;
    size_t count = 0;
    for (; count < SURVIVAL_CONFLICTS && !*stop; count++) {
        struct layout same = {SMALL_PAGE, false}, spread = {SMALL_PAGE, true};
        found[count].same = walk(base, same, pages, 0, limit).cycles;
        found[count].spread = walk(base, spread, pages, 0, limit).cycles;
    }
    return count;
}
