// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "inline_functions.h"

namespace
{

std::vector<uint8_t> pattern_of(const std::vector<uint32_t> &weights)
{
    std::vector<uint8_t> pattern(4096);
    pattern.resize(
        test_pattern(weights.data(), static_cast<uint32_t>(weights.size()), pattern.data()));
    return pattern;
}

} // namespace

TEST(Sizes, ImixIsSevenFourOneAndSpread)
{
    EXPECT_EQ(pattern_of({7, 4, 1}), pattern_of({14, 8, 2}));
    const auto imix = pattern_of({7, 4, 1});
    ASSERT_EQ(imix.size(), 12U);
    EXPECT_EQ(std::count(imix.begin(), imix.end(), 0), 7);
    EXPECT_EQ(std::count(imix.begin(), imix.end(), 1), 4);
    EXPECT_EQ(std::count(imix.begin(), imix.end(), 2), 1);
}

TEST(Sizes, EveryPrefixIsWithinOnePacketOfItsShare)
{
    std::mt19937 random(1);
    for (int turn = 0; turn < 200; turn++) {
        std::vector<uint32_t> weights(1 + random() % 16);
        for (auto &weight : weights)
            weight = 1 + random() % 250;
        const uint32_t sum = std::accumulate(weights.begin(), weights.end(), 0U);
        const auto pattern = pattern_of(weights);
        ASSERT_EQ(sum % pattern.size(), 0U);
        std::vector<double> came(weights.size());
        for (size_t i = 0; i < pattern.size(); i++) {
            came[pattern[i]]++;
            for (size_t k = 0; k < weights.size(); k++) {
                const double share = static_cast<double>(weights[k]) / sum;
                // The bound of this method grows with the number of sizes.
                ASSERT_NEAR(came[k], share * static_cast<double>(i + 1),
                            static_cast<double>(weights.size()));
            }
        }
        for (size_t k = 0; k < weights.size(); k++)
            EXPECT_EQ(came[k] * sum, static_cast<double>(weights[k]) * pattern.size());
    }
}
