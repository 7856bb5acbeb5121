#include "models.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace planecast::sim
{

// Everything that a Results holds, hashed: equal for equal runs.
std::size_t fingerprint(const Results &r)
{
    std::string text = r.stopped_by;
    auto add = [&text](double value) {
        char one[40];
        std::snprintf(one, sizeof one, " %a", value);
        text += one;
    };
    for (const Estimate *e : {&r.offered_pps, &r.throughput_pps, &r.throughput_bps, &r.loss_ratio,
                              &r.mean_latency_ns}) {
        add(e->value);
        add(e->low);
        add(e->high);
    }
    for (const auto &bar : r.latency.bars()) {
        add(static_cast<double>(bar.low));
        add(static_cast<double>(bar.count));
    }
    for (const CoreResult &core : r.cores) {
        add(core.busy);
        add(core.polling);
        add(core.vectors_per_call.value);
        for (const TaskResult &task : core.tasks) {
            add(static_cast<double>(task.bursts));
            add(static_cast<double>(task.empty_polls));
            for (const StageResult &stage : task.stages) {
                add(stage.cycles);
            }
        }
    }
    for (const QueueResult &queue : r.queues) {
        add(queue.mean);
        add(queue.mean_wait_ns);
        add(static_cast<double>(queue.max));
    }
    for (const DropCount &drop : r.drops) {
        text += drop.cause + drop.where + std::to_string(drop.packets);
    }
    for (const Sample &sample : r.series) {
        add(sample.mean_latency_ns);
        for (std::uint64_t waiting : sample.waiting) {
            add(static_cast<double>(waiting));
        }
    }
    return std::hash<std::string>()(text + r.trace_json + std::to_string(r.steps));
}

// Four cores behind RSS, each with what draws random numbers.
Model four_cores()
{
    Model model;
    model.ports.push_back(plain_port("port", 4, 256));
    model.sources.push_back(plain_source("port", ArrivalKind::poisson, 3e7));
    model.sources[0].classes[0].flows = 1000;
    for (std::uint64_t q = 0; q < 4; ++q) {
        Core core = plain_core("core" + std::to_string(q), {InputKind::port, "port", q}, 20, 100);
        core.tasks[0].stages[0].packet_cycles.kind = DistributionKind::exponential;
        core.tasks[0].stages[0].drops.push_back({"acl", 0.01, 5});
        core.disturbances.push_back({"tick", 1e4, false, {DistributionKind::exponential, 3000, 0}});
        model.cores.push_back(core);
    }
    model.run.duration_ns = 3e6;
    model.run.warmup_ns = 1e5;
    model.run.series_interval_ns = 1e5;
    model.run.trace_events = 200;
    return model;
}

TEST(Simulate, OnePacketByHand)
{
    Model model = one_core(ArrivalKind::timestamps, 0, 50, 100);
    model.sources[0].arrivals.times_ns = {1003, 5000};
    model.ports[0].line_rate_bps = 10e9; // 67.2 ns a frame
    model.cores[0].tasks[0].output.kind = OutputKind::port;
    model.cores[0].tasks[0].output.to = "port";
    model.run.duration_ns = 20000;
    Results results = simulate(model);
    EXPECT_EQ(results.forwarded, 2U);
    // Last bit in at 1070.2, polls every 40 ns: found at 1080, served till 1230, last bit out
    // 1297.2. The second: last bit in at 5067.2; polls since 1230 at 5070, till 5220, out 5287.2.
    auto bars = results.latency.bars();
    ASSERT_EQ(bars.size(), 2U);
    EXPECT_EQ(bars[0].low, 220U);
    EXPECT_EQ(bars[1].low, 227U);
    EXPECT_NEAR(results.cores[0].busy, 300.0 / 20000, 1e-12);
    EXPECT_EQ(results.cores[0].tasks[0].bursts, 2U);
}

TEST(Simulate, SameSeedSameBytes)
{
    Model model = four_cores();
    std::size_t first = fingerprint(simulate(model));
    EXPECT_EQ(first, fingerprint(simulate(model)));
    model.run.seed = 2;
    EXPECT_NE(first, fingerprint(simulate(model)));
}

TEST(Simulate, SameBytesOnAnyNumberOfThreads)
{
    Model model = four_cores();
    std::size_t one = fingerprint(simulate(model));
    for (std::uint64_t threads : {2, 3, 4, 9}) {
        model.run.threads = threads;
        EXPECT_EQ(one, fingerprint(simulate(model))) << threads;
    }
    model.run.precision = 0.02;
    one = fingerprint(simulate(model));
    model.run.threads = 1;
    EXPECT_EQ(one, fingerprint(simulate(model)));
}

TEST(Simulate, ManyAreAsOne)
{
    std::vector<Model> models;
    std::vector<std::size_t> expected;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        models.push_back(four_cores());
        models.back().run.seed = seed;
        models.back().run.duration_ns = 3e5;
        expected.push_back(fingerprint(simulate(models.back())));
    }
    auto results = simulate_many(models, 3);
    for (std::size_t i = 0; i < models.size(); ++i) {
        EXPECT_EQ(fingerprint(results[i]), expected[i]);
    }
    models[7].run.duration_ns = -1;
    EXPECT_THROW(simulate_many(models, 3), ModelError);
}

TEST(Simulate, StopsWhenPreciseEnough)
{
    Model model = one_core(ArrivalKind::poisson, 8e6, 0, 100);
    model.run.duration_ns = 1e12;
    model.run.precision = 0.01;
    model.run.precision_target = PrecisionTarget::latency;
    Results results = simulate(model);
    EXPECT_EQ(results.stopped_by, "precision");
    EXPECT_LE(results.mean_latency_ns.high, results.mean_latency_ns.value * 1.01);
    EXPECT_LT(results.simulated_ns, 1e12);
    model.run.least_ns = 2.5 * results.simulated_ns;
    EXPECT_GE(simulate(model).simulated_ns, model.run.least_ns);
}

TEST(Simulate, StopsAtItsLimits)
{
    Model model = one_core(ArrivalKind::poisson, 8e6, 0, 100);
    model.run.duration_ns = 2.6e15; // thirty days
    model.run.max_steps = 100000;
    Results results = simulate(model);
    EXPECT_EQ(results.stopped_by, "step limit");
    EXPECT_GT(results.forwarded, 10000U);
    model.run.max_steps = 0;
    model.run.max_host_seconds = 0.02;
    EXPECT_EQ(simulate(model).stopped_by, "host time limit");
    model.run.threads = 4;
    EXPECT_EQ(simulate(model).stopped_by, "host time limit");
}

TEST(Simulate, CanBeCancelled)
{
    Model model = one_core(ArrivalKind::poisson, 8e6, 0, 100);
    model.run.duration_ns = 2.6e15;
    std::atomic<bool> cancel = true;
    EXPECT_THROW(simulate(model, &cancel), Cancelled);
}

TEST(Simulate, ThirtyDaysOfAlmostNothing)
{
    Model model = one_core(ArrivalKind::constant, 1e-4, 0, 100);
    model.run.duration_ns = 2.6e15;
    Results results = simulate(model);
    EXPECT_EQ(results.offered, 260U);
    EXPECT_EQ(results.forwarded, 260U);
    EXPECT_LT(results.mean_latency_ns.value, 140.001);
}

TEST(Simulate, ServiceThatNeverEnds)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 1e12, 1e12);
    model.cores[0].clock_hz = 1e6; // 11 days a packet
    Results results = simulate(model);
    EXPECT_EQ(results.forwarded, 0U);
    EXPECT_EQ(results.in_flight + results.dropped, results.offered);
    EXPECT_NEAR(results.cores[0].busy, 1, 1e-3);
}

TEST(Simulate, WarmupIsLeftOutOfTheReport)
{
    Model model = one_core(ArrivalKind::constant, 1e6, 0, 100);
    model.sources[0].arrivals.kind = ArrivalKind::timestamps;
    model.sources[0].arrivals.rate_pps = 0;
    model.sources[0].arrivals.times_ns = {100, 200, 300, 60000};
    model.run.duration_ns = 1e5;
    model.run.warmup_ns = 5e4;
    Results results = simulate(model);
    EXPECT_EQ(results.forwarded, 4U);
    EXPECT_EQ(results.latency.total(), 1U);
    EXPECT_EQ(results.measured_ns, 5e4);
    EXPECT_NEAR(results.cores[0].busy, 100 / 5e4, 1e-9);
    EXPECT_NEAR(results.throughput_pps.value, 1 / 5e-5, 1);
}

} // namespace planecast::sim
