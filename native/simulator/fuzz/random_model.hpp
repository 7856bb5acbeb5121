// A model from bytes: most are runnable and small, some break a rule on purpose.
//
// Shared by the libFuzzer target and by a test that feeds it random bytes, so the search runs
// without clang as well.
#pragma once

#include "planecast/simulator/simulate.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace planecast::sim
{

class Bytes
{
  public:
    Bytes(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }
    std::uint64_t below(std::uint64_t n) { return (next() + 256U * next()) % n; }
    bool rarely() { return next() == 255; }
    // Any order of magnitude between the two.
    double between(double low, double high)
    {
        return low * std::pow(high / low, static_cast<double>(below(65536)) / 65535);
    }
    // Sometimes what no field can hold.
    double number(double low, double high)
    {
        if (!rarely()) {
            return between(low, high);
        }
        constexpr double kBad[] = {-1, 0, 1e300, std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity()};
        return kBad[below(5)];
    }

  private:
    const std::uint8_t *data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

inline Distribution random_distribution(Bytes &bytes, double low, double high)
{
    Distribution d;
    d.kind = static_cast<DistributionKind>(bytes.below(3));
    d.mean = bytes.number(low, high);
    d.cv = bytes.number(0.01, 3);
    return d;
}

inline Arrivals random_arrivals(Bytes &bytes)
{
    Arrivals a;
    a.kind = static_cast<ArrivalKind>(bytes.below(4));
    a.offset_ns = bytes.number(1, 1e5);
    if (a.kind == ArrivalKind::timestamps) {
        double at = 0;
        for (std::uint64_t i = bytes.below(40); i > 0; --i) {
            a.times_ns.push_back(at += bytes.number(0.001, 1e4));
        }
        a.repeat = bytes.below(2) != 0;
        a.repeat_gap_ns = bytes.between(1, 1e4);
        return a;
    }
    a.rate_pps = bytes.number(1e2, 1e8);
    a.peak_pps = bytes.below(2) != 0 ? 0 : a.rate_pps * bytes.between(1, 100);
    a.burst_packets = random_distribution(bytes, 1, 200);
    a.random_gap = bytes.below(2) != 0;
    return a;
}

inline Source random_source(Bytes &bytes, std::size_t index, const std::string &port)
{
    Source source;
    source.name = "source" + std::to_string(index);
    source.port = port;
    source.arrivals = random_arrivals(bytes);
    for (FlowClass &c : source.classes) {
        c.flows = 1 + bytes.below(300);
        c.new_flows_per_second = bytes.number(1, 1e6);
        c.frames = {{64, 7}, {570, 4}, {1 + bytes.below(9000), bytes.number(0.1, 2)}};
    }
    if (bytes.below(3) == 0) {
        source.classes.push_back(source.classes.front());
        source.classes.back().name = bytes.below(2) != 0 ? "some" : "others";
        source.classes.back().weight = bytes.number(0.01, 10);
    }
    return source;
}

inline Stage random_stage(Bytes &bytes, std::size_t index)
{
    Stage stage;
    stage.name = "stage" + std::to_string(index);
    stage.burst_cycles = random_distribution(bytes, 1, 1e4);
    stage.packet_cycles = random_distribution(bytes, 1, 1e4);
    stage.new_flow_cycles = bytes.number(1, 1e5);
    if (bytes.below(3) == 0) {
        stage.drops.push_back({"acl", bytes.number(1e-4, 1), bytes.number(1, 1e3),
                               bytes.below(3) == 0 ? "some" : ""});
    }
    stage.policer_rate = bytes.below(4) == 0 ? bytes.number(1e3, 1e10) : 0;
    stage.policer_burst = bytes.number(1, 1e6);
    stage.policer_header_bytes = bytes.number(1, 100);
    stage.policer_meters = 1 + bytes.below(100);
    stage.accelerator = bytes.below(6) == 0 ? "device" : "";
    return stage;
}

inline Task random_task(Bytes &bytes, const std::string &name, Input input)
{
    Task task;
    task.name = name;
    task.input = std::move(input);
    task.burst = 1 + bytes.below(bytes.rarely() ? 5000 : 64);
    task.empty_poll_cycles = bytes.number(1e-3, 1e4);
    for (std::uint64_t i = bytes.below(3); i > 0; --i) {
        task.stages.push_back(random_stage(bytes, i));
        if (bytes.below(3) == 0) {
            task.stages.back().cycles_by_burst.assign(task.burst, bytes.number(1, 1e4));
        }
    }
    return task;
}

// Cores poll a port's queues and send on to a ring, the device or a port; a last core polls the
// ring.
inline Model random_model(Bytes &bytes)
{
    Model model;
    std::uint64_t queues = 1 + bytes.below(4);
    model.nics.push_back({"nic", 0, 0, 512, 0, 0, {}});
    model.nics[0].rx_limit_pps = bytes.below(2) != 0 ? bytes.number(1e3, 1e8) : 0;
    model.nics[0].tx_limit_pps = bytes.below(2) != 0 ? bytes.number(1e3, 1e8) : 0;
    model.nics[0].rx_latency_ns = bytes.number(1, 1e5);
    model.nics[0].pcie.raw_bps = bytes.below(2) != 0 ? bytes.number(1e6, 1e11) : 0;
    Port port;
    port.name = "port";
    port.nic = bytes.below(2) != 0 ? "nic" : "";
    port.line_rate_bps = bytes.below(2) != 0 ? bytes.number(1e5, 1e12) : 0;
    port.rx_queues = queues;
    port.rx_ring = 1 + bytes.below(2000);
    port.tx_ring = 1 + bytes.below(2000);
    model.ports.push_back(port);
    for (std::uint64_t i = bytes.below(3) + 1; i > 0; --i) {
        model.sources.push_back(random_source(bytes, i, "port"));
    }
    model.rings.push_back({"ring", 1 + bytes.below(300), bytes.number(1, 1e4)});
    model.accelerators.push_back({"device", 1 + bytes.below(4), random_distribution(bytes, 1, 1e4),
                                  bytes.number(1, 1e5), 1 + bytes.below(300)});
    for (std::uint64_t q = 0; q < queues; ++q) {
        Core core;
        core.name = "core" + std::to_string(q);
        core.clock_hz = bytes.number(1e8, 1e10);
        Task task = random_task(bytes, "receive", {InputKind::port, "port", q});
        task.output.kind = static_cast<OutputKind>(bytes.below(4));
        constexpr const char *kTo[] = {"", "port", "ring", "device"};
        task.output.to = kTo[static_cast<int>(task.output.kind)];
        task.output.when_full = bytes.below(2) != 0 ? WhenFull::wait : WhenFull::drop;
        if (task.output.kind == OutputKind::port && bytes.below(3) == 0) {
            task.output.buffer_packets = 1 + bytes.below(100);
            task.output.drain_ns = bytes.number(1, 1e6);
        }
        core.tasks.push_back(task);
        if (bytes.below(3) == 0) {
            core.disturbances.push_back({"tick", bytes.number(1, 1e6), bytes.below(2) != 0,
                                         random_distribution(bytes, 1, 1e6)});
        }
        if (bytes.below(4) == 0) {
            core.disturbances.push_back({"recorded", 0, false, {}, {}, {}});
            double start = 0;
            for (std::uint64_t n = 1 + bytes.below(5); n > 0; --n) {
                start += bytes.number(1, 1e5);
                core.disturbances.back().starts_ns.push_back(start);
                core.disturbances.back().lengths_ns.push_back(bytes.number(1, 1e5));
            }
        }
        if (bytes.below(4) == 0) {
            core.sibling = "last";
            core.sibling_busy_factor = bytes.number(1, 3);
        }
        model.cores.push_back(core);
    }
    Core last;
    last.name = "last";
    last.tasks.push_back(random_task(bytes, "ring", {InputKind::ring, "ring", 0}));
    last.tasks.push_back(random_task(bytes, "device", {InputKind::accelerator, "device", 0}));
    last.tasks[0].output = {OutputKind::port, "port", WhenFull::wait, 0, 1e5};
    model.cores.push_back(last);
    model.run.seed = bytes.below(65536);
    model.run.duration_ns = bytes.number(1e2, 2e6);
    model.run.warmup_ns = bytes.below(2) != 0 ? model.run.duration_ns * 0.1 : 0;
    model.run.batches = 2 + bytes.below(40);
    model.run.precision = bytes.below(4) == 0 ? bytes.number(1e-3, 1) : 0;
    model.run.least_ns = bytes.below(4) == 0 ? bytes.number(0, 2e6) : 0;
    model.run.series_interval_ns = bytes.below(3) == 0 ? model.run.duration_ns / 10 : 0;
    model.run.trace_events = bytes.below(3) == 0 ? bytes.below(500) : 0;
    model.run.max_steps = 300000; // and so an end, whatever the rates are
    model.run.threads = 1;
    return model;
}

} // namespace planecast::sim
