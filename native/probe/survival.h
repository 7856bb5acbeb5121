/*
 * Survival: whether a line is still in a cache after so much time.
 *
 * A cache that others share is no capacity but a lifetime: what they insert pushes ours out. A
 * paced walk shows it directly: every line of a working set once a lap, in random order, so many
 * cycles apart; how long a lap took is how old each line is when it is asked for again. One in some
 * lines is timed: fast, it has survived.
 */
#ifndef PLANECAST_PROBE_SURVIVAL_H
#define PLANECAST_PROBE_SURVIVAL_H

#include <stddef.h>
#include <stdint.h>

#define SURVIVAL_POINTS    32
#define SURVIVAL_CONFLICTS 5

/* What a timed access costs from a near cache beyond the L2 and from memory, TSC cycles; half-way
 * between (on a log scale) is the border between what survived and what did not. */
struct survival_border {
    double hit, miss;
};

struct survival_point {
    uint64_t bytes;    /* of the working set */
    double pace;       /* TSC cycles from one line to the next, as it was */
    double lap_cycles; /* a whole lap */
    double share;      /* of the timed lines that survived */
    double cycles;     /* mean of the timed accesses */
    uint64_t timed;    /* how many there were */
};

/* Mean cycles of a timed access to lines of as many pages as the last level has room for twice,
 * were only those sets used that one place in a page selects: all at the same place of their pages,
 * or each at one of its own. */
struct survival_conflict {
    double same, spread;
};

/* `base` holds at least 64 MiB in large pages; `l2_bytes` is the private cache's size. */
struct survival_border survival_border(char *base, uint64_t l2_bytes);

/* Working sets up to `max` bytes, at each pace; none begins after `until_tsc`. Returns how many
 * points. */
size_t survival_measure(char *base, uint64_t max, const struct survival_border *border,
                        uint64_t until_tsc, struct survival_point point[SURVIVAL_POINTS],
                        const volatile int *stop);

/* Whether lines a page apart meet in few sets of the last level, of `llc_bytes`: several times, or
 * never where `max` bytes are too few to show it. Returns how many times. */
size_t survival_conflicts(const char *base, uint64_t max, uint64_t llc_bytes,
                          const struct survival_border *border,
                          struct survival_conflict found[SURVIVAL_CONFLICTS],
                          const volatile int *stop);

#endif
