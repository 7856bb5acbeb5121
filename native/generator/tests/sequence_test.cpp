// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

extern "C" {
#include "sequence.h"
}
#include "inline_functions.h"

namespace
{

// The same, by the definitions alone.
struct Model {
    std::set<uint64_t> came;
    uint64_t next = 0, reordered = 0, duplicates = 0, too_late = 0, extent = 0;

    void see(uint64_t number)
    {
        const uint64_t behind = number < next ? next - 1 - number : 0;
        if (number < next && behind > SEQUENCE_WINDOW - 64) {
            too_late++;
        } else if (!came.insert(number).second) {
            duplicates++;
        } else if (number < next) {
            reordered++;
            extent = std::max(extent, behind);
        }
        next = std::max(next, number + 1);
    }
};

void expect_same(const std::vector<uint64_t> &numbers)
{
    const auto ours = std::make_unique<sequence>();
    Model model;
    for (const uint64_t number : numbers) {
        test_sequence_see(ours.get(), number);
        model.see(number);
    }
    EXPECT_EQ(ours->next, model.next);
    EXPECT_EQ(ours->unique, model.came.size());
    EXPECT_EQ(ours->reordered, model.reordered);
    EXPECT_EQ(ours->duplicates, model.duplicates);
    EXPECT_EQ(ours->too_late, model.too_late);
    EXPECT_EQ(ours->extent, model.extent);
}

} // namespace

TEST(Sequence, KnownOrders)
{
    expect_same({});
    expect_same({0, 1, 2, 3});
    expect_same({5});
    expect_same({0, 0, 0});
    expect_same({0, 2, 1, 3, 1, 2});
    expect_same({3, 2, 1, 0});
    expect_same({0, 200'000, 199'999, 134'528, 134'527, 134'463, 0});
}

TEST(Sequence, LostReorderedAndDoubledAtRandom)
{
    std::mt19937_64 random(1);
    for (int turn = 0; turn < 60; turn++) {
        const uint64_t distance = 1ULL << random() % 18;
        const uint64_t lost = random() % 50, doubled = random() % 20, start = random() % 100'000;
        std::vector<std::pair<uint64_t, uint64_t>> arrivals; // when, which
        uint64_t number = start;
        for (int i = 0; i < 20'000; i++, number++) {
            if (random() % 100 < lost)
                continue;
            if (random() % 1000 == 0)
                number += random() % 100'000; // a long gap
            const uint64_t late = random() % 10 == 0 ? random() % distance : 0;
            arrivals.emplace_back(number + late, number);
            if (random() % 100 < doubled)
                arrivals.emplace_back(number + random() % distance, number);
        }
        std::stable_sort(arrivals.begin(), arrivals.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<uint64_t> numbers;
        for (const auto &arrival : arrivals)
            numbers.push_back(arrival.second);
        expect_same(numbers);
    }
}

TEST(Sequence, LowerHalvesAreCompleted)
{
    const auto ours = std::make_unique<sequence>();
    EXPECT_EQ(test_sequence_whole(ours.get(), 7), 7U);
    EXPECT_EQ(test_sequence_whole(ours.get(), 0xFFFFFFFF), 0xFFFFFFFFU);
    for (const uint64_t highest : {100ULL, 0xFFFFFFF0ULL, 0x1'0000'0005ULL, 0x5'8000'0000ULL}) {
        ours->next = highest + 1;
        for (const int64_t away : {-100LL, -1LL, 0LL, 1LL, 1'000'000LL}) {
            const auto number = static_cast<uint64_t>(static_cast<int64_t>(highest) + away);
            EXPECT_EQ(test_sequence_whole(ours.get(), static_cast<uint32_t>(number)), number);
        }
    }
}

// Runs with losses, repetitions and steps back between them, seen at once and one by one.
TEST(Sequence, ARunIsItsNumbers)
{
    std::mt19937_64 random(3);
    const auto at_once = std::make_unique<sequence>(), one_by_one = std::make_unique<sequence>();
    uint64_t first = 0;
    for (int i = 0; i < 20'000; i++) {
        const auto count = static_cast<uint32_t>(random() % 300);
        test_sequence_see_run(at_once.get(), first, count);
        for (uint32_t k = 0; k < count; k++)
            test_sequence_see(one_by_one.get(), first + k);
        const uint64_t behind = random() % 8 == 0 ? random() % 1000 : 0;
        const uint64_t ahead = random() % 16 == 0 ? random() % 200'000 : 0;
        first = first + count + ahead - std::min(behind, first + count + ahead);
    }
    EXPECT_EQ(0, std::memcmp(at_once.get(), one_by_one.get(), sizeof(sequence)));
    EXPECT_GT(at_once->duplicates, 0U);
    EXPECT_GT(at_once->reordered, 0U);
}
