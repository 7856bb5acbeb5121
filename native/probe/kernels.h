/* What is timed: each kernel does its work and returns the TSC cycles that it took. */
#ifndef PLANECAST_PROBE_KERNELS_H
#define PLANECAST_PROBE_KERNELS_H

#include <stdint.h>

#define KERNEL_MAX_WIDTH 32

/* Hops along the pointers, a multiple of eight; `at` moves on. */
uint64_t kernel_chase(void ***at, uint64_t hops);

/*
 * `width` (1, 2, 4, 8, 16 or 32) chases at once, so as many misses in flight; hops of all together,
 * a multiple of `width`.
 */
uint64_t kernel_chase_many(void **at[KERNEL_MAX_WIDTH], unsigned width, uint64_t hops);

/*
 * Lines at random places: prefetch `width` of them, then read all, then the next batch, whose
 * places depend on what was read: as a burst of packets that prefetches its table entries. `seed`
 * moves on.
 */
uint64_t kernel_prefetch(const char *base, uint64_t lines, unsigned width, uint64_t count,
                         uint64_t *seed);

/* Reads memory in order, `bytes` (a multiple of 512) from `from`. */
uint64_t kernel_stream(const char *from, uint64_t bytes);

/* Dependent additions, a multiple of 64: one core cycle each on every x86 since the nineties. */
uint64_t kernel_additions(uint64_t count);

/* Touches every line once, in order: brings a working set as near as it goes. */
void kernel_touch(const char *from, uint64_t bytes);

#endif
