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

// Who isn't simulated and uses the LLC all the same: touches lines of its footprint at random.
struct Neighbour {
    std::string name;
    std::uint64_t llc_ways = 0; // bit mask; 0: all
    double lines_per_second = 0;
    double footprint_mib = 1;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Neighbour::name, "name in results");
        visit("llc_ways", &Neighbour::llc_ways, Range{0, 4294967295.0}, "bit mask, 0: all");
        visit("lines_per_second", &Neighbour::lines_per_second, kRate, "lines of it touched");
        visit("footprint_mib", &Neighbour::footprint_mib, Range{1e-3, 1e6}, "MiB that they are of");
    }
};

// The memory system that all cores share. Off without ways.
struct Memory {
    std::uint64_t llc_ways = 0;
    double way_mib = 1;
    double llc_latency_ns = 20;
    std::vector<CurvePoint> latency_ns; // GB/s of traffic → ns of a memory access
    double background_gbps = 0;         // what passes the LLC by
    std::vector<Neighbour> neighbours;
    double refresh_ns = 100000; // how often the load is looked at again

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("llc_ways", &Memory::llc_ways, Range{0, 32}, "0: no memory model");
        visit("way_mib", &Memory::way_mib, Range{1e-3, 1024}, "MiB a way");
        visit("llc_latency_ns", &Memory::llc_latency_ns, Range{0, 1e5}, "of an LLC hit");
        visit("latency_ns", &Memory::latency_ns, "GB/s to ns");
        visit("background_gbps", &Memory::background_gbps, Range{0, 1e5}, "passes the LLC by");
        visit("neighbours", &Memory::neighbours, "who isn't simulated and uses the LLC");
        visit("refresh_ns", &Memory::refresh_ns, Range{1000, 1e12}, "how often it is solved");
    }
};

enum class PrecisionTarget { throughput, latency, loss };

struct Run {
    std::uint64_t seed = 1;
    double duration_ns = 1e7;
    double warmup_ns = 0; // left out of what is reported, kept in the checks
    std::uint64_t batches = 32;
    double precision = 0; // stop when the target's half-width / value is no more; 0: whole duration
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
    Memory memory;
    Run run;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("sources", &Model::sources, "where packets come from");
        visit("nics", &Model::nics, "network cards");
        visit("ports", &Model::ports, "their ports");
        visit("cores", &Model::cores, "poll loops");
        visit("rings", &Model::rings, "between cores");
        visit("accelerators", &Model::accelerators, "devices");
        visit("memory", &Model::memory, "caches and memory that cores share");
        visit("run", &Model::run, "how long, how precisely, what to record");
    }
};

} // namespace planecast::sim
