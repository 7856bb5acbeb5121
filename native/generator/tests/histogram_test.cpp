// SPDX-License-Identifier: Apache-2.0
//
// Decoding is tested where HdrHistogram itself is: tests/generator/test_answers.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "histogram.h"
}

TEST(Histogram, PercentilesAreWithinAThousandth)
{
    const auto ours = std::make_unique<histogram>();
    histogram_clear(ours.get());
    EXPECT_EQ(histogram_percentile(ours.get(), 50), 0U);
    std::mt19937_64 random(1);
    std::vector<uint64_t> values;
    for (int i = 0; i < 100'000; i++)
        values.push_back((random() >> random() % 36) % HISTOGRAM_MAX);
    uint64_t sum = 0;
    for (const uint64_t value : values) {
        histogram_add(ours.get(), value);
        sum += value;
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(ours->count, values.size());
    EXPECT_EQ(ours->sum, sum);
    EXPECT_EQ(ours->min, values.front());
    EXPECT_EQ(ours->max, values.back());
    for (const double percent : {0.1, 1.0, 25.0, 50.0, 99.0, 99.9, 100.0}) {
        const auto rank = static_cast<size_t>(percent / 100 * 100'000 + 0.5);
        const uint64_t exact = values[std::max<size_t>(rank, 1) - 1];
        const uint64_t reported = histogram_percentile(ours.get(), percent);
        EXPECT_GE(reported, exact);
        EXPECT_LE(static_cast<double>(reported), static_cast<double>(exact) * 1.001 + 1);
    }
}

TEST(Histogram, SmallValuesAreExactAndLargeOnesCapped)
{
    const auto ours = std::make_unique<histogram>();
    for (const uint64_t value : {0ULL, 1ULL, 2047ULL}) {
        histogram_clear(ours.get());
        histogram_add(ours.get(), value);
        EXPECT_EQ(histogram_percentile(ours.get(), 100), value);
    }
    histogram_clear(ours.get());
    histogram_add(ours.get(), UINT64_MAX);
    EXPECT_EQ(ours->max, HISTOGRAM_MAX);
    EXPECT_EQ(ours->counts[HISTOGRAM_BUCKETS - 1], 1U);
}

TEST(Histogram, AColumnOfAgesIsItsValues)
{
    std::mt19937_64 random(2);
    const auto column = std::make_unique<histogram>(), single = std::make_unique<histogram>();
    histogram_clear(column.get());
    histogram_clear(single.get());
    for (int i = 0; i < 1000; i++) {
        std::vector<uint64_t> times(random() % 40);
        const uint64_t now = UINT64_C(1) << 40;
        for (uint64_t &time : times)
            time = now - (random() >> (20 + random() % 44));
        for (const uint64_t time : times)
            histogram_add(single.get(), now - time);
        histogram_add_ages(column.get(), now, times.data(), static_cast<uint32_t>(times.size()));
    }
    EXPECT_EQ(single->max, HISTOGRAM_MAX); // some had to be capped
    EXPECT_EQ(0, std::memcmp(column.get(), single.get(), sizeof(histogram)));
}
