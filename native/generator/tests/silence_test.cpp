// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

extern "C" {
#include "silence.h"
}

namespace
{

// Of a run from 1000 to 2000 whose turns take less than 20, and silences more than 100.
silence of_a_run()
{
    stalls clock = {};
    clock.longer_than = 20;
    clock.from = 1000;
    clock.until = 2000;
    silence found = {};
    silence_begin(&found, &clock, 100);
    return found;
}

// Turns until then in which packets come or do not; so many were refused by its end.
uint64_t turns(silence *found, uint64_t from, uint64_t until, bool came, uint64_t dropped)
{
    for (uint64_t now = from; now <= until; now += 10)
        silence_turn(found, now, came, dropped);
    return until + 10;
}

TEST(Silence, CountsWhatWasRefusedInIt)
{
    silence found = of_a_run();
    uint64_t now = turns(&found, 900, 1200, true, 3);
    now = turns(&found, now, 1500, false, 40);
    turns(&found, now, 1600, true, 45);
    EXPECT_EQ(found.count, 1U);
    EXPECT_EQ(found.cycles, 310U);
    EXPECT_EQ(found.lost, 42U); // until packets came again
}

TEST(Silence, WithoutRefusalsIsNone)
{
    silence found = of_a_run();
    uint64_t now = turns(&found, 900, 1200, true, 3);
    now = turns(&found, now, 1500, false, 3); // little is sent, or the ring holds it
    turns(&found, now, 2000, true, 3);
    EXPECT_EQ(found.count, 0U);
}

TEST(Silence, OverloadIsNone)
{
    silence found = of_a_run();
    uint64_t dropped = 0;
    for (uint64_t now = 900; now < 2100; now += 10)
        silence_turn(&found, now, now % 50 == 0, dropped += 7);
    EXPECT_EQ(found.count, 0U);
}

TEST(Silence, TimeInWhichNobodyLookedIsNone)
{
    silence found = of_a_run();
    turns(&found, 900, 1200, true, 0);
    silence_turn(&found, 1700, true, 30); // we were away ourselves
    EXPECT_EQ(found.count, 0U);
    turns(&found, 1710, 1760, false, 40);
    turns(&found, 1850, 1900, false, 60); // we were away within it
    silence_turn(&found, 2500, true, 60);
    EXPECT_EQ(found.count, 1U);
    EXPECT_EQ(found.cycles, 110U); // 1700 to 1760 and 1850 to 1900
    EXPECT_EQ(found.lost, 30U);
}

TEST(Silence, LeavesAFullRing)
{
    silence found = of_a_run();
    uint64_t now = turns(&found, 900, 1200, true, 0);
    now = turns(&found, now, 1400, false, 20);
    now = turns(&found, now, 1430, true, 25); // within a quarter of the least silence
    turns(&found, now, 1500, true, 50);       // and this is overload
    EXPECT_EQ(found.lost, 25U);
}

TEST(Silence, WhatOfOneLiesInTheRunCounts)
{
    silence found = of_a_run();
    uint64_t now = turns(&found, 700, 800, true, 90); // in the warm-up
    now = turns(&found, now, 1100, false, 20);        // its counts began again
    now = turns(&found, now, 1900, true, 20);
    EXPECT_EQ(found.cycles, 110U);
    EXPECT_EQ(found.lost, 20U);
    now = turns(&found, now, 2300, false, 50);
    silence_end(&found, now, 50); // nothing came any more
    EXPECT_EQ(found.cycles, 110U + 100U);
    EXPECT_EQ(found.lost, 50U);
    EXPECT_EQ(found.longest, 110U);
}

} // namespace
