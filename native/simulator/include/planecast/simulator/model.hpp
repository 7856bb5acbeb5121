// A whole model: plain data, no behaviour. simulate() validates it, then runs it.
#pragma once

#include "planecast/simulator/core_model.hpp"
#include "planecast/simulator/nic_model.hpp"
#include "planecast/simulator/traffic_model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

enum class PrecisionTarget { throughput, latency, loss };

struct Run {
    std::uint64_t seed = 1;
    double duration_ns = 1e7;
    double warmup_ns = 0; // left out of what is reported, kept in the checks
    std::uint64_t batches = 32;
    double precision = 0; // stop when the target's half-width / value is no more; 0: whole duration
    double least_ns = 0;  // no precision ends it before
    PrecisionTarget precision_target = PrecisionTarget::throughput;
    double confidence = 0.95;
    std::uint64_t histogram_digits = 3;
    double series_interval_ns = 0; // 0: no time series
    std::uint64_t trace_events = 0;
    std::uint64_t max_steps = 0; // bursts and wake-ups; 0: no limit
    double max_host_seconds = 0; // 0: no limit
    std::uint64_t threads = 1;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("seed", &Run::seed, Range{0, 1.8e19}, "same seed, same bytes");
        visit("duration_ns", &Run::duration_ns, Range{1, 2.6e15},
              "simulated time, 30 days at most");
        visit("warmup_ns", &Run::warmup_ns, kNanoseconds, "left out of the report");
        visit("batches", &Run::batches, Range{2, 4096}, "intervals for the estimates");
        visit("precision", &Run::precision, kShare, "stop at this relative half-width, 0: never");
        visit("least_ns", &Run::least_ns, kNanoseconds, "no precision ends it before");
        visit("precision_target", &Run::precision_target, "throughput, latency or loss");
        visit("confidence", &Run::confidence, Range{0.5, 0.9999}, "of the intervals");
        visit("histogram_digits", &Run::histogram_digits, Range{1, 4}, "significant digits");
        visit("series_interval_ns", &Run::series_interval_ns, kNanoseconds, "0: no time series");
        visit("trace_events", &Run::trace_events, Range{0, 1e7}, "at most, 0: no trace");
        visit("max_steps", &Run::max_steps, Range{0, 1e18}, "0: no limit");
        visit("max_host_seconds", &Run::max_host_seconds, Range{0, 1e7}, "0: no limit");
        visit("threads", &Run::threads, Range{1, 256}, "host threads");
    }
};

struct Model {
    std::vector<Source> sources;
    std::vector<Nic> nics;
    std::vector<Port> ports;
    std::vector<Core> cores;
    std::vector<Ring> rings;
    std::vector<Accelerator> accelerators;
    Run run;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("sources", &Model::sources, "where packets come from");
        visit("nics", &Model::nics, "network cards");
        visit("ports", &Model::ports, "their ports");
        visit("cores", &Model::cores, "poll loops");
        visit("rings", &Model::rings, "between cores");
        visit("accelerators", &Model::accelerators, "devices");
        visit("run", &Model::run, "how long, how precisely, what to record");
    }
};

} // namespace planecast::sim
