/*
 * Pointer chases: random cyclic permutations over cache lines, one access a line.
 *
 * Many working sets share one buffer, so that all of them stay in place for the whole run and can
 * be measured in turns: a line has eight 8-byte slots, and set k's pointers stand in slot k of each
 * line. Slot 7 is kept for the page chases.
 */
#ifndef PLANECAST_PROBE_CHASE_H
#define PLANECAST_PROBE_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "memory.h"

#define CHASE_MAX_SETS 128
#define PAGE_CHASES    13 /* 16 pages up to 65,536 */

struct chase_set {
    uint64_t bytes; /* lines × 64; for a page chase: pages × 4096 */
    uint64_t lines;
    char *base;     /* of the first line */
    unsigned slot;  /* byte in a line where its pointers stand */
    int page_chase; /* its number, -1 for a chase over whole pages */
};

struct chase_sets {
    struct memory largest; /* the buffer that holds the largest sets */
    size_t count;
    struct chase_set set[CHASE_MAX_SETS]; /* by rising size */
    size_t page_chases;
    struct chase_set pages[PAGE_CHASES]; /* one line in each 4 KiB, by rising number of pages */
};

/*
 * Working-set sizes in bytes, rising, from 8 KiB to `max`: `a_doubling` of them for each doubling,
 * and more around each of the `edges` (cache sizes the kernel claims). Returns how many.
 */
size_t chase_sizes(uint64_t max, double a_doubling, const uint64_t *edges, size_t edge_count,
                   uint64_t sizes[CHASE_MAX_SETS]);

/*
 * Random places of the cycle to begin `width` chases at: a walk that began where another did would
 * follow a path that is still in some cache.
 */
void chase_begin(const struct chase_set *set, unsigned width, void ***at);

/* Builds the chases over these sizes (rising) in memory of one page kind. */
void chase_build(struct chase_sets *sets, enum page_kind kind, const uint64_t *sizes, size_t count);

#endif
