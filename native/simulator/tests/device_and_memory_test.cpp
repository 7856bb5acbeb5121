#include "memory_system.hpp"
#include "models.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Model with_device(double device_ns, double latency_ns)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, 100);
    model.accelerators.push_back(
        {"crypto", 1, {DistributionKind::constant, device_ns, 0, {}, {}}, 0, latency_ns, 64});
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
    model.cores[0].tasks[0].output.to = {"crypto"};
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
    model.cores[0].tasks[0].output.to = {"crypto"};
    model.cores.push_back(plain_core("back", {InputKind::accelerator, "crypto", 0}, 0, 10));
    EXPECT_EQ(simulate(model).dropped, 0U);
}

TEST(Memory, EqualUsersShareEqually)
{
    Memory model;
    model.llc_ways = 10;
    model.way_mib = 2;
    model.llc_latency_ns = 20;
    model.latency_ns = {{0, 80}, {100, 180}};
    Stage stage;
    stage.llc_accesses = 5;
    stage.llc_misses = {{0, 1}, {20, 0}};
    stage.blocking_factor = 0.5;
    std::vector<MemoryUser> users = {{&stage, 0x3ff, 1e7}, {&stage, 0x3ff, 1e7}};
    MemorySystem system(model);
    system.solve(users);
    EXPECT_NEAR(users[0].share_mib, 10, 1e-6);
    EXPECT_NEAR(users[0].miss_ratio, 0.5, 1e-6);
    EXPECT_NEAR(system.traffic_gbps(), 2 * 1e7 * 5 * 0.5 * 64e-9, 1e-6);
    EXPECT_NEAR(system.latency_ns(), 83.2, 1e-6);
    EXPECT_NEAR(users[0].packet_ns, 5 * 0.5 * (0.5 * 20 + 0.5 * 83.2), 1e-6);
}

TEST(Memory, WaysKeepUsersApart)
{
    Memory model;
    model.llc_ways = 10;
    Stage stage;
    stage.llc_accesses = 5;
    stage.llc_misses = {{0, 1}, {10, 0}};
    std::vector<MemoryUser> users = {{&stage, 0x00f, 1e7}, {&stage, 0x3f0, 9e7}};
    MemorySystem(model).solve(users);
    EXPECT_NEAR(users[0].share_mib, 4, 1e-9);
    EXPECT_NEAR(users[1].share_mib, 6, 1e-9);
}

// Two stages of a tenant hold lines together, as one stage would that is both.
TEST(Memory, ATenantsStagesHoldLinesTogether)
{
    Memory model;
    model.llc_ways = 10;
    model.neighbours = {{"other", 0, 1e8, 40}};
    model.latency_ns = {{0, 80}, {100, 180}};
    Stage one;
    one.llc_accesses = 2;
    one.llc_misses = {{0, 1}, {20, 0}};
    Stage both = one;
    both.llc_accesses = 4;
    std::vector<MemoryUser> parts = {{&one, 0x3ff, 1e7, 0, 0, 0, 0},
                                     {&one, 0x3ff, 1e7, 0, 0, 0, 0}};
    std::vector<MemoryUser> whole = {{&both, 0x3ff, 1e7}};
    MemorySystem in_parts(model);
    MemorySystem at_once(model);
    in_parts.solve(parts);
    at_once.solve(whole);
    EXPECT_NEAR(parts[0].share_mib, whole[0].share_mib, 1e-6);
    EXPECT_NEAR(parts[0].packet_ns + parts[1].packet_ns, whole[0].packet_ns, 1e-6);
    EXPECT_NEAR(in_parts.neighbours()[0].share_mib, 10 - whole[0].share_mib, 1e-6);
}

// The more a neighbour asks for, the less is left and the more a packet waits.
TEST(Memory, ABusierNeighbourLeavesLess)
{
    Stage stage;
    stage.llc_accesses = 4;
    stage.llc_misses = {{0, 1}, {8, 0}};
    stage.llc_waits = {{0, 0}, {8, 2}};
    stage.memory_waits = {{0, 2}, {8, 0}};
    double held = 11;
    double waited = 0;
    double gbps = 0;
    for (double lines : {0.0, 1e6, 1e7, 1e8, 1e9}) {
        Memory model;
        model.llc_ways = 10;
        model.latency_ns = {{0, 80}, {100, 180}};
        model.neighbours = {{"other", 0, lines, 100}};
        std::vector<MemoryUser> users = {{&stage, 0x3ff, 1e7}};
        MemorySystem system(model);
        system.solve(users);
        EXPECT_LE(users[0].share_mib, held);
        EXPECT_GE(users[0].packet_ns, waited);
        EXPECT_GE(system.traffic_gbps(), gbps);
        held = users[0].share_mib;
        waited = users[0].packet_ns;
        gbps = system.traffic_gbps();
    }
    EXPECT_LT(held, 2);
    EXPECT_GT(waited, 100);
}

// Any users: what they hold follows from what they miss, and what they miss from what they hold.
TEST(Memory, WhatIsSolvedIsAFixedPoint)
{
    Random random(7);
    for (int round = 0; round < 300; ++round) {
        Memory model;
        model.llc_ways = 1 + random.below(16);
        model.way_mib = 0.5 + 2 * random.unit();
        model.latency_ns = {{0, 80}, {50, 100}, {100, 300}};
        std::vector<Stage> stages(1 + random.below(6));
        std::vector<MemoryUser> users;
        for (Stage &stage : stages) {
            stage.llc_accesses = 10 * random.unit();
            double knee = 20 * random.unit();
            double floor = 0.5 * random.unit();
            stage.llc_misses = {{0, 1}, {knee / 2, (1 + floor) / 2}, {knee, floor}};
            stage.blocking_factor = random.unit();
            // The first way is everybody's, so that nobody has none.
            users.push_back({&stage, random.bits() | 1, 1e7 * random.unit()});
        }
        MemorySystem system(model);
        system.solve(users);
        double held = 0;
        double lines = 0;
        for (const MemoryUser &user : users) {
            held += user.share_mib;
            lines += user.packets_per_second * user.stage->llc_accesses * user.miss_ratio;
            EXPECT_NEAR(user.miss_ratio, interpolate(user.stage->llc_misses, user.share_mib, 0),
                        1e-6);
        }
        EXPECT_LE(held, model.way_mib * static_cast<double>(model.llc_ways) * (1 + 1e-12));
        EXPECT_NEAR(system.traffic_gbps(), lines * 64e-9, 1e-9);
        EXPECT_NEAR(system.latency_ns(), interpolate(model.latency_ns, lines * 64e-9, 0), 1e-9);
        // Solved again from there, it stays; a busier neighbourhood is never faster.
        std::vector<MemoryUser> again = users;
        system.solve(again);
        model.background_gbps = 100 * random.unit();
        std::vector<MemoryUser> loaded = users;
        system.solve(loaded);
        for (std::size_t i = 0; i < users.size(); ++i) {
            EXPECT_NEAR(again[i].packet_ns, users[i].packet_ns, 1e-5 * users[i].packet_ns);
            EXPECT_GE(loaded[i].packet_ns, users[i].packet_ns * (1 - 1e-5));
        }
    }
}

TEST(Memory, ANeighbourSlowsACoreDown)
{
    Model model = one_core(ArrivalKind::constant, 2e7, 0, 50);
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.llc_accesses = 2;
    stage.llc_misses = {{0, 1}, {8, 0.1}};
    model.memory.llc_ways = 8;
    model.memory.latency_ns = {{0, 80}, {10, 90}, {50, 300}};
    model.run.duration_ns = 3e6;
    model.run.warmup_ns = 1e6;
    Results alone = simulate(model);
    EXPECT_NEAR(1e9 / alone.throughput_pps.value, 50 + 2 * (0.9 * 20 + 0.1 * 80), 1.5);
    model.memory.background_gbps = 40;
    Results loaded = simulate(model);
    EXPECT_GT(loaded.memory_latency_ns, 240);
    EXPECT_LT(loaded.throughput_pps.value, 0.8 * alone.throughput_pps.value);
}

} // namespace planecast::sim
