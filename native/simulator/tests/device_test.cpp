#include "models.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Model with_device(double device_ns, double latency_ns)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, 100);
    model.accelerators.push_back(
        {"crypto", 1, {DistributionKind::constant, device_ns, 0}, latency_ns, 64});
    model.run.duration_ns = 1e6;
    return model;
}

} // namespace

TEST(Device, TheCoreWaitsForASynchronousOne)
{
    Model model = with_device(200, 300);
    model.cores[0].tasks[0].stages[0].accelerator = "crypto";
    Results results = simulate(model);
    EXPECT_NEAR(results.cores[0].busy, 0.1, 0.001);
    EXPECT_NEAR(results.cores[0].waiting, 0.5, 0.001);
    EXPECT_GE(results.latency.min(), 600U);
}

TEST(Device, LookAsideOverlaps)
{
    Model model = with_device(200, 3000);
    model.cores[0].tasks[0].output.kind = OutputKind::accelerator;
    model.cores[0].tasks[0].output.to = "crypto";
    Task back = model.cores[0].tasks[0];
    back.name = "back";
    back.input = {InputKind::accelerator, "crypto", 0};
    back.output = {};
    model.cores[0].tasks.push_back(back);
    Results results = simulate(model);
    EXPECT_EQ(results.dropped, 0U);
    EXPECT_LT(results.cores[0].waiting, 1e-9);
    EXPECT_NEAR(results.cores[0].busy, 0.2, 0.005);
    EXPECT_GE(results.latency.min(), 3400U);
    EXPECT_LE(results.latency.max(), 3600U);
    model.accelerators[0].packet_ns.mean = 2000; // half the rate
    results = simulate(model);
    EXPECT_NEAR(results.throughput_pps.value, 5e5, 2e4);
    EXPECT_GT(dropped_by(results, "accelerator"), 300U);
}

TEST(Device, ServersWorkInParallel)
{
    Model model = with_device(4000, 0);
    model.accelerators[0].servers = 8;
    model.cores[0].tasks[0].output.kind = OutputKind::accelerator;
    model.cores[0].tasks[0].output.to = "crypto";
    model.cores.push_back(plain_core("back", {InputKind::accelerator, "crypto", 0}, 0, 10));
    EXPECT_EQ(simulate(model).dropped, 0U);
}

} // namespace planecast::sim
