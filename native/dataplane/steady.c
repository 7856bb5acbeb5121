/* SPDX-License-Identifier: Apache-2.0 */
#include "steady.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double steady_median(double *cost, uint32_t count)
{
    qsort(cost, count, sizeof *cost, by_value);
    return (cost[(count - 1) / 2] + cost[count / 2]) / 2;
}

/* Median of the blocks [from, to), at most STEADY_BLOCKS of them and at least one. */
static double median_cost(const struct steady *steady, uint32_t from, uint32_t to)
{
    double cost[STEADY_BLOCKS];
    for (uint32_t i = from; i < to; i++)
        cost[i - from] = steady->cost[i % (2 * STEADY_BLOCKS)];
    return steady_median(cost, to - from);
}

bool steady_add(struct steady *steady, double cost)
{
    if (steady->blocks == 0)
        steady->first = cost;
    steady->cost[steady->blocks++ % (2 * STEADY_BLOCKS)] = cost;
    if (steady->blocks < 2 * STEADY_BLOCKS)
        return false;
    uint32_t middle = steady->blocks - STEADY_BLOCKS;
    double before = median_cost(steady, middle - STEADY_BLOCKS, middle);
    double now = median_cost(steady, middle, steady->blocks);
    steady->steady = fabs(now - before) <= STEADY_TOLERANCE * before;
    return steady->steady;
}

double steady_cost(const struct steady *steady)
{
    uint32_t count = steady->blocks < STEADY_BLOCKS ? steady->blocks : STEADY_BLOCKS;
    return count == 0 ? 0 : median_cost(steady, steady->blocks - count, steady->blocks);
}
