// SPDX-License-Identifier: Apache-2.0
//
// Meters and their counters where two lcores have packets of the same flows: no packet is lost to
// the counters, and both together keep to the configured rate.
#include <gtest/gtest.h>
#include <rte_cycles.h>

#include <array>

extern "C" {
#include "../config.h"
}
#include "inline_functions.h"

namespace
{

constexpr uint64_t window_packets = 400'000; // of each lcore
constexpr uint64_t packet_bytes = 38;        // IPv4 in a frame of 64 bytes with FCS and two tags

// One flow of one class: every packet is counted in the same line.
struct config one_flow_on_two_lcores()
{
    struct config config;
    std::array<char, 256> error{};
    config_defaults(&config);
    EXPECT_TRUE(pipeline_parse(&functions[FUNCTION_VPE_UPSTREAM], "key,actions", &config.pipeline,
                               error.data(), error.size()));
    config.acl_rules = config.routes = config.flows = 64;
    config.active_flows = 1;
    config.dscp.count = 1;
    config.dscp.value[0] = 0;
    config.mbufs = 4096;
    config.lcores.count = 2;
    config.lcores.cpu[0] = 0;
    config.lcores.cpu[1] = 1;
    return config;
}

test_counts forward(const struct config &config)
{
    std::array<char, 512> error{};
    test_counts counts{};
    EXPECT_TRUE(test_trial(&config, window_packets, 60, &counts, error.data(), error.size()))
        << error.data();
    EXPECT_TRUE(counts.conserved);
    EXPECT_GE(counts.in, 2 * window_packets);
    return counts;
}

} // namespace

TEST(Actions, NoPacketOfTwoLcoresIsLostToTheCounters)
{
    const test_counts counts = forward(one_flow_on_two_lcores());
    EXPECT_EQ(counts.metered[0] + counts.metered[1] + counts.metered[2], counts.in);
    EXPECT_EQ(counts.drops[DROP_POLICER], counts.metered[2]);
}

// Green and yellow bytes are at most the burst and what the rate brings in the time that it took
// (RFC 2698), and what the burst allows is used.
TEST(Actions, TwoLcoresTogetherKeepToTheRate)
{
    struct config config = one_flow_on_two_lcores();
    config.meter_rate = 100'000;
    config.meter_burst = 1'000'000;
    const uint64_t start = rte_get_tsc_cycles();
    const test_counts counts = forward(config);
    const double seconds =
        static_cast<double>(rte_get_tsc_cycles() - start) / static_cast<double>(rte_get_tsc_hz());
    const uint64_t passed = (counts.metered[0] + counts.metered[1]) * packet_bytes;
    const auto burst = static_cast<double>(config.meter_burst);
    EXPECT_LE(static_cast<double>(passed),
              burst + seconds * static_cast<double>(config.meter_rate));
    EXPECT_GE(static_cast<double>(passed), 0.99 * burst);
    EXPECT_EQ(counts.drops[DROP_POLICER], counts.metered[2]);
    EXPECT_GT(counts.metered[2], 0U);
}
