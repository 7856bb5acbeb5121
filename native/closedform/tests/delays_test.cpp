// Delays against cases that can be worked out by hand.
#include "delays.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

using planecast::closedform::delays;
using planecast::closedform::Level;
using planecast::closedform::Touched;

namespace
{

constexpr std::size_t kScenarios = 37; // more than are iterated together, and no multiple

// One uniform region of 1,000 lines, touched twice a packet, of stage 1 of 2.
struct Case {
    std::vector<double> own = std::vector<double>(kScenarios, 1000.0), all = own;
    std::vector<double> touches = std::vector<double>(kScenarios, 2.0);
    std::vector<double> stride = std::vector<double>(kScenarios, 1.0);
    std::vector<double> together = stride, lcores = stride,
                        far = std::vector<double>(kScenarios, 100.0);
    std::vector<double> walks = std::vector<double>(kScenarios, 0.0);
    std::size_t stage = 1;
    std::vector<Level> nearer{{250, 0, false}}, last{{500, 10, true}, {2000, 10, true}};
    std::vector<double> delay, missed;

    void solve()
    {
        const std::array<bool, 1> cyclic{false};
        delay.assign(last.size() * 2 * kScenarios, -1);
        missed.assign(last.size() * kScenarios, -1);
        delays({1, kScenarios, 2, cyclic.data(), &stage, own.data(), all.data(), touches.data(),
                stride.data(), together.data(), walks.data(), lcores.data(), far.data()},
               nearer, last, delay.data(), missed.data());
    }

    double delay_at(std::size_t level, std::size_t of_stage, std::size_t scenario) const
    {
        return delay[(level * 2 + of_stage) * kScenarios + scenario];
    }
};

TEST(Delays, EachLevelServesWhatNoNearerOneDoes)
{
    Case one;
    one.solve();
    for (const std::size_t i : {std::size_t{0}, kScenarios - 1}) {
        // A quarter is near, a quarter in the small last level, half in memory.
        EXPECT_NEAR(one.delay_at(0, 1, i), 2 * (0.25 * 10 + 0.5 * 100), 1e-6);
        EXPECT_NEAR(one.missed[i], 2 * 0.5, 1e-9);
        EXPECT_NEAR(one.delay_at(1, 1, i), 2 * 0.75 * 10, 1e-6);
        EXPECT_NEAR(one.missed[kScenarios + i], 0, 1e-9);
        EXPECT_EQ(one.delay_at(0, 0, i), 0);
    }
}

TEST(Delays, ASmallerLastLevelAfterALargerOneIsTheSame)
{
    Case up, down;
    down.last = {up.last[1], up.last[0]};
    up.solve();
    down.solve();
    EXPECT_NEAR(up.delay_at(0, 1, 0), down.delay_at(1, 1, 0), 1e-9);
    EXPECT_NEAR(up.delay_at(1, 1, 0), down.delay_at(0, 1, 0), 1e-9);
}

TEST(Delays, AStrideKeepsARegionOutOfPrivateCachesAlone)
{
    Case one;
    one.stride.assign(kScenarios, 64.0);
    one.solve();
    EXPECT_NEAR(one.delay_at(1, 1, 3), 2 * 10, 1e-6);
    one.nearer[0].lines = 64000; // wide enough for the stride
    one.solve();
    EXPECT_NEAR(one.delay_at(1, 1, 3), 0, 1e-6);
}

TEST(Delays, PageWalksAddToEveryTouch)
{
    Case one;
    one.solve();
    const double without = one.delay_at(0, 1, 5);
    one.walks.assign(kScenarios, 3.0);
    one.solve();
    EXPECT_NEAR(one.delay_at(0, 1, 5), without + 2 * 3.0, 1e-9);
}

TEST(Delays, WhatIsAskedForTogetherCostsLessALine)
{
    Case one;
    one.walks.assign(kScenarios, 3.0);
    one.solve();
    const double alone = one.delay_at(0, 1, 5), gone = one.missed[5];
    one.together.assign(kScenarios, 0.5);
    one.solve();
    EXPECT_NEAR(one.delay_at(0, 1, 5), alone / 2, 1e-9);
    EXPECT_EQ(one.missed[5], gone);
}

TEST(Delays, ARegionOfNoStageTakesRoomAndCostsNothing)
{
    Case one;
    one.stage = 2;
    one.solve();
    EXPECT_EQ(one.delay_at(0, 0, 0), 0);
    EXPECT_EQ(one.delay_at(0, 1, 0), 0);
    EXPECT_EQ(one.missed[0], 0);
}

} // namespace
