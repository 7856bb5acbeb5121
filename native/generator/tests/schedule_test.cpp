// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

extern "C" {
#include "config.h"
#include "schedule.h"
}

namespace
{

std::vector<uint64_t> take_all(schedule &plan, uint64_t until, uint64_t turn)
{
    std::vector<uint64_t> all;
    uint64_t due[64];
    for (uint64_t now = 0; now <= until; now += turn) {
        uint32_t count = 0;
        while ((count = schedule_take(&plan, now, due, 64)) > 0) {
            for (uint32_t i = 0; i < count; i++) {
                EXPECT_LE(due[i], now);
                all.push_back(due[i]);
            }
        }
    }
    return all;
}

schedule begun(schedule_plan plan, uint64_t start = 0)
{
    if (plan.patience == 0)
        plan.patience = UINT64_MAX;
    schedule result;
    schedule_begin(&result, &plan, start);
    return result;
}

} // namespace

TEST(Schedule, ConstantGapsAreRightToACycleForever)
{
    const double gap = 174.7311827956989; // 14.88 Mpps at 2.6 GHz
    schedule plan = begun({.arrivals = ARRIVALS_CONSTANT, .gap = gap});
    const auto due = take_all(plan, 1'000'000'000, 50'000);
    ASSERT_GT(due.size(), 5'000'000U);
    for (size_t i = 0; i < due.size(); i += 997)
        ASSERT_NEAR(static_cast<double>(due[i]), static_cast<double>(i) * gap, 1.01) << i;
    EXPECT_EQ(plan.asked, due.size());
    EXPECT_EQ(plan.given_up, 0U);
}

TEST(Schedule, DueTimesDoNotDependOnWhenItIsAsked)
{
    for (const uint32_t arrivals : {ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_BURST}) {
        const schedule_plan plan = {
            .arrivals = arrivals, .gap = 33.3, .burst_gap = 333.3, .burst_packets = 10, .seed = 7};
        schedule often = begun(plan, 5), seldom = begun(plan, 5);
        EXPECT_EQ(take_all(often, 1'000'000, 1), take_all(seldom, 1'000'000, 100'000));
    }
}

TEST(Schedule, PoissonHasExponentialGaps)
{
    const double gap = 1000;
    schedule plan = begun({.arrivals = ARRIVALS_POISSON, .gap = gap, .seed = 3});
    const auto due = take_all(plan, 200'000'000, 100'000);
    const double count = static_cast<double>(due.size());
    EXPECT_NEAR(count, 200'000, 5 * std::sqrt(200'000));
    // The share of gaps above t is exp(-t / mean), at five standard errors.
    for (const double t : {100.0, 1000.0, 3000.0}) {
        double above = 0;
        for (size_t i = 1; i < due.size(); i++)
            above += static_cast<double>(due[i] - due[i - 1]) > t;
        const double share = std::exp(-t / gap);
        EXPECT_NEAR(above / count, share, 5 * std::sqrt(share * (1 - share) / count) + 1e-3);
    }
}

TEST(Schedule, BurstsComeAtOnceAndInTime)
{
    schedule plan =
        begun({.arrivals = ARRIVALS_BURST, .gap = 100, .burst_gap = 700.5, .burst_packets = 7}, 10);
    const auto due = take_all(plan, 100'000, 13);
    for (size_t i = 0; i < due.size(); i++)
        ASSERT_EQ(due[i], 10 + static_cast<uint64_t>(static_cast<double>(i / 7) * 700.5));
}

TEST(Schedule, ACaptureIsRepeated)
{
    const double gaps[] = {10.25, 0, 89.75};
    schedule plan = begun({.arrivals = ARRIVALS_PCAP, .gaps = gaps, .gap_count = 3});
    const auto due = take_all(plan, 1'000, 7);
    const std::vector<uint64_t> first(due.begin(), due.begin() + 7);
    EXPECT_EQ(first, (std::vector<uint64_t>{0, 10, 10, 100, 110, 110, 200}));
}

TEST(Schedule, TheCountEndsIt)
{
    schedule plan = begun({.arrivals = ARRIVALS_CONSTANT, .gap = 10, .packets = 25});
    EXPECT_EQ(take_all(plan, 10'000, 100).size(), 25U);
    schedule always = begun({.always = true, .packets = 100});
    EXPECT_EQ(take_all(always, 10'000, 100).size(), 100U);
    EXPECT_EQ(always.asked, 100U);
    EXPECT_EQ(always.left, 0U);
}

TEST(Schedule, TheEndIsExactHoweverLateItIsAsked)
{
    schedule plan = begun({.arrivals = ARRIVALS_CONSTANT, .gap = 10, .until = 1000});
    uint64_t due[256];
    EXPECT_EQ(schedule_take(&plan, 500, due, 256), 51U);
    EXPECT_FALSE(schedule_over(&plan, 5000));
    EXPECT_EQ(schedule_take(&plan, 5000, due, 256), 49U);
    EXPECT_TRUE(schedule_over(&plan, 5000));
    EXPECT_EQ(plan.asked, 100U);
    schedule always = begun({.always = true, .until = 1000});
    EXPECT_EQ(schedule_take(&always, 999, due, 256), 256U);
    EXPECT_FALSE(schedule_over(&always, 999));
    EXPECT_TRUE(schedule_over(&always, 1000));
    EXPECT_EQ(schedule_take(&always, 1000, due, 256), 0U);
}

TEST(Schedule, WhatWasDueInAWarmUpIsForgotten)
{
    schedule plan = begun({.arrivals = ARRIVALS_CONSTANT, .gap = 10, .until = 2000});
    take_all(plan, 999, 10);
    schedule_restart_counts(&plan);
    EXPECT_EQ(take_all(plan, 3000, 10).size(), 100U);
    EXPECT_EQ(plan.asked, 100U);
    EXPECT_EQ(plan.given_up, 0U);
}

TEST(Schedule, WhatIsTooLateIsGivenUpAndCounted)
{
    schedule plan = begun({.arrivals = ARRIVALS_CONSTANT, .gap = 10, .patience = 100});
    uint64_t due[256];
    EXPECT_EQ(schedule_take(&plan, 50, due, 256), 6U);
    // 60 … 1050 are due; those before 950 are given up.
    EXPECT_EQ(schedule_take(&plan, 1050, due, 256), 11U);
    EXPECT_EQ(due[0], 950U);
    EXPECT_EQ(plan.given_up, 89U);
    schedule_end(&plan, 2000); // 1060 … 1990
    EXPECT_EQ(plan.given_up, 89U + 94U);
    EXPECT_EQ(plan.asked, 200U);
    schedule_end(&plan, 2000);
    EXPECT_EQ(plan.asked, 200U);
}
