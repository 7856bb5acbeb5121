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
using planecast::model::kForEver;
using planecast::model::Private;
using planecast::model::serve;
using planecast::model::Touched;

namespace
{

// A region of so many lines touched at random once a packet, in three scenarios alike.
struct Case {
    static constexpr std::size_t kScenarios = 3;
    std::array<bool, 1> cyclic{false}, others{false};
    double lines = 10'000, inserted = 0, capacity = 20'000, lcores = 1, together = 1, touches = 1;
    double latency = 0, covered = 0, burst = 32; // of lines that are asked for ahead
    std::vector<double> served, lifetime, cost;

    void solve()
    {
        const std::vector<double> size(kScenarios, lines), one(kScenarios, 1.0),
            often(kScenarios, touches), lanes(kScenarios, together), cores(kScenarios, lcores),
            near(kScenarios, 2.0), last(kScenarios, 10.0), memory(kScenarios, 100.0),
            base(kScenarios, 50.0), room(kScenarios, capacity), brought(kScenarios, inserted),
            packets(kScenarios, burst), first(kScenarios, latency), between(kScenarios, covered);
        const std::int32_t group = latency > 0 ? 0 : -1;
        served.assign(3 * kScenarios, -1);
        lifetime.assign(kScenarios, -1);
        cost.assign(kScenarios, -1);
        const std::array<Private, 2> levels{Private{500, 8}, Private{4000, 8}};
        serve({1, kScenarios, cyclic.data(), others.data(), size.data(), size.data(), often.data(),
               one.data(), lanes.data(), near.data(), last.data(), memory.data(), cores.data(),
               base.data()},
              Asked{&group, 1, between.data(), packets.data(), first.data()},
              Caches{1, levels, 16, room.data(), brought.data()}, served.data(), lifetime.data(),
              cost.data());
    }
};

TEST(Serve, SharesAddUpToWhatTheFirstLevelDoesNotServe)
{
    Case one;
    one.solve();
    const double first = 500.0 / 10'000;
    EXPECT_NEAR(one.served[0] + one.served[3] + one.served[6], 1 - first, 1e-6);
    EXPECT_NEAR(one.served[0], 4000.0 / 10'000 - first, 1e-6);
    EXPECT_NEAR(one.served[6], 0, 1e-12); // all fits the last level
    EXPECT_EQ(one.lifetime[0], kForEver);
    EXPECT_NEAR(one.cost[0], 2 * one.served[0] + 10 * one.served[3], 1e-9);
}

TEST(Serve, TouchesInStepWaitOnceForTheSlowest)
{
    Case each, step;
    step.together = 8;
    each.solve();
    step.solve();
    const double beyond = each.served[3], all = each.served[0] + beyond; // the rest hits
    const auto waits = [](double share) { return (1 - std::pow(1 - share, 8)) / 8; };
    EXPECT_NEAR(step.served[3], beyond, 1e-12);
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
        const double any = 1 - std::pow(1 - ahead.served[6], std::sqrt(burst));
        const double lines = 2 * ahead.served[0] + 10 * ahead.served[3] + 100 * ahead.served[6];
        EXPECT_NEAR(ahead.cost[0], lines + any * 200 / burst, 1e-9);
        EXPECT_GT(ahead.cost[0], each.cost[0]);
    }
    ahead.covered = 301; // more is done in between than the line takes
    ahead.solve();
    EXPECT_NEAR(ahead.cost[0], each.cost[0], 1e-9);
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
        const double lines = 2 * rare.served[0] + 10 * rare.served[3] + 100 * rare.served[6];
        EXPECT_GT(rare.served[6], 0.59);
        EXPECT_LE(rare.cost[0], 0.01 * lines + any * 300 / burst + 1e-9);
        EXPECT_GT(rare.cost[0], 0.01 * lines + 0.6 * any * 300 / burst);
    }
}

TEST(Serve, AFasterBackgroundLeavesLessAndShorter)
{
    Case one;
    double share = -1, lifetime = kForEver;
    for (const double inserted : {0.01, 0.1, 1.0, 10.0}) {
        one.inserted = inserted;
        one.solve();
        EXPECT_GE(one.served[6], share);
        EXPECT_LT(one.lifetime[0], lifetime);
        share = one.served[6];
        lifetime = one.lifetime[0];
    }
    EXPECT_GT(share, 0.59); // all but what the private caches serve
    // Nothing else fills the cache then: a line stays capacity / rate cycles.
    EXPECT_NEAR(lifetime, 20'000 / 10.0, 40);
}

TEST(Serve, MoreLcoresShareOneLastLevel)
{
    Case one;
    one.capacity = 6000;
    one.solve();
    const double alone = one.served[6];
    one.lcores = 4; // all touch the same lines: they come back sooner, and no more of them fit
    one.solve();
    EXPECT_NEAR(one.served[6], alone, 1e-6);
}

TEST(Serve, AVariantOfPrivateLevelsIsPricedAsThatMachineIs)
{
    const std::array<bool, 1> no{false};
    const double lines = 10'000, one = 1, base = 50, near = 2, last = 10, memory = 100, nothing = 0;
    const std::int32_t none = -1;
    const std::array<double, 3> room{20'000, 20'000, 20'000}, brought{0.1, 0.1, 0.1};
    const Private first{500, 8}, small{2000, 8}, large{4000, 8};
    const auto costs = [&](const std::vector<Private> &nearer) {
        std::array<double, 3> served{}, cost{};
        double lifetime = 0;
        serve({1, 1, no.data(), no.data(), &lines, &lines, &one, &one, &one, &near, &last, &memory,
               &one, &base},
              Asked{&none, 0, &nothing, &one, &nothing},
              Caches{nearer.size() / 2, nearer, 1, room.data(), brought.data()}, served.data(),
              &lifetime, cost.data());
        return cost;
    };
    const auto all = costs({first, large, first, small, first, large});
    EXPECT_NEAR(all[1], costs({first, small})[0], 1e-9);
    EXPECT_NEAR(all[2], all[0], 1e-9);
    EXPECT_GT(all[1], all[0]);
}

} // namespace
