// Hit shares against cases that can be worked out by hand.
#include "residents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

using planecast::closedform::hit_shares;
using planecast::closedform::kForEver;
using planecast::closedform::Residents;

namespace
{

// A uniform and a cyclic region, touched once a packet each, in caches of these sizes.
struct Case {
    std::vector<double> capacity;
    double uniform_lines = 1000, cyclic_lines = 0;
    std::vector<double> time, shares;

    void solve()
    {
        const std::size_t count = capacity.size();
        const std::array<bool, 2> cyclic{false, true};
        std::vector<double> lines(2 * count), touches(2 * count), rates(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            lines[i] = uniform_lines;
            lines[count + i] = cyclic_lines;
            touches[i] = uniform_lines > 0 ? 1 : 0;
            touches[count + i] = cyclic_lines > 0 ? 1 : 0;
            rates[i] = uniform_lines > 0 ? 1 / uniform_lines : 0;
            rates[count + i] = cyclic_lines > 0 ? 1 / cyclic_lines : 0;
        }
        const std::unique_ptr<bool[]> out(new bool[2 * count]());
        time.resize(count);
        shares.assign(2 * count, -1);
        hit_shares({2, count, cyclic.data(), lines.data(), touches.data(), rates.data(), out.get(),
                    capacity.data()},
                   time.data(), shares.data());
    }
};

TEST(HitShares, OneUniformRegionIsServedAsFarAsItFits)
{
    Case one;
    for (int i = 1; i <= 100; ++i)
        one.capacity.push_back(12 * i);
    one.solve();
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_NEAR(one.shares[i], std::min(one.capacity[i] / 1000, 1.0), 1e-9) << i;
    EXPECT_EQ(one.time[99], kForEver);
}

TEST(HitShares, NextToNothingIsMissingFromACacheThatIsNextToLargeEnough)
{
    Case one;
    one.capacity = {1000 * (1 - 1e-6), 1000};
    one.solve();
    EXPECT_NEAR(one.shares[0], 1 - 1e-6, 1e-12);
    EXPECT_EQ(one.shares[1], 1);
}

TEST(HitShares, ACycleIsHeldForAsLongAsTheCacheHasLines)
{
    Case one;
    one.uniform_lines = 0;
    one.cyclic_lines = 1000;
    one.capacity = {500};
    one.solve();
    EXPECT_NEAR(one.time[0], 500, 1e-6); // a line comes with every packet
    EXPECT_NEAR(one.shares[1], 1 - std::exp(-std::pow(0.5, 4)), 1e-12);
}

TEST(HitShares, TheLinesHeldFillTheCache)
{
    Case one;
    one.cyclic_lines = 3000;
    one.capacity = {1, 100, 1500, 3500, 3999};
    one.solve();
    for (std::size_t i = 0; i < one.capacity.size(); ++i) {
        const double held =
            1000 * (1 - std::exp(-one.time[i] / 1000)) + std::min(one.time[i], 3000.0);
        EXPECT_NEAR(held / one.capacity[i], 1, 1e-9) << i;
    }
}

TEST(HitShares, AGuessFromBelowChangesNothing)
{
    Case one;
    one.cyclic_lines = 3000;
    one.capacity = {1500, 3500};
    one.solve();
    const auto times = one.time;
    one.capacity = {1400, 3400};
    one.solve();
    one.capacity = {1500, 3500};
    one.solve(); // from the times of the smaller caches
    EXPECT_NEAR(one.time[0], times[0], 1e-9 * times[0]);
    EXPECT_NEAR(one.time[1], times[1], 1e-9 * times[1]);
}

} // namespace
