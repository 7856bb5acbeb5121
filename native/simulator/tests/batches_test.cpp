#include "batches.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Snapshot forwarded(std::uint64_t count)
{
    Snapshot now;
    now.all[kForwarded] = count;
    return now;
}

double read(const Snapshot &batch)
{
    return static_cast<double>(batch.all[kForwarded]);
}

} // namespace

TEST(Batches, IntervalOfAMean)
{
    Batches batches(0, 1000000, 8); // microseconds
    Snapshot all;
    for (std::uint64_t count : {10, 12, 8, 10}) {
        Snapshot next = all;
        next.all[kForwarded] += count;
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
    Snapshot all;
    Ps instant = 100;
    for (std::uint64_t i = 0; i < 100; ++i) {
        instant = batches.next();
        Snapshot next = forwarded(static_cast<std::uint64_t>(instant) - 100);
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
    Estimate estimate = batches.ratio(0.95, read, [](const Snapshot &) { return 0.0; });
    EXPECT_EQ(estimate.value, 0);
    EXPECT_EQ(estimate.samples, 0U);
}

} // namespace planecast::sim
