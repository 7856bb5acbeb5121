#include "models.hpp"
#include "pcie.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Model flooded()
{
    Model model = one_core(ArrivalKind::poisson, 1e8, 0, 10); // 100 Mpps either way
    model.cores[0].tasks[0].output.kind = OutputKind::port;
    model.cores[0].tasks[0].output.to = "port";
    model.nics.push_back({"nic", 0, 0, 512, 0, 0, {}});
    model.ports[0].nic = "nic";
    model.run.duration_ns = 1e6;
    return model;
}

} // namespace

TEST(Limits, TheWire)
{
    Model model = flooded();
    model.ports[0].line_rate_bps = 10e9;
    Results results = simulate(model);
    EXPECT_LE(results.throughput_pps.value, 10e9 / (84 * 8) + 1e3);
    EXPECT_NEAR(results.throughput_pps.value, 14.88e6, 0.01e6);
    EXPECT_NEAR(results.throughput_bps.value, 14.88e6 * 64 * 8, 1e7);
    EXPECT_LE(results.offered_pps.value, 14.89e6);
}

TEST(Limits, TheCardReceiving)
{
    Model model = flooded();
    model.nics[0].rx_limit_pps = 7e6;
    Results results = simulate(model);
    EXPECT_NEAR(static_cast<double>(results.forwarded), 7000, 30);
    EXPECT_NEAR(static_cast<double>(dropped_by(results, "nic")), 93000, 1500);
}

TEST(Limits, ThePortReceiving)
{
    Model model = flooded();
    model.ports[0].rx_limit_pps = 6e6;
    EXPECT_NEAR(static_cast<double>(simulate(model).forwarded), 6000, 30);
}

TEST(Limits, TheCardAndThePortSending)
{
    Model model = flooded();
    model.nics[0].tx_limit_pps = 5e6;
    EXPECT_NEAR(static_cast<double>(simulate(model).forwarded), 5000, 2);
    model.ports[0].tx_limit_pps = 4e6;
    EXPECT_NEAR(static_cast<double>(simulate(model).forwarded), 4000, 2);
}

TEST(Limits, TheLinkToMemory)
{
    Model model = flooded();
    model.nics[0].pcie.raw_bps = 10e9;
    double most = 1 / pcie_times(model.nics[0].pcie, 64).receive;
    EXPECT_LE(simulate(model).throughput_pps.value, most * 1.001);
    EXPECT_GE(static_cast<double>(simulate(model).forwarded), most * 0.98 * 1e-3);
}

TEST(Limits, TwoPortsShareACard)
{
    Model model = flooded();
    model.ports.push_back(plain_port("second"));
    model.ports[1].nic = "nic";
    model.sources.push_back(plain_source("second", ArrivalKind::poisson, 1e8));
    model.cores.push_back(plain_core("other", {InputKind::port, "second", 0}, 0, 10));
    model.nics[0].rx_limit_pps = 8e6;
    Results results = simulate(model);
    EXPECT_NEAR(static_cast<double>(results.forwarded), 8000, 30);
    EXPECT_NEAR(static_cast<double>(results.cores[0].tasks[0].packets), 4000, 300);
}

TEST(Limits, FixedLatenciesOfTheCard)
{
    Model model = one_core(ArrivalKind::constant, 1e5, 0, 100);
    model.cores[0].tasks[0].empty_poll_cycles = 1e-3;
    model.cores[0].tasks[0].output.kind = OutputKind::port;
    model.cores[0].tasks[0].output.to = "port";
    model.nics.push_back({"nic", 0, 0, 512, 1500, 700, {}});
    model.ports[0].nic = "nic";
    Results results = simulate(model);
    EXPECT_EQ(results.latency.min(), 2300U);
    EXPECT_LE(results.latency.max(), 2301U); // a poll's picosecond
}

} // namespace planecast::sim
