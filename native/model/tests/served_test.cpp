// Which level serves what: orders, bounds, and the lifetime that fits the cost.
#include "cache_sharing.hpp"
#include "served.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

using planecast::model::Asked;
using planecast::model::Caches;
using planecast::model::kApart;
using planecast::model::Private;
using planecast::model::Rows;
using planecast::model::serve;
using planecast::model::Touched;

namespace
{

// A region of so many lines touched at random once a packet, in three scenarios alike.
struct Case {
    static constexpr std::size_t kScenarios = 3;
    std::array<bool, 1> cyclic{false}, others{false};
    double lines = 10'000, inserted = 0, capacity = 20'000, lcores = 1, together = 1, touches = 1,
           crowding = 1, takes = 1;
    double latency = 0, last_latency = 0, covered = 0, burst = 32; // of lines asked for ahead
    std::vector<double> waits, first, lines_by, cost;              // of serve's answer

    void solve()
    {
        const std::vector<double> size(kScenarios, lines), one(kScenarios, 1.0),
            often(kScenarios, touches), dense(kScenarios, crowding), lanes(kScenarios, together),
            cores(kScenarios, lcores), near(kScenarios, 2.0), last(kScenarios, 10.0),
            memory(kScenarios, 100.0), base(kScenarios, 50.0), room(kScenarios, capacity),
            taken(kScenarios, takes), brought(kScenarios, inserted), packets(kScenarios, burst),
            between(kScenarios, covered);
        const std::int32_t group = latency > 0 ? 0 : -1;
        waits.assign(3 * kScenarios, -1);
        first.assign(2 * kScenarios, -1);
        lines_by.assign(2 * kScenarios, -1);
        cost.assign(3 * kScenarios, -1);
        const std::array<Private, 2> levels{Private{500, 8}, Private{4000, 8}};
        serve({1,
               kScenarios,
               cyclic.data(),
               others.data(),
               {size.data()},
               {size.data()},
               {often.data()},
               {1.0},
               {dense.data()},
               {lanes.data()},
               {near.data()},
               {last.data()},
               {memory.data()},
               cores.data(),
               base.data()},
              Asked{&group, 1, {between.data()}, {packets.data()}, last_latency, latency},
              Caches{1, levels, 16, room.data(), brought.data(), taken.data()},
              {waits.data(), first.data(), lines_by.data(), cost.data()});
    }
};

TEST(Serve, SharesAddUpToWhatTheFirstLevelDoesNotServe)
{
    Case one;
    one.solve();
    const double first = 500.0 / 10'000;
    EXPECT_NEAR(one.waits[0] + one.waits[3] + one.waits[6], 1 - first, 1e-6);
    EXPECT_NEAR(one.waits[0], 4000.0 / 10'000 - first, 1e-6);
    EXPECT_NEAR(one.waits[6], 0, 1e-12); // all fits the last level
    EXPECT_NEAR(one.lines_by[0], one.waits[3], 1e-12);
    EXPECT_NEAR(one.lines_by[3], 0, 1e-12);
    EXPECT_NEAR(one.cost[0], 2 * one.waits[0] + 10 * one.waits[3], 1e-9);
}

TEST(Serve, ACostLiesBetweenALastLevelThatHoldsAllAndOneThatHoldsNothing)
{
    Case one;
    for (const double inserted : {0.0, 0.1, 1.0, 1e6}) {
        one.inserted = inserted;
        one.solve();
        const double beyond = one.waits[3] + one.waits[6];
        EXPECT_NEAR(one.cost[3], 2 * one.waits[0] + 10 * beyond, 1e-9);
        EXPECT_NEAR(one.cost[6], 2 * one.waits[0] + 100 * beyond, 1e-9);
        EXPECT_LE(one.cost[3], one.cost[0] + 1e-9);
        EXPECT_LE(one.cost[0], one.cost[6] + 1e-9);
    }
    EXPECT_NEAR(one.cost[0], one.cost[6], 1e-3); // nothing stays
}

TEST(Serve, ALastLevelWithoutBoundsHoldsAll)
{
    Case one;
    one.capacity = 1e15;
    one.solve();
    EXPECT_EQ(one.waits[6], 0);
    EXPECT_NEAR(one.cost[0], one.cost[3], 1e-12);
}

TEST(Serve, TouchesInStepWaitOnceForTheSlowest)
{
    Case each, step;
    step.together = 8;
    each.solve();
    step.solve();
    const double beyond = each.waits[3], all = each.waits[0] + beyond; // the rest hits
    const auto waits = [](double share) { return (1 - std::pow(1 - share, 8)) / 8; };
    EXPECT_NEAR(step.lines_by[0], beyond, 1e-12);
    EXPECT_NEAR(step.waits[3], waits(beyond), 1e-12);
    EXPECT_NEAR(step.cost[0], 2 * (waits(all) - waits(beyond)) + 10 * waits(beyond), 1e-9);
    EXPECT_LT(step.cost[0], each.cost[0] / 4); // nearly every step waits: one wait for eight
}

TEST(Serve, ABurstWaitsOnceForLinesThatAreAskedForAhead)
{
    Case each, ahead;
    each.inserted = ahead.inserted = 10; // most lines are in memory
    ahead.latency = 300;
    ahead.covered = 100;
    for (const double burst : {1.0, 4.0, 64.0}) {
        ahead.burst = burst;
        each.solve();
        ahead.solve();
        const double any = 1 - std::pow(1 - ahead.waits[6], std::pow(burst, kApart));
        const double lines = 2 * ahead.waits[0] + 10 * ahead.waits[3] + 100 * ahead.waits[6];
        EXPECT_EQ(ahead.first[0], 0);
        EXPECT_NEAR(ahead.first[3], any, 1e-9);
        EXPECT_NEAR(ahead.cost[0], lines + any * 200 / burst, 1e-9);
        EXPECT_GT(ahead.cost[0], each.cost[0]);
    }
    ahead.covered = 301; // more is done in between than the line takes
    ahead.solve();
    EXPECT_NEAR(ahead.cost[0], each.cost[0], 1e-9);
    EXPECT_EQ(ahead.first[3], 0);
}

TEST(Serve, ABurstWaitsForTheLastLevelOnceAndForTheRestOfMemorysTime)
{
    Case ahead;
    ahead.inserted = 10;
    ahead.latency = 300;
    ahead.last_latency = 40;
    for (const double burst : {1.0, 4.0, 64.0}) {
        ahead.burst = burst;
        for (const double covered : {0.0, 30.0, 50.0}) {
            ahead.covered = covered;
            ahead.solve();
            const auto any = [&](double share) {
                return 1 - std::pow(1 - share, std::pow(burst, kApart));
            };
            const double memory = any(ahead.waits[6]), last = any(ahead.waits[3] + ahead.waits[6]);
            const double near = std::max(40 - covered, 0.0),
                         lines = 2 * ahead.waits[0] + 10 * ahead.waits[3] + 100 * ahead.waits[6];
            EXPECT_NEAR(ahead.first[0], near > 0 ? last : 0, 1e-9);
            EXPECT_NEAR(ahead.first[3], memory, 1e-9);
            EXPECT_NEAR(ahead.cost[0],
                        lines + (last * near + memory * (300 - covered - near)) / burst, 1e-9);
        }
    }
}

TEST(Serve, ABurstThatTouchesNoneOfATableWaitsForNone)
{
    Case rare;
    rare.touches = 0.01;
    rare.inserted = 1000; // every line is in memory
    rare.latency = 300;
    for (const double burst : {1.0, 4.0, 64.0}) {
        rare.burst = burst;
        rare.solve();
        const double any = 1 - std::pow(0.99, burst);
        const double lines = 2 * rare.waits[0] + 10 * rare.waits[3] + 100 * rare.waits[6];
        EXPECT_GT(rare.waits[6], 0.59);
        EXPECT_NEAR(rare.lines_by[3], 0.01 * rare.waits[6], 1e-12);
        EXPECT_LE(rare.cost[0], 0.01 * lines + any * 300 / burst + 1e-9);
        EXPECT_GT(rare.cost[0], 0.01 * lines + 0.6 * any * 300 / burst);
    }
}

TEST(Serve, TablesThatAreAskedForTogetherShareThatWait)
{
    // A last level of one line, that others fill at once, or one that holds nearly all lines.
    const auto cost = [](const std::vector<std::int32_t> &group, double capacity, double inserted) {
        const std::size_t regions = group.size();
        const std::vector<char> no(regions, 0);
        const auto *kinds = reinterpret_cast<const bool *>(no.data());
        const Rows lines(regions, 1e6), one(regions, 1.0), nothing(regions, 0.0);
        const Rows packets(regions, 4.0);
        const double all = 1;
        const std::array<Private, 1> nearer{Private{8, 8}};
        std::vector<double> waits(3 * regions), first(2 * regions);
        std::array<double, 2> by{};
        std::array<double, 3> found{};
        serve({regions, 1, kinds, kinds, lines, lines, one, one, one, one, nothing, nothing,
               nothing, 1.0, 50.0},
              Asked{group.data(), 1, nothing, packets, 0.0, 300.0},
              Caches{1, nearer, 1, &capacity, &inserted, &all},
              {waits.data(), first.data(), by.data(), found.data()});
        return found[0];
    };
    const std::vector<std::int32_t> single{0}, three{0, 0, 0}, none{-1, -1};
    EXPECT_NEAR(cost(single, 1, 1e6), 300 / 4.0, 1e-3); // all are missed: one latency
    EXPECT_NEAR(cost(three, 1, 1e6), cost(single, 1, 1e6), 1e-3);
    const double one_table = cost(single, 9.5e5, 0), all = cost(three, 2.85e6, 0);
    EXPECT_GT(all, one_table); // few are missed: it may be any of them
    EXPECT_LT(all, 3 * one_table);
    EXPECT_NEAR(cost(three, 1e7, 0), 0, 1e-9);
    EXPECT_EQ(cost(none, 1, 1e6), 0);
}

TEST(Serve, AFasterBackgroundLeavesLess)
{
    Case one;
    double share = -1;
    for (const double inserted : {0.01, 0.1, 1.0, 10.0}) {
        one.inserted = inserted;
        one.solve();
        EXPECT_GE(one.waits[6], share);
        share = one.waits[6];
    }
    EXPECT_GT(share, 0.59); // all but what the private caches serve
}

TEST(Serve, LinesThatMeetInFewSetsFillThemSooner)
{
    Case even;
    even.cyclic = {true};
    even.solve();
    EXPECT_NEAR(even.lines_by[3], 0, 1e-9); // all fits
    double before = 0;
    for (const double crowding : {1.5, 2.1, 2.5, 64.0}) {
        Case one;
        one.cyclic = {true};
        one.crowding = crowding;
        one.solve();
        // In one of so many sets there is room for so many of the lines, and no more.
        if (crowding * one.lines <= one.capacity)
            EXPECT_NEAR(one.lines_by[3], 0, 1e-9) << crowding;
        else
            EXPECT_GT(one.lines_by[3], before) << crowding;
        before = one.lines_by[3];
        EXPECT_NEAR(one.lines_by[0] + one.lines_by[3], even.lines_by[0], 1e-9) << crowding;
    }
    EXPECT_GT(before, 0.99); // of lines touched in turns
}

TEST(Serve, OthersLinesAgeCrowdedOnesToo)
{
    Case quiet;
    quiet.cyclic = {true};
    quiet.crowding = 1.9;
    Case busy = quiet;
    busy.inserted = 0.01;
    quiet.solve();
    busy.solve();
    EXPECT_GT(busy.lines_by[3], quiet.lines_by[3]);
    EXPECT_GT(busy.cost[0], quiet.cost[0]);
}

TEST(Serve, MoreLcoresShareOneLastLevel)
{
    Case one;
    one.capacity = 6000;
    one.solve();
    const double alone = one.waits[6];
    one.lcores = 4; // all touch the same lines: they come back sooner, and no more of them fit
    one.solve();
    EXPECT_NEAR(one.waits[6], alone, 1e-6);
}

TEST(Serve, AVariantOfPrivateLevelsIsPricedAsThatMachineIs)
{
    const std::array<bool, 1> no{false};
    const Rows lines{10'000.0}, one{1.0};
    const std::int32_t none = -1;
    const std::array<double, 3> room{20'000, 20'000, 20'000}, brought{0.1, 0.1, 0.1},
        takes{1, 1, 1};
    const Private first{500, 8}, small{2000, 8}, large{4000, 8};
    const auto costs = [&](const std::vector<Private> &nearer) {
        std::array<double, 3> waits{};
        std::array<double, 2> lines_by{};
        std::array<double, 5> cost{};
        std::array<double, 2> first_waits{};
        serve({1,
               1,
               no.data(),
               no.data(),
               lines,
               lines,
               one,
               one,
               one,
               one,
               {2.0},
               {10.0},
               {100.0},
               1.0,
               50.0},
              Asked{&none, 0, {0.0}, one, 0.0, 0.0},
              Caches{nearer.size() / 2, nearer, 1, room.data(), brought.data(), takes.data()},
              {waits.data(), first_waits.data(), lines_by.data(), cost.data()});
        return cost;
    };
    const auto all = costs({first, large, first, small, first, large});
    EXPECT_NEAR(all[1], costs({first, small})[0], 1e-9);
    EXPECT_NEAR(all[2], all[0], 1e-9);
    EXPECT_GT(all[1], all[0]);
}

} // namespace
