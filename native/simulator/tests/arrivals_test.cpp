#include "arrivals.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace planecast::sim
{

namespace
{

std::vector<Ps> take(const Arrivals &model, std::size_t count)
{
    ArrivalProcess process(model, 5);
    std::vector<Ps> times;
    while (times.size() < count) {
        auto batch = process.next_batch();
        if (batch.empty()) {
            break;
        }
        times.insert(times.end(), batch.begin(), batch.end());
    }
    times.resize(std::min(times.size(), count));
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    return times;
}

} // namespace

TEST(Arrivals, EqualSpacingNeverDrifts)
{
    Arrivals model;
    model.rate_pps = 3e6; // 333333.33 ps
    model.offset_ns = 1;
    auto times = take(model, 3000001);
    EXPECT_EQ(times[0], 1000);
    EXPECT_EQ(times[1], 334333);
    EXPECT_NEAR(static_cast<double>(times[3000000]), 1e12 + 1000, 1);
}

TEST(Arrivals, PoissonHasItsRate)
{
    Arrivals model;
    model.kind = ArrivalKind::poisson;
    model.rate_pps = 1e7;
    EXPECT_NEAR(static_cast<double>(take(model, 1000000).back()), 1e11, 4e8);
    model.rate_pps = 1e-3; // gaps too long for the vector path
    EXPECT_NEAR(static_cast<double>(take(model, 1000).back()), 1e18, 1.3e17);
    model.rate_pps = 1e-9;
    EXPECT_EQ(take(model, 10000).back(), kNever);
}

TEST(Arrivals, BurstsKeepTheMeanRate)
{
    for (bool random_gap : {false, true}) {
        Arrivals model;
        model.kind = ArrivalKind::on_off;
        model.rate_pps = 1e6;
        model.peak_pps = 1e7;
        model.random_gap = random_gap;
        model.burst_packets = {DistributionKind::exponential, 24, 0};
        auto times = take(model, 400000);
        EXPECT_NEAR(static_cast<double>(times.back()), 4e11, random_gap ? 1.2e10 : 1e9);
        EXPECT_EQ(std::adjacent_find(times.begin(), times.end(),
                                     [](Ps a, Ps b) { return b - a < 100000; }),
                  random_gap ? std::adjacent_find(times.begin(), times.end(),
                                                  [](Ps a, Ps b) { return b - a < 100000; })
                             : times.end());
    }
}

TEST(Arrivals, BurstsAllAtOnce)
{
    Arrivals model;
    model.kind = ArrivalKind::on_off;
    model.rate_pps = 1e6;
    model.burst_packets.mean = 4;
    auto times = take(model, 12);
    EXPECT_EQ(times[3], times[0]);
    EXPECT_EQ(times[4], 4000000);
    EXPECT_EQ(times[11], 8000000);
}

TEST(Arrivals, TimestampsEndOrRepeat)
{
    Arrivals model;
    model.kind = ArrivalKind::timestamps;
    model.times_ns = {0, 1.5, 4};
    EXPECT_EQ(take(model, 100), (std::vector<Ps>{0, 1500, 4000}));
    model.repeat = true;
    model.repeat_gap_ns = 2;
    EXPECT_EQ(take(model, 7), (std::vector<Ps>{0, 1500, 4000, 6000, 7500, 10000, 12000}));
    EXPECT_EQ(take(model, 700).back(), 6000 * (699 / 3));
}

} // namespace planecast::sim
