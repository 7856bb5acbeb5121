// Lifetimes and hit shares against cases that can be worked out by hand, and a cache simulated line
// by line.
#include "cache_sharing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using planecast::model::CacheSharing;
using planecast::model::kForEver;
using planecast::model::kLanes;
using planecast::model::Lane;

namespace
{

// A uniform and a cyclic region, touched once a packet each.
struct Case {
    double uniform_lines = 1000, cyclic_lines = 0, inserted = 0, takes = 1;
    std::array<double, 2> crowding{1, 1};
    unsigned shape = 16;
    Lane time{}, uniform{}, cyclic{};

    void solve(double capacity)
    {
        static const std::array<bool, 2> kinds{false, true};
        CacheSharing sharing(2, kinds.data());
        sharing.shape = shape;
        sharing.inserted.fill(inserted);
        sharing.takes.fill(takes);
        sharing.passing = takes < 1 ? 1 : planecast::model::kNone;
        const std::array<double, 2> lines{uniform_lines, cyclic_lines};
        for (std::size_t region = 0; region < 2; ++region) {
            const bool used = lines[region] > 0;
            sharing.lines[region].fill(lines[region]);
            sharing.touches[region].fill(used ? 1 : 0);
            sharing.rates[region].fill(used ? 1 / lines[region] : 0);
            sharing.crowding[region].fill(crowding[region]);
        }
        Lane room;
        room.fill(capacity);
        sharing.find_time(room, time);
        sharing.share(0, time, uniform);
        sharing.share(1, time, cyclic);
    }
};

TEST(CacheSharing, OneUniformRegionIsServedByTheShareThatFits)
{
    for (const unsigned shape : {1U, 8U, 16U}) {
        Case one;
        one.shape = shape;
        for (double capacity = 20; capacity < 1000; capacity += 70) {
            one.solve(capacity);
            EXPECT_NEAR(one.uniform[0], capacity / 1000, 1e-6) << shape << " " << capacity;
        }
        one.solve(1000);
        EXPECT_EQ(one.time[0], kForEver);
        EXPECT_EQ(one.uniform[0], 1);
    }
}

TEST(CacheSharing, ACycleUnderRandomReplacementSolvesItsOwnEquation)
{
    Case one;
    one.uniform_lines = 0;
    one.cyclic_lines = 1000;
    one.shape = 1;
    one.solve(500);
    // Held: T (1 - exp(-P/T)) = C with one touch a packet; served: exp(-P/T).
    const double time = one.time[0];
    EXPECT_NEAR(time * (1 - std::exp(-1000 / time)), 500, 1e-3);
    EXPECT_NEAR(one.cyclic[0], std::exp(-1000 / time), 1e-9);
}

TEST(CacheSharing, MoreWaysComeNearerToTheStepOfLeastRecentlyUsed)
{
    Case one;
    one.uniform_lines = 0;
    one.cyclic_lines = 1000;
    double before = 1;
    for (const unsigned shape : {1U, 4U, 16U, 64U}) {
        one.shape = shape;
        one.solve(700);
        EXPECT_LT(one.cyclic[0], before);
        before = one.cyclic[0];
    }
    EXPECT_LT(before, 0.02);
}

TEST(CacheSharing, WhatOthersBringInEndsALineThatFits)
{
    Case one;
    one.inserted = 2;
    one.shape = 1;
    one.solve(5000);
    // 1000 T/(1000 + T) + 2 T = 5000
    const double time = one.time[0];
    EXPECT_NEAR(1000 * time / (1000 + time) + 2 * time, 5000, 1e-2);
    EXPECT_LT(one.uniform[0], 1);
}

// A set-associative cache, line by line, with hashed sets: the share of the cyclic region's touches
// that it serves, whose lines meet in one of `crowding` sets, and a share of which takes room.
double simulated(std::size_t sets, std::size_t ways, bool random, std::size_t uniform,
                 std::size_t cyclic, std::size_t crowding = 1, double takes = 1)
{
    std::mt19937_64 draw(7), pass(8);
    std::bernoulli_distribution stays(takes);
    std::vector<std::vector<std::uint64_t>> cache(sets);
    const auto hashed = [&](std::uint64_t line) {
        line *= 0x9E3779B97F4A7C15ULL;
        return (line >> 20) % sets;
    };
    std::size_t served = 0, counted = 0;
    const std::size_t packets = 40 * (uniform + cyclic);
    for (std::size_t packet = 0; packet < packets; ++packet) {
        for (const bool cycle : {false, true}) {
            const std::uint64_t line = cycle ? 1'000'000 + packet % cyclic : draw() % uniform;
            auto &set = cache[cycle ? hashed(line) / crowding * crowding : hashed(line)];
            const auto found = std::find(set.begin(), set.end(), line);
            if (cycle && packet > packets / 4) {
                ++counted;
                served += found != set.end() ? 1 : 0;
            }
            if (found != set.end()) {
                if (random)
                    continue;
                set.erase(found);
            } else if (cycle && !stays(pass)) {
                continue;
            } else if (set.size() == ways) {
                set.erase(set.begin() + (random ? static_cast<std::ptrdiff_t>(draw() % ways) : 0));
            }
            set.push_back(line);
        }
    }
    return static_cast<double>(served) / static_cast<double>(counted);
}

TEST(CacheSharing, AgreesWithACacheSimulatedLineByLine)
{
    for (const bool random : {false, true}) {
        Case one;
        one.uniform_lines = 9000;
        one.cyclic_lines = 2500;
        one.shape = random ? 1 : 8;
        one.solve(512 * 8);
        EXPECT_NEAR(one.cyclic[0], simulated(512, 8, random, 9000, 2500), 0.04) << random;
    }
}

// Where lines just fill their sets the law is smoother than a cache of so few.
TEST(CacheSharing, AgreesWithACacheInWhoseSetsLinesCrowd)
{
    for (const bool random : {false, true})
        for (const std::size_t crowding : {2U, 8U, 64U})
            for (const std::size_t lines : {40U, 150U, 1200U}) {
                Case one;
                one.uniform_lines = 9000;
                one.cyclic_lines = static_cast<double>(lines);
                one.crowding[1] = static_cast<double>(crowding);
                one.shape = random ? 1 : 8;
                one.solve(512 * 8);
                EXPECT_NEAR(one.cyclic[0], simulated(512, 8, random, 9000, lines, crowding), 0.06)
                    << random << ' ' << crowding << ' ' << lines;
            }
}

TEST(CacheSharing, AgreesWithACacheThatLetsMostOfAStreamPass)
{
    for (const bool random : {false, true})
        for (const double takes : {0.1, 0.5})
            for (const std::size_t lines : {500U, 2000U, 4000U, 20'000U}) {
                Case one;
                one.uniform_lines = 3000;
                one.cyclic_lines = static_cast<double>(lines);
                one.takes = takes;
                one.shape = random ? 1 : 8;
                one.solve(512 * 8);
                EXPECT_NEAR(one.cyclic[0], simulated(512, 8, random, 3000, lines, 1, takes), 0.07)
                    << random << ' ' << takes << ' ' << lines;
            }
}

TEST(CacheSharing, WhereAllLinesJustFitCrowdedOnesAreServedAsBefore)
{
    for (const unsigned shape : {1U, 8U}) {
        double before = 1;
        for (double uniform = 2400; uniform < 2800; uniform += 10) {
            Case one;
            one.shape = shape;
            one.uniform_lines = uniform;
            one.cyclic_lines = 1500; // of a cache of 4,096 they fit with 2,596 others
            one.crowding[1] = 2;
            one.solve(4096);
            EXPECT_LE(one.cyclic[0], before + 1e-6) << shape << ' ' << uniform;
            EXPECT_LT(uniform > 2400 ? before - one.cyclic[0] : 0, 0.01) << shape << ' ' << uniform;
            before = one.cyclic[0];
        }
        EXPECT_LT(before, 0.9) << shape;
    }
}

TEST(CacheSharing, AnAnswerIsTheSameWhateverIsAskedWithIt)
{
    static const std::array<bool, 3> kinds{false, true, true};
    // Scenarios of all sizes, of which some crowd, and one that is alone in its block.
    const auto fill = [](CacheSharing &sharing, std::size_t lane, double size) {
        const std::array<double, 3> lines{900 * size, 700, 300 * size}, touches{1, 0.5, 0.25};
        for (std::size_t region = 0; region < 3; ++region) {
            sharing.lines[region][lane] = lines[region];
            sharing.touches[region][lane] = touches[region];
            sharing.rates[region][lane] = touches[region] / lines[region];
            sharing.crowding[region][lane] = region == 2 ? 16 : 1;
        }
    };
    const auto answer = [](CacheSharing &sharing, std::size_t lane) {
        Lane room, time{}, share;
        room.fill(2000);
        sharing.shape = 8;
        sharing.find_time(room, time);
        std::array<double, 4> found{time[lane]};
        for (std::size_t region = 0; region < 3; ++region) {
            sharing.share(region, time, share);
            found[region + 1] = share[lane];
        }
        return found;
    };
    const auto size = [](std::size_t lane) { return std::pow(1.7, static_cast<double>(lane)); };
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        CacheSharing together(3, kinds.data()), alone(3, kinds.data());
        for (std::size_t other = 0; other < kLanes; ++other) {
            fill(together, other, size(other));
            fill(alone, other, size(lane));
        }
        EXPECT_EQ(answer(together, lane), answer(alone, lane)) << lane;
    }
}

TEST(CacheSharing, WhereTooFewSetsHoldLinesTheRestOfTheCacheIsNotFilled)
{
    static const std::array<bool, 1> kinds{true};
    CacheSharing sharing(1, kinds.data());
    sharing.shape = 16;
    sharing.lines[0].fill(4000); // of a cache of 2,000, and all of them in a sixteenth of its sets
    sharing.touches[0].fill(1);
    sharing.rates[0].fill(1 / 4000.0);
    sharing.crowding[0].fill(16);
    Lane room, time{}, share;
    room.fill(2000);
    sharing.find_time(room, time);
    sharing.share(0, time, share);
    EXPECT_EQ(time[0], kForEver);
    EXPECT_LT(share[0], 2000 / 16.0 / 4000);
}

} // namespace
