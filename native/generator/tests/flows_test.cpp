// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

extern "C" {
#include "flows.h"
}

namespace
{

std::vector<uint32_t> drawn(uint32_t order, uint32_t flows, double exponent, uint32_t count)
{
    static stream_config config;
    config = {};
    config.order = order;
    config.flows = flows;
    config.zipf = exponent;
    config.seed = 1;
    struct flows source;
    EXPECT_TRUE(flows_open(&source, &config));
    std::vector<uint32_t> all(count);
    uint32_t pieces[] = {1, 32, 7, 256};
    for (uint32_t at = 0, turn = 0; at < count; turn++) {
        const uint32_t piece = std::min(pieces[turn % 4], count - at);
        flows_take(&source, all.data() + at, piece);
        at += piece;
    }
    flows_close(&source);
    return all;
}

// Pearson's chi-squared against these shares, in standard deviations of its distribution.
double surprise(const std::vector<uint32_t> &all, const std::vector<double> &shares)
{
    std::vector<double> came(shares.size());
    for (const uint32_t flow : all)
        came.at(flow)++;
    double sum = 0;
    for (size_t k = 0; k < shares.size(); k++) {
        const double expected = shares[k] * static_cast<double>(all.size());
        sum += (came[k] - expected) * (came[k] - expected) / expected;
    }
    const double freedom = static_cast<double>(shares.size()) - 1;
    return freedom > 0 ? (sum - freedom) / std::sqrt(2 * freedom) : 0;
}

} // namespace

TEST(Flows, StepsGoRound)
{
    for (const uint32_t flows : {1U, 2U, 31U, 32U, 62500U}) {
        const auto all = drawn(FLOWS_STEP, flows, 0, 200'000);
        for (size_t i = 0; i < all.size(); i++)
            ASSERT_EQ(all[i], i % flows);
    }
}

TEST(Flows, RandomIsUniform)
{
    for (const uint32_t flows : {1U, 3U, 1000U}) {
        const std::vector<double> shares(flows, 1.0 / flows);
        EXPECT_LT(std::abs(surprise(drawn(FLOWS_RANDOM, flows, 0, 1'000'000), shares)), 5);
    }
}

TEST(Flows, ZipfHasItsLaw)
{
    for (const uint32_t flows : {1U, 2U, 100U, 1000U}) {
        for (const double exponent : {0.0, 0.8, 1.0, 2.0}) {
            std::vector<double> shares(flows);
            double sum = 0;
            for (uint32_t k = 0; k < flows; k++)
                sum += shares[k] = std::pow(k + 1.0, -exponent);
            for (auto &share : shares)
                share /= sum;
            EXPECT_LT(std::abs(surprise(drawn(FLOWS_ZIPF, flows, exponent, 2'000'000), shares)), 6)
                << flows << " flows, s = " << exponent;
        }
    }
}
