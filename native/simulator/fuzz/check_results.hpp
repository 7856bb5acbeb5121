// What must hold for any answer to any model; throws InvariantError.
#pragma once

#include "planecast/simulator/simulate.hpp"

#include <cmath>
#include <string>

namespace planecast::sim
{

inline void check_number(double value, const char *what)
{
    if (!(value >= 0) || !std::isfinite(value)) {
        throw InvariantError(std::string(what) + " is " + std::to_string(value));
    }
}

inline void check_estimate(const Estimate &estimate, const char *what)
{
    check_number(estimate.value, what);
    check_number(estimate.low, what);
    check_number(estimate.high, what);
    if (estimate.low > estimate.value || estimate.value > estimate.high) {
        throw InvariantError(std::string(what) + " is outside its own interval");
    }
}

inline void check_results(const Results &results)
{
    check_estimate(results.offered_pps, "offered_pps");
    check_estimate(results.throughput_pps, "throughput_pps");
    check_estimate(results.throughput_bps, "throughput_bps");
    check_estimate(results.loss_ratio, "loss_ratio");
    check_estimate(results.mean_latency_ns, "mean_latency_ns");
    check_number(results.simulated_ns, "simulated_ns");
    check_number(results.measured_ns, "measured_ns");
    for (const CoreResult &core : results.cores) {
        double sum = core.busy + core.polling + core.waiting + core.disturbed;
        check_number(core.busy, "busy");
        check_number(core.polling, "polling");
        check_number(core.waiting, "waiting");
        check_number(core.disturbed, "disturbed");
        if (results.measured_ns > 0 && std::abs(sum - 1) > 1e-6) {
            throw InvariantError("a core's shares add up to " + std::to_string(sum));
        }
        check_estimate(core.vectors_per_call, "vectors_per_call");
        for (const TaskResult &task : core.tasks) {
            for (const StageResult &stage : task.stages) {
                check_number(stage.cycles, "cycles");
            }
        }
    }
    for (const QueueResult &queue : results.queues) {
        check_number(queue.mean, "mean occupancy");
        check_number(queue.mean_wait_ns, "mean_wait_ns");
        if (queue.max > queue.capacity ||
            queue.mean > static_cast<double>(queue.capacity) * (1 + 1e-9)) {
            throw InvariantError("more than the capacity in " + queue.name);
        }
    }
    std::uint64_t offered = 0;
    for (const ClassResult &one : results.classes) {
        check_number(one.loss_ratio, "a class's loss");
        check_number(one.mean_latency_ns, "a class's latency");
        offered += one.offered;
        if (one.offered != one.forwarded + one.dropped + one.in_flight || one.loss_ratio > 1) {
            throw InvariantError("class " + one.name + " loses packets without a word");
        }
    }
    if (offered != results.offered) {
        throw InvariantError("classes and all of them were offered different numbers");
    }
    for (const Sample &sample : results.series) {
        check_number(sample.mean_latency_ns, "a sample's latency");
    }
}

} // namespace planecast::sim
