// SPDX-License-Identifier: Apache-2.0
//
// Opening and closing, also when something is missing half-way: whatever was made has to go again,
// or the next opening finds its names taken and its memory used up.
#include <gtest/gtest.h>

#include <array>
#include <string>

extern "C" {
#include "../config.h"
}
#include "inline_functions.h"

namespace
{

struct config small()
{
    struct config config;
    config_defaults(&config);
    config.acl_rules = config.routes = config.flows = config.active_flows = 64;
    config.mbufs = 4096;
    config.lcores.cpu[0] = 0;
    return config;
}

std::string trial(const struct config &config, test_counts &counts)
{
    std::array<char, 512> error{};
    const bool fine = test_trial(&config, 10'000, 20, &counts, error.data(), error.size());
    EXPECT_EQ(fine, error[0] == '\0');
    return error.data();
}

void expect_fine()
{
    test_counts counts{};
    EXPECT_EQ(trial(small(), counts), "");
    EXPECT_TRUE(counts.conserved);
    EXPECT_GE(counts.in, 10'000U);
    EXPECT_EQ(counts.out, counts.in);
}

} // namespace

TEST(Dataplane, OpensAgainAndAgain)
{
    for (int i = 0; i < 5; i++)
        expect_fine();
}

TEST(Dataplane, OpensAfterAnOpeningThatFailed)
{
    test_counts counts{};
    struct config config = small();
    config.flows = 1 << 24;
    EXPECT_EQ(trial(config, counts), "no memory for a flow table of 16777216 entries");
    expect_fine();
    config = small();
    config.flows = 1'100'000; // the flow table fits, the actions don't
    EXPECT_EQ(trial(config, counts), "no memory for the flow actions of 1100000 flows");
    expect_fine();
    config = small();
    config.tbl8_groups = 1 << 18;
    EXPECT_EQ(trial(config, counts), "no memory for 64 routes");
    expect_fine();
    config = small();
    config.mbufs = 1 << 20;
    EXPECT_EQ(trial(config, counts),
              "no memory on socket 0 for the 1048576 packet buffers of an lcore");
    expect_fine();
    config = small();
    config.rx_ring = 8192; // the pool has not enough for it
    EXPECT_EQ(trial(config, counts),
              "no memory on socket 0 for the 4096 packet buffers of an lcore");
    expect_fine();
}

TEST(Dataplane, ASharedOrTinyTableStillHasEveryFlow)
{
    for (const uint32_t flows : {1U, 2U, 7U, 8U, 9U, 100U, 1000U, 4097U}) {
        struct config config = small();
        config.flows = config.active_flows = flows;
        config.acl_rules = 1 + flows / 3;
        config.routes = 2 + flows / 5;
        test_counts counts{};
        ASSERT_EQ(trial(config, counts), "");
        EXPECT_EQ(counts.out, counts.in) << flows;
    }
}

TEST(Dataplane, TheLibrarysFlowTableForwardsAsOursDoes)
{
    struct config config = small();
    config.flow_table = FLOW_TABLE_RTE_HASH;
    test_counts counts{};
    ASSERT_EQ(trial(config, counts), "");
    EXPECT_EQ(counts.out, counts.in);
    expect_fine();
}
