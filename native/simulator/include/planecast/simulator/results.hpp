// What a run answers. Counts are of the whole run; rates, latencies and shares of what followed the
// warm-up. The same model and seed give the same Results, to the last bit, on any number of
// threads.
#pragma once

#include "planecast/simulator/histogram.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

// A value with its interval at the model's confidence, from batch means.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;
    std::uint64_t samples = 0; // batches
};

// Where packets ended, and why.
struct DropCount {
    std::string cause; // nic, rx_ring, ring, tx_ring, accelerator, policer or a stage's own
    std::string where; // port, ring, core/stage …
    std::uint64_t packets = 0;
};

struct QueueResult {
    std::string name; // PORT.rx0, ring, CORE.TASK.tx, accelerator
    std::uint64_t capacity = 0;
    std::uint64_t entered = 0; // whole run, like left
    std::uint64_t left = 0;
    double mean = 0; // packets, weighted with time
    std::uint64_t max = 0;
    double mean_wait_ns = 0; // of those that left
};

struct StageResult {
    std::string name;
    std::uint64_t packets = 0; // reached the stage, whole run
    std::uint64_t bursts = 0;
    double cycles = 0;
};

struct TaskResult {
    std::string name;
    std::uint64_t bursts = 0;
    std::uint64_t packets = 0;
    std::uint64_t empty_polls = 0;
    std::vector<std::uint64_t> burst_sizes; // [n]: polls that took n packets
    std::vector<StageResult> stages;
};

// Shares of the core's time; they add up to 1.
struct CoreResult {
    std::string name;
    double busy = 0;
    double polling = 0; // polls that found nothing
    double waiting = 0; // for a full queue or a device
    double disturbed = 0;
    Estimate vectors_per_call; // packets of a poll that found some
    std::vector<TaskResult> tasks;
};

// Packets of one class, whichever sources send it.
struct ClassResult {
    std::string name;
    std::uint64_t offered = 0; // whole run: offered = forwarded + dropped + in_flight
    std::uint64_t forwarded = 0;
    std::uint64_t dropped = 0;
    std::uint64_t in_flight = 0;
    double offered_pps = 0;
    double throughput_pps = 0;
    double loss_ratio = 0;
    double mean_latency_ns = 0;
    Histogram latency;
};

// One interval of the time series.
struct Sample {
    double end_ns = 0;
    std::uint64_t offered = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t dropped = 0;
    double mean_latency_ns = 0;         // of those forwarded in it, 0 if none
    std::vector<double> busy;           // by core
    std::vector<double> vectors;        // packets a poll that found some, by core; 0 if none did
    std::vector<std::uint64_t> waiting; // by queue, at the interval's end
};

struct Results {
    std::string stopped_by; // duration, precision, step limit, host time limit
    double simulated_ns = 0;
    double measured_ns = 0; // without the warm-up
    std::uint64_t steps = 0;

    std::uint64_t offered = 0; // whole run: offered = forwarded + dropped + in_flight
    std::uint64_t forwarded = 0;
    std::uint64_t dropped = 0;
    std::uint64_t in_flight = 0;
    std::vector<DropCount> drops;

    Estimate offered_pps;
    Estimate throughput_pps;
    Estimate throughput_bps; // frames with FCS, without preamble and gap
    Estimate loss_ratio;
    Estimate mean_latency_ns; // last bit in to last bit out
    Histogram latency;

    std::vector<CoreResult> cores;
    std::vector<QueueResult> queues;
    std::vector<ClassResult> classes;
    std::vector<Sample> series;
    std::string trace_json; // Chrome's trace format; empty if none was asked for
    std::uint64_t trace_left_out = 0;
};

} // namespace planecast::sim
