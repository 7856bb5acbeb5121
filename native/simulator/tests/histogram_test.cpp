#include "planecast/simulator/histogram.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace planecast::sim
{

TEST(Histogram, SmallValuesAreExact)
{
    Histogram histogram(3);
    for (std::uint64_t value : {0, 1, 999, 2047}) {
        histogram.record(value);
    }
    auto bars = histogram.bars();
    ASSERT_EQ(bars.size(), 4U);
    EXPECT_EQ(bars[2].low, 999U);
    EXPECT_EQ(bars[2].high, 999U);
    EXPECT_EQ(histogram.min(), 0U);
    EXPECT_EQ(histogram.max(), 2047U);
}

TEST(Histogram, LargeValuesKeepTheirDigits)
{
    for (unsigned digits : {1U, 2U, 3U, 4U}) {
        for (std::uint64_t value = 1; value < (std::uint64_t{1} << 52); value = value * 3 + 1) {
            Histogram histogram(digits);
            histogram.record(value);
            auto bar = histogram.bars().at(0);
            EXPECT_LE(bar.low, value);
            EXPECT_GE(bar.high, value);
            EXPECT_LE(static_cast<double>(bar.high - bar.low),
                      static_cast<double>(value) * std::pow(10.0, -static_cast<double>(digits)));
        }
    }
}

TEST(Histogram, TwoStepsCountWhereOneDoes)
{
    for (unsigned digits : {1U, 3U}) {
        Histogram one(digits);
        Histogram two(digits);
        for (std::uint64_t value = 0; value < (std::uint64_t{1} << 52); value += value / 7 + 1) {
            one.record(value);
            const std::uint64_t place = two.place(value);
            two.record_at(&place, 1);
        }
        const auto expected = one.bars();
        const auto found = two.bars();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].low, expected[i].low);
            EXPECT_EQ(found[i].count, expected[i].count);
        }
    }
}

TEST(Histogram, PercentilesOfAThousand)
{
    Histogram histogram(3);
    for (std::uint64_t value = 1; value <= 1000; ++value) {
        histogram.record(value);
    }
    EXPECT_EQ(histogram.percentile(50), 500U);
    EXPECT_EQ(histogram.percentile(99), 990U);
    EXPECT_EQ(histogram.percentile(100), 1000U);
    EXPECT_EQ(histogram.percentile(0), 1U);
    EXPECT_NEAR(histogram.mean(), 500.5, 0.51);
    EXPECT_EQ(Histogram(3).percentile(50), 0U);
}

TEST(Histogram, Adds)
{
    Histogram a(2);
    Histogram b(2);
    a.record(10);
    b.record(10);
    b.record(70000);
    a.add(b);
    EXPECT_EQ(a.total(), 3U);
    EXPECT_EQ(a.bars().at(0).count, 2U);
    a.clear();
    EXPECT_EQ(a.total(), 0U);
}

} // namespace planecast::sim
