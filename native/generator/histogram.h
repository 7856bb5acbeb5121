/* SPDX-License-Identifier: Apache-2.0
 *
 * Values with three significant digits, in HdrHistogram's own buckets, so that its decoders read
 * what is written here: 2,048 values one by one, then every doubling in 1,024 steps, up to 2^36 - 1
 * (68 s in nanoseconds; what is more is counted there).
 */
#ifndef PLANECAST_GENERATOR_HISTOGRAM_H
#define PLANECAST_GENERATOR_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

enum {
    HISTOGRAM_DIGITS = 3,
    HISTOGRAM_SUB_BITS = 11, /* 2^11 >= 2 * 10^3 */
    HISTOGRAM_VALUE_BITS = 36,
    HISTOGRAM_BUCKETS = (HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS + 2) << (HISTOGRAM_SUB_BITS - 1),
};
#define HISTOGRAM_MAX ((UINT64_C(1) << HISTOGRAM_VALUE_BITS) - 1)

struct histogram {
    uint64_t count, sum, min, max; /* of the values themselves; min: UINT64_MAX without any */
    uint64_t counts[HISTOGRAM_BUCKETS];
};

static inline uint32_t histogram_index(uint64_t value)
{
    uint32_t bucket = 64U - (uint32_t)__builtin_clzll(value | ((1U << HISTOGRAM_SUB_BITS) - 1)) -
                      HISTOGRAM_SUB_BITS;
    return (bucket << (HISTOGRAM_SUB_BITS - 1)) + (uint32_t)(value >> bucket);
}

/* The same value so many times. */
static inline void histogram_add_many(struct histogram *histogram, uint64_t value, uint64_t times)
{
    value = value < HISTOGRAM_MAX ? value : HISTOGRAM_MAX;
    histogram->count += times;
    histogram->sum += value * times;
    histogram->min = value < histogram->min ? value : histogram->min;
    histogram->max = value > histogram->max ? value : histogram->max;
    histogram->counts[histogram_index(value)] += times;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram_add_many(histogram, value, 1);
}

/* now - value of a column of values, none of which is later than now. */
static inline void histogram_add_ages(struct histogram *histogram, uint64_t now,
                                      const uint64_t *value, uint32_t count)
{
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t age = now - value[i];
        least = age < least ? age : least;
        most = age > most ? age : most;
        sum += age;
    }
    if (__builtin_expect(count == 0 || most > HISTOGRAM_MAX, 0)) {
        for (uint32_t i = 0; i < count; i++)
            histogram_add(histogram, now - value[i]);
        return;
    }
    histogram->count += count;
    histogram->sum += sum;
    histogram->min = least < histogram->min ? least : histogram->min;
    histogram->max = most > histogram->max ? most : histogram->max;
    for (uint32_t i = 0; i < count; i++)
        histogram->counts[histogram_index(now - value[i])]++;
}

void histogram_clear(struct histogram *histogram);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The highest value that is counted together with the one at this share of all (0 to 100), as
 * HdrHistogram has it; 0 without any. */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

/* In base64, HdrHistogram's compressed encoding, version 2. (histogram_encode.c) False without
 * memory. */
int histogram_encode(FILE *out, const struct histogram *histogram);

#endif
