#include "models.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

// Port → first core → ring → second core.
Model two_stages(double first_cycles, double second_cycles, WhenFull when_full)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, first_cycles);
    model.rings.push_back({"ring", 16, 30});
    model.cores[0].tasks[0].output = {OutputKind::ring, "ring", when_full, 0, 1e5};
    model.cores.push_back(plain_core("second", {InputKind::ring, "ring", 0}, 0, second_cycles));
    model.run.duration_ns = 1e6;
    return model;
}

const QueueResult &queue(const Results &results, const std::string &name)
{
    for (const QueueResult &one : results.queues) {
        if (one.name == name) {
            return one;
        }
    }
    throw std::runtime_error("no queue " + name);
}

} // namespace

TEST(Pipeline, HandoffByHand)
{
    Model model = two_stages(100, 200, WhenFull::drop);
    model.sources[0].arrivals = {};
    model.sources[0].arrivals.kind = ArrivalKind::timestamps;
    model.sources[0].arrivals.times_ns = {50};
    Results results = simulate(model);
    // Found at 80, served till 180, seen by the other core at 210, polled at 240, done at 440.
    EXPECT_EQ(results.latency.bars().at(0).low, 390U);
    EXPECT_EQ(queue(results, "ring").max, 1U);
    EXPECT_DOUBLE_EQ(queue(results, "ring").mean_wait_ns, 60);
}

TEST(Pipeline, ASlowConsumerDrops)
{
    Results results = simulate(two_stages(100, 2000, WhenFull::drop));
    EXPECT_EQ(dropped_by(results, "rx_ring"), 0U);
    EXPECT_NEAR(static_cast<double>(dropped_by(results, "ring")), 500, 25);
    EXPECT_EQ(queue(results, "ring").max, 16U);
    EXPECT_NEAR(results.throughput_pps.value, 5e5, 1.5e4);
}

TEST(Pipeline, ASlowConsumerHoldsBack)
{
    Model model = two_stages(100, 2000, WhenFull::wait);
    model.ports[0].rx_ring = 32;
    model.run.warmup_ns = 2e5;
    Results results = simulate(model);
    EXPECT_EQ(dropped_by(results, "ring"), 0U);
    EXPECT_GT(dropped_by(results, "rx_ring"), 300U);
    EXPECT_GT(results.cores[0].waiting, 0.8);
    EXPECT_NEAR(results.throughput_pps.value, 5e5, 1.5e4);
}

TEST(Pipeline, OneCorePollsTwoQueues)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, 100);
    model.ports.push_back(plain_port("port2"));
    model.sources.push_back(plain_source("port2", ArrivalKind::poisson, 2e6));
    model.sources[1].classes[0].name = "other";
    Task second = model.cores[0].tasks[0];
    second.name = "second";
    second.input.name = "port2";
    model.cores[0].tasks.push_back(second);
    model.run.duration_ns = 1e6;
    Results results = simulate(model);
    EXPECT_EQ(results.dropped, 0U);
    EXPECT_NEAR(results.cores[0].busy, 0.3, 0.02);
    EXPECT_EQ(results.cores[0].tasks[0].packets, 1000U);
    EXPECT_EQ(results.classes.size(), 2U);
    EXPECT_GT(results.classes[1].forwarded, 1800U);
}

// Each class is counted for itself: what came, what left, what was dropped of it.
TEST(Pipeline, ClassesHaveTheirOwnLossAndLatency)
{
    Model model = one_core(ArrivalKind::poisson, 5e6, 0, 100);
    FlowClass &voice = model.sources[0].classes[0];
    voice.name = "voice";
    FlowClass bulk = voice;
    bulk.name = "bulk";
    bulk.weight = 3;
    bulk.frames[0].bytes = 1518;
    model.sources[0].classes.push_back(bulk);
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.drops.push_back({"acl", 0.5, 0, "bulk"});
    model.run.duration_ns = 1e7;
    Results results = simulate(model);
    ASSERT_EQ(results.classes.size(), 2U);
    const ClassResult &first = results.classes[0];
    const ClassResult &second = results.classes[1];
    EXPECT_EQ(first.offered + second.offered, results.offered);
    EXPECT_NEAR(static_cast<double>(second.offered) / static_cast<double>(first.offered), 3, 0.1);
    EXPECT_EQ(first.dropped, 0U);
    EXPECT_EQ(second.dropped, results.dropped);
    EXPECT_NEAR(second.loss_ratio, 0.5, 0.01);
    EXPECT_EQ(first.latency.total(), first.forwarded);
    EXPECT_EQ(first.latency.total() + second.latency.total(), results.latency.total());
    EXPECT_NEAR(first.offered_pps, 1.25e6, 5e4);
}

TEST(Pipeline, MetersAreOfAClass)
{
    Model model = one_core(ArrivalKind::constant, 2e6, 0, 10);
    model.sources[0].classes.push_back(model.sources[0].classes[0]);
    model.sources[0].classes[1].name = "other";
    Stage &stage = model.cores[0].tasks[0].stages[0];
    stage.policer_rate = 64e4; // 10,000 frames a second and meter
    stage.policer_burst = 6400;
    stage.policer_class_meters = {1, 20};
    model.run.duration_ns = 1e9;
    model.run.warmup_ns = 1e8;
    Results results = simulate(model);
    EXPECT_NEAR(results.classes[0].throughput_pps, 1e4, 200);
    EXPECT_NEAR(results.classes[1].throughput_pps, 2e5, 8e3);
}

TEST(Pipeline, SiblingsSlowEachOther)
{
    Model model = one_core(ArrivalKind::constant, 2e7, 0, 100);
    model.ports[0].rx_queues = 2;
    model.sources[0].classes[0].flows = 4000;
    model.cores.push_back(plain_core("other", {InputKind::port, "port", 1}, 0, 100));
    double alone = simulate(model).throughput_pps.value;
    model.cores[0].sibling = "other";
    model.cores[1].sibling = "core";
    for (Core &core : model.cores) {
        core.sibling_busy_factor = 1.6;
        core.sibling_idle_factor = 1.1;
    }
    EXPECT_NEAR(simulate(model).throughput_pps.value / alone, 1 / 1.6, 0.03);
}

TEST(Pipeline, DisturbancesTakeTheirShare)
{
    for (bool periodic : {false, true}) {
        Model model = one_core(ArrivalKind::poisson, 5e6, 0, 100);
        model.cores[0].disturbances.push_back(
            {"host", 1000, periodic, {DistributionKind::constant, 50000, 0}});
        model.run.duration_ns = 1e9;
        Results results = simulate(model);
        EXPECT_NEAR(results.cores[0].disturbed, 0.05, periodic ? 0.0001 : 0.005);
        EXPECT_GT(results.latency.percentile(99), 10000U);
        EXPECT_EQ(results.cores.size(), 1U);
    }
}

TEST(Pipeline, RandomDisturbancesThatMeetWaitForEachOther)
{
    // 25,000 a second of 20 us: half of the time, though every third comes while another lasts.
    Model model = one_core(ArrivalKind::poisson, 5e6, 0, 100);
    model.cores[0].disturbances.push_back(
        {"host", 25000, false, {DistributionKind::constant, 20000, 0}});
    model.run.duration_ns = 1e9;
    EXPECT_NEAR(simulate(model).cores[0].disturbed, 0.5, 0.01);
}

TEST(Pipeline, ARecordedPauseFillsTheRingAsArithmeticSays)
{
    // A packet every 200 ns. 40 us from 10,150 ns on: those of 10,200 to 50,000 come during that
    // time.
    Model model = one_core(ArrivalKind::constant, 5e6, 0, 100);
    model.ports[0].rx_ring = 128;
    model.cores[0].disturbances.push_back({"pause", 0, false, {}, {10150}, {40000}});
    model.run.duration_ns = 1e6;
    Results results = simulate(model);
    EXPECT_EQ(dropped_by(results, "rx_ring"), 200U - 128U);
    EXPECT_EQ(results.offered, results.forwarded + results.dropped + results.in_flight);
    EXPECT_NEAR(results.cores[0].disturbed, 0.04, 1e-9);
    model.cores[0].disturbances[0].lengths_ns = {25550};
    EXPECT_EQ(simulate(model).dropped, 0U); // 128 of them have room
    model.cores[0].disturbances[0].lengths_ns = {25750};
    EXPECT_EQ(simulate(model).dropped, 1U);
}

TEST(Pipeline, ARecordingOfATimerIsTheTimer)
{
    Model timer = one_core(ArrivalKind::poisson, 5e6, 0, 100);
    timer.run.duration_ns = 1e7;
    Model recording = timer;
    timer.cores[0].disturbances.push_back(
        {"tick", 1000, true, {DistributionKind::constant, 20000, 0}});
    recording.cores[0].disturbances.push_back({"tick", 0, false, {}, {}, {}});
    for (int i = 1; i < 10; ++i) {
        recording.cores[0].disturbances[0].starts_ns.push_back(1e6 * i);
        recording.cores[0].disturbances[0].lengths_ns.push_back(20000);
    }
    Results a = simulate(timer);
    Results b = simulate(recording);
    EXPECT_EQ(a.forwarded, b.forwarded);
    EXPECT_EQ(a.cores[0].disturbed, b.cores[0].disturbed);
    EXPECT_EQ(a.mean_latency_ns.value, b.mean_latency_ns.value);
    EXPECT_EQ(a.latency.max(), b.latency.max());
}

TEST(Pipeline, DisturbancesThatTakeMoreThanAllTimeEndWithTheRun)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, 90000);
    model.cores[0].disturbances.push_back(
        {"host", 1e6, false, {DistributionKind::constant, 2000, 0}});
    model.run.duration_ns = 1e6;
    Results results = simulate(model);
    EXPECT_EQ(results.stopped_by, "duration");
    EXPECT_GT(results.cores[0].disturbed, 0.9);
}

} // namespace planecast::sim
