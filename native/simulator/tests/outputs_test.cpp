#include "models.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Model to_port(double rate_pps, double cycles)
{
    Model model = one_core(ArrivalKind::constant, rate_pps, 0, cycles);
    model.cores[0].tasks[0].output.kind = OutputKind::port;
    model.cores[0].tasks[0].output.to = "port";
    model.run.duration_ns = 1e6;
    return model;
}

} // namespace

TEST(Outputs, AFullTransmitRingDropsOrWaits)
{
    Model model = to_port(1e7, 50);
    model.ports.push_back(plain_port("slow"));
    model.ports[1].line_rate_bps = 64.0 * 8 * 4e6;
    model.ports[1].overhead_bytes = 0; // 4 Mpps
    model.ports[1].tx_ring = 64;
    model.cores[0].tasks[0].output.to = "slow";
    Results dropping = simulate(model);
    EXPECT_NEAR(dropping.throughput_pps.value, 4e6, 1e4);
    EXPECT_GT(dropped_by(dropping, "tx_ring"), 5000U);
    model.cores[0].tasks[0].output.when_full = WhenFull::wait;
    Results waiting = simulate(model);
    EXPECT_NEAR(waiting.throughput_pps.value, 4e6, 1e4);
    EXPECT_EQ(dropped_by(waiting, "tx_ring"), 0U);
    EXPECT_GT(dropped_by(waiting, "rx_ring"), 4000U);
    EXPECT_GT(waiting.cores[0].waiting, 0.5);
}

TEST(Outputs, TheDrainTimerFlushes)
{
    Model model = to_port(1e5, 50); // a packet every 10 µs
    model.cores[0].tasks[0].output.buffer_packets = 32;
    model.cores[0].tasks[0].output.drain_ns = 100000;
    Results results = simulate(model);
    EXPECT_EQ(results.dropped, 0U);
    EXPECT_GT(results.latency.max(), 90000U);
    EXPECT_LT(results.latency.max(), 101000U);
    model.cores[0].tasks[0].output.buffer_packets = 4; // four packets are sooner than the timer
    EXPECT_LT(simulate(model).latency.max(), 31000U);
}

TEST(Outputs, SeriesAndTraceAreWhole)
{
    Model model = to_port(1e6, 100);
    model.run.series_interval_ns = 1e5;
    model.run.trace_events = 50;
    Results results = simulate(model);
    ASSERT_EQ(results.series.size(), 10U);
    std::uint64_t forwarded = 0;
    for (const Sample &sample : results.series) {
        forwarded += sample.forwarded;
        EXPECT_NEAR(sample.busy.at(0), 0.1, 0.002);
    }
    EXPECT_EQ(forwarded, results.forwarded);
    EXPECT_EQ(std::count(results.trace_json.begin(), results.trace_json.end(), '\n'), 50 + 2 + 2);
    EXPECT_GT(results.trace_left_out, 1000U);
    EXPECT_NE(results.trace_json.find("\"ph\":\"X\""), std::string::npos);
}

TEST(Outputs, DropsByCauseWithTheirCost)
{
    Model model = to_port(1e6, 100);
    model.run.duration_ns = 1e8;
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.drops = {{"acl", 0.1, 1000}, {"flow_miss", 0.5, 0}};
    Stage second = plain_stage(0, 10);
    second.name = "second";
    model.cores[0].tasks[0].stages.push_back(second);
    Results results = simulate(model);
    EXPECT_NEAR(static_cast<double>(dropped_by(results, "acl")), 1e4, 400);
    EXPECT_NEAR(static_cast<double>(dropped_by(results, "flow_miss")), 4.5e4, 800);
    EXPECT_NEAR(results.cores[0].busy, 0.1 + 0.1 + 0.0045, 0.005);
    EXPECT_EQ(results.cores[0].tasks[0].stages[1].packets, results.forwarded);
}

TEST(Outputs, PolicerLetsItsRateThrough)
{
    Model model = to_port(1e6, 100);
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.policer_rate = 3e5 * 46; // of 64 bytes
    stage.policer_burst = 32 * 46;
    stage.policer_header_bytes = 18;
    model.run.duration_ns = 1e8;
    Results results = simulate(model);
    EXPECT_NEAR(static_cast<double>(results.forwarded), 3e4 + 32, 3);
    EXPECT_EQ(dropped_by(results, "policer") + results.forwarded + results.in_flight,
              results.offered);
}

TEST(Outputs, EveryMeterHasARateOfItsOwn)
{
    Model model = to_port(1e6, 100);
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.policer_meters = 1000; // each gets a thousand packets a second
    stage.policer_rate = 500 * 64;
    stage.policer_burst = 10 * 64;
    model.run.duration_ns = 1e9;
    Results half = simulate(model);
    // Some meters run dry early and late, so a little less than each one's rate and burst.
    EXPECT_LE(half.forwarded, 1000U * 510U);
    EXPECT_GE(half.forwarded, 1000U * 500U);
    stage.policer_rate = 1500 * 64; // a meter that is seldom empty lets nearly all through
    Results all = simulate(model);
    EXPECT_LT(dropped_by(all, "policer"), all.offered / 1000);
    stage.policer_burst = 63; // less than a frame
    EXPECT_EQ(simulate(model).forwarded, 0U);
}

TEST(Outputs, NewFlowsCost)
{
    Model model = to_port(1e6, 100);
    model.run.duration_ns = 1e8;
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.new_flow_cycles = 1000;
    model.sources[0].classes[0].new_flows_per_second = 1e5;
    Results results = simulate(model);
    // 100 + 100 ns a packet
    EXPECT_NEAR(results.cores[0].busy, 0.2, 0.004);
    EXPECT_NEAR(results.cores[0].tasks[0].stages[0].cycles / 1e5, 200, 4);
}

} // namespace planecast::sim
