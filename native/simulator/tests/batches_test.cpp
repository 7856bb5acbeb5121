#include "batches.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Totals forwarded(std::uint64_t count)
{
    Totals totals;
    totals.forwarded = count;
    return totals;
}

double read(const Totals &totals)
{
    return static_cast<double>(totals.forwarded);
}

} // namespace

TEST(Batches, IntervalOfAMean)
{
    Batches batches(0, 1000000, 8); // microseconds
    Totals all;
    for (std::uint64_t count : {10, 12, 8, 10}) {
        Totals next = all;
        next.forwarded += count;
        batches.end_batch(next, all);
        all = next;
    }
    Estimate estimate = batches.rate(0.95, read);
    EXPECT_DOUBLE_EQ(estimate.value, 10e6);
    // s = 1.633, t(3) = 3.1824: 10 ± 2.598
    EXPECT_NEAR(estimate.high, 12.598e6, 1e3);
    EXPECT_NEAR(estimate.low, 7.402e6, 1e3);
    EXPECT_EQ(estimate.samples, 4U);
}

TEST(Batches, MergeWhenFull)
{
    Batches batches(100, 10, 4);
    Totals all;
    Ps instant = 100;
    for (std::uint64_t i = 0; i < 100; ++i) {
        instant = batches.next();
        Totals next = forwarded(static_cast<std::uint64_t>(instant) - 100);
        batches.end_batch(next, all);
        all = next;
        EXPECT_LT(batches.count(), 8U);
    }
    Estimate estimate = batches.rate(0.95, read);
    EXPECT_DOUBLE_EQ(estimate.value, 1e12); // one a picosecond, whatever the length
    EXPECT_DOUBLE_EQ(estimate.high, 1e12);
}

TEST(Batches, NothingBelowTheLine)
{
    Batches batches(0, 10, 4);
    Estimate estimate = batches.ratio(0.95, read, [](const Totals &) { return 0.0; });
    EXPECT_EQ(estimate.value, 0);
    EXPECT_EQ(estimate.samples, 0U);
}

} // namespace planecast::sim
