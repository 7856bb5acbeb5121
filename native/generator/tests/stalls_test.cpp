// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

extern "C" {
#include "stalls.h"
}

namespace
{

stalls of_a_run()
{
    stalls found = {};
    found.longer_than = 20;
    found.from = 1000;
    found.until = 2000;
    return found;
}

TEST(Stalls, TurnsThatTakeNoLongerThanWorkAreNone)
{
    stalls found = of_a_run();
    for (uint64_t now = 900; now < 2100; now += 20)
        EXPECT_FALSE(stalls_notice(&found, now));
    EXPECT_EQ(found.count, 0U);
}

TEST(Stalls, OneWithinTheRunCountsWhole)
{
    stalls found = of_a_run();
    stalls_notice(&found, 1100);
    EXPECT_TRUE(stalls_notice(&found, 1300));
    EXPECT_EQ(found.cycles, 200U);
    EXPECT_EQ(found.longest, 200U);
}

TEST(Stalls, WhatOfOneLiesInTheRunCounts)
{
    stalls found = of_a_run();
    stalls_notice(&found, 700);
    EXPECT_TRUE(stalls_notice(&found, 1400)); // it lasted into the run
    EXPECT_EQ(found.cycles, 400U);
    stalls_notice(&found, 1415);
    stalls_notice(&found, 1434);
    EXPECT_TRUE(stalls_notice(&found, 5000)); // and this one beyond its end
    EXPECT_EQ(found.cycles, 400U + 566U);
    EXPECT_EQ(found.longest, 566U);
    EXPECT_EQ(found.count, 2U);
}

TEST(Stalls, OthersAreNoneOfTheRuns)
{
    stalls found = of_a_run();
    EXPECT_FALSE(stalls_notice(&found, 500)); // the first turn of all
    EXPECT_FALSE(stalls_notice(&found, 900));
    found.last = 2000;
    EXPECT_FALSE(stalls_notice(&found, 3000));
    EXPECT_EQ(found.count, 0U);
}

} // namespace
