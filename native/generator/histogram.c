/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <math.h>
#include <string.h>

void histogram_clear(struct histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->min = UINT64_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    into->count += from->count;
    into->sum += from->sum;
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS && from->count > 0; i++)
        into->counts[i] += from->counts[i];
}

/* The highest value of a bucket. */
static uint64_t highest(uint32_t index)
{
    uint32_t bucket = index >> (HISTOGRAM_SUB_BITS - 1);
    bucket = bucket > 0 ? bucket - 1 : 0;
    uint64_t sub = index - (bucket << (HISTOGRAM_SUB_BITS - 1));
    return ((sub + 1) << bucket) - 1;
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent)
{
    double wanted = ceil(percent / 100 * (double)histogram->count - 1e-9);
    uint64_t rank = wanted < 1 ? 1 : (uint64_t)wanted, sum = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        sum += histogram->counts[i];
        if (sum >= rank)
            return highest(i) < histogram->max ? highest(i) : histogram->max;
    }
    return 0;
}
