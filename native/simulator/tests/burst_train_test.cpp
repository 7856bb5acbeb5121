// Trains of bursts (burst_train.cpp) against bursts one by one: a trace of one event makes the loop
// take them one by one and changes nothing else.
#include "models.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

std::size_t fingerprint(const Results &r); // simulate_test.cpp

namespace
{

void compare(Model model)
{
    model.run.duration_ns = 2e6;
    model.run.series_interval_ns = 5e5;
    Results in_trains = simulate(model);
    model.run.trace_events = 1;
    Results one_by_one = simulate(model);
    one_by_one.trace_json.clear();
    EXPECT_EQ(fingerprint(in_trains), fingerprint(one_by_one));
    EXPECT_GT(in_trains.forwarded, 0U);
}

} // namespace

TEST(BurstTrain, AgreeAtAnyLoad)
{
    for (ArrivalKind kind : {ArrivalKind::constant, ArrivalKind::poisson, ArrivalKind::on_off}) {
        for (double rate : {1e4, 3e6, 6.7e6, 8.9e6, 9.9e6, 2e7}) {
            Model model = one_core(kind, rate, 37, 100.3);
            model.sources[0].arrivals.burst_packets.mean = 50;
            model.ports[0].rx_ring = 64;
            compare(model);
        }
    }
}

TEST(BurstTrain, AgreeHoweverLongAPollTakes)
{
    // From a picosecond over ones that divide evenly to longer than the gaps and than the run.
    for (double cycles : {1e-6, 0.002, 0.25, 1.024, 40.0, 3000.0, 1e5}) {
        for (double rate : {1e5, 6.7e6}) {
            Model model = one_core(ArrivalKind::poisson, rate, 37, 100.3);
            model.cores[0].tasks[0].empty_poll_cycles = cycles;
            compare(model);
        }
    }
}

TEST(BurstTrain, AgreeInBurstsOfAnySize)
{
    for (std::uint64_t burst : {1, 3, 4, 5, 64, 65, 200}) {
        for (double rate : {6e6, 9.6e6}) {
            Model model = one_core(ArrivalKind::poisson, rate, 3000, 70);
            model.cores[0].tasks[0].burst = burst;
            compare(model);
        }
    }
}

TEST(BurstTrain, AgreeWhenServiceTakesNoTime)
{
    compare(one_core(ArrivalKind::poisson, 1e7, 0, 0));
}

TEST(BurstTrain, AgreeWhateverTheTableSays)
{
    for (double rate : {3e6, 8.9e6}) {
        Model model = one_core(ArrivalKind::poisson, rate, 37, 20);
        for (std::uint64_t n = 1; n <= 32; ++n) { // slower every eight packets
            model.cores[0].tasks[0].stages[0].cycles_by_burst.push_back(
                static_cast<double>((n + 7) / 8 * 301));
        }
        compare(model);
    }
}

TEST(BurstTrain, AgreeWhenTheCoreIsTakenAway)
{
    for (double rate : {3e6, 8.9e6}) {
        Model model = one_core(ArrivalKind::poisson, rate, 37, 70.3);
        model.cores[0].disturbances.push_back(
            {"tick", 1e5, false, {DistributionKind::exponential, 3000, 0}});
        compare(model);
    }
}

TEST(BurstTrain, AgreeOnASlowWire)
{
    Model model = one_core(ArrivalKind::poisson, 9e6, 37, 60);
    Port slow = plain_port("slow");
    slow.line_rate_bps = 4e9;
    slow.tx_ring = 40;
    model.ports.push_back(slow);
    model.cores[0].tasks[0].output.kind = OutputKind::port;
    model.cores[0].tasks[0].output.to = "slow";
    compare(model);
}

TEST(BurstTrain, AgreeWhenCoresShareAWire)
{
    Model model = one_core(ArrivalKind::poisson, 1.6e7, 37, 100.3);
    model.ports[0].rx_queues = 2;
    model.ports[0].line_rate_bps = 10e9;
    model.sources[0].classes[0].flows = 100;
    model.cores.push_back(plain_core("other", {InputKind::port, "port", 1}, 20, 120));
    for (Core &core : model.cores) {
        core.tasks[0].output.kind = OutputKind::port;
        core.tasks[0].output.to = "port";
    }
    compare(model);
}

} // namespace planecast::sim
