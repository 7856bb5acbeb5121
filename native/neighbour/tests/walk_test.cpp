// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

extern "C" {
#include "pace.h"
#include "walk.h"
}

namespace
{

TEST(Walk, TouchesEveryLineOnceARound)
{
    walk set{};
    ASSERT_TRUE(walk_build(&set, 64 * 1000, 1));
    std::set<void *> seen;
    for (int i = 0; i < 1000; i++) {
        seen.insert(set.at[0]);
        walk_steps(&set, 1);
    }
    EXPECT_EQ(seen.size(), 1000U);
    EXPECT_EQ(*seen.begin(), set.base);
    EXPECT_EQ(*seen.rbegin(), set.base + 999 * 64);
    EXPECT_TRUE(seen.count(set.at[0])); // and begins again
    walk_unmap(&set);
}

TEST(Walk, WalkersOfOneSetAreApart)
{
    walk set{};
    ASSERT_TRUE(walk_build(&set, 64 * 4096, 8));
    std::set<void *> seen;
    for (int i = 0; i < 4096 / 8; i++) {
        for (unsigned w = 0; w < 8; w++)
            seen.insert(set.at[w]);
        walk_steps(&set, 1);
    }
    EXPECT_EQ(seen.size(), 4096U); // eight times an eighth of a round is all of it
    walk_unmap(&set);
}

TEST(Walk, GrowsAndShrinksInOneMapping)
{
    walk set{};
    ASSERT_TRUE(walk_build(&set, 4 << 20, 4));
    char *base = set.base;
    ASSERT_TRUE(walk_build(&set, 1 << 20, 4));
    EXPECT_EQ(set.base, base);
    EXPECT_EQ(set.lines, (1U << 20) / 64);
    ASSERT_TRUE(walk_build(&set, 8 << 20, 2));
    EXPECT_GE(set.mapped, 8U << 20);
    walk_unmap(&set);
    EXPECT_EQ(set.base, nullptr);
}

TEST(Pace, HoldsTheRateAndForgivesLittle)
{
    pace limit;
    pace_begin(&limit, 1e6, 1000); // a line a microsecond
    EXPECT_TRUE(pace_take(&limit, 100, 1000));
    EXPECT_FALSE(pace_take(&limit, 100, 100'999));
    EXPECT_TRUE(pace_take(&limit, 100, 101'000));
    // A second later a thousandth of it is made up for: ten batches, and the one that is due.
    int taken = 0;
    while (pace_take(&limit, 100, 1'000'000'000))
        taken++;
    EXPECT_EQ(taken, 11);
    pace_begin(&limit, 0, 0);
    EXPECT_TRUE(pace_take(&limit, 1U << 20, 0));
    EXPECT_TRUE(pace_take(&limit, 1U << 20, 0));
}

} // namespace
