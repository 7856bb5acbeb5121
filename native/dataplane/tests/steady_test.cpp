// SPDX-License-Identifier: Apache-2.0
//
// Blocks that were made up, so that it is known which is the first steady one.
#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "../steady.h"
}

namespace
{

// Blocks until it is steady; 0: not within `most`.
template <typename Cost> uint32_t blocks_until_steady(Cost cost, uint32_t most = 1000)
{
    struct steady steady {
    };
    while (steady.blocks < most) {
        if (steady_add(&steady, cost(steady.blocks)))
            return steady.blocks;
    }
    EXPECT_FALSE(steady.steady);
    return 0;
}

} // namespace

TEST(Steady, ALevelCostIsSteadyAsSoonAsTwoGroupsAreFull)
{
    EXPECT_EQ(blocks_until_steady([](uint32_t) { return 100.0; }), 8U);
    // Within the tolerance, either way, and just beyond it.
    EXPECT_EQ(blocks_until_steady([](uint32_t i) { return i < 4 ? 100 : 100.49; }), 8U);
    EXPECT_EQ(blocks_until_steady([](uint32_t i) { return i < 4 ? 100 : 99.51; }), 8U);
    EXPECT_GT(blocks_until_steady([](uint32_t i) { return i < 4 ? 100 : 100.6; }), 8U);
}

// Of 100 + 50 exp(-i / 5), i the block's number from 0, the medians of n - 4 ... n - 1 and of n - 8
// ... n - 5 differ by 50 exp(-(n - 6.5) / 5) (1 - exp(-0.8)), nearly: the middle of a group is its
// median.
TEST(Steady, ADecayIsSteadyWhenWhatIsLeftOfItIsSmall)
{
    const auto decay = [](uint32_t i) { return 100 + 50 * std::exp(-double(i) / 5); };
    const uint32_t blocks = blocks_until_steady(decay);
    EXPECT_NEAR(blocks, 6.5 + 5 * std::log(50 * (1 - std::exp(-0.8)) / 0.5), 1);
    EXPECT_LT(decay(blocks) - 100, 0.5);
}

TEST(Steady, WhatNeverSettlesIsNotSteady)
{
    EXPECT_EQ(blocks_until_steady([](uint32_t i) { return 100 * std::exp(-0.01 * i); }), 0U);
    EXPECT_EQ(blocks_until_steady([](uint32_t i) { return 100 + i; }, 100), 0U);
}

TEST(Steady, OneInterruptedBlockInAGroupChangesNothing)
{
    EXPECT_EQ(blocks_until_steady([](uint32_t i) { return i == 5 ? 5000.0 : 100.0; }), 8U);
}

TEST(Steady, TheCostIsThatOfTheLastBlocks)
{
    struct steady steady {
    };
    EXPECT_EQ(steady_cost(&steady), 0);
    for (const double cost : {9.0, 1.0, 2.0})
        steady_add(&steady, cost);
    EXPECT_EQ(steady_cost(&steady), 2);
    for (const double cost : {3.0, 4.0, 90.0})
        steady_add(&steady, cost);
    EXPECT_EQ(steady_cost(&steady), 3.5);
    EXPECT_EQ(steady.first, 9);
}
