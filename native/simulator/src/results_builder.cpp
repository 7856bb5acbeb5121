#include "results_builder.hpp"

#include "planecast/simulator/simulate.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace planecast::sim
{

namespace
{

double ratio(double upper, double lower)
{
    return lower > 0 ? upper / lower : 0;
}

// Reads one of a batch's counts.
Batches::Reader all(OfAll what, double unit = 1)
{
    return
        [what, unit](const Snapshot &batch) { return static_cast<double>(batch.all[what]) * unit; };
}

Batches::Reader of_core(std::size_t number, OfCore what)
{
    return [number, what](const Snapshot &batch) {
        return static_cast<double>(batch.cores[number][what]);
    };
}

// ---- What holds in every run, checked at its end in release builds too.
void require(bool holds, const std::string &law, const std::string &where)
{
    if (!holds) {
        throw InvariantError("a bug of the simulator: " + law + " does not hold for " + where);
    }
}

void check_queue(const PacketQueue &queue)
{
    const QueueCounts &counts = queue.counts;
    require(counts.entered == counts.left + queue.waiting(), "in = out + waiting", queue.name);
    require(counts.max <= queue.capacity, "occupancy ≤ capacity", queue.name);
    // Little's law, exact in picoseconds: the area under the occupancy, summed by time, is the
    // waiting, summed by packet.
    require(counts.area == counts.waits + queue.waits_of_waiting(queue.settled()), "Little's law",
            queue.name);
}

void check_core(const CoreRun &core, Ps now)
{
    CoreTime time = core.time_at(now);
    require(time.busy >= 0 && time.polling >= 0 && time.waiting >= 0 && time.disturbed >= 0 &&
                time.busy + time.polling + time.waiting + time.disturbed == now,
            "busy + polling + waiting + disturbed = time", core.model.name);
    require(!core.overslept(now), "an idle core has nothing to do", core.model.name);
    for (const TaskRun &task : core.tasks) {
        require(task.packets == task.input->counts.left, "taken = left the queue", task.model.name);
    }
}

void check_group(const Group &group, Ps now)
{
    for (const auto &[number, queue] : group.queues) {
        check_queue(*queue);
    }
    for (const auto &[number, core] : group.cores) {
        check_core(*core, now);
    }
}

// ---- From the parts of a shard to the Results.
using Drops = std::map<std::pair<std::string, std::string>, std::uint64_t>; // cause and place

StageResult stage_result(const TaskRun &task, const StageRun &stage, double ps_per_cycle)
{
    if (!task.plain) {
        return {stage.model.name, stage.packets, stage.bursts, stage.cost_ps / ps_per_cycle};
    }
    // Not served one by one: what it cost follows from how many bursts had how many packets.
    double cost =
        stage.base_ps(static_cast<double>(task.bursts), static_cast<double>(task.packets));
    for (std::size_t n = 1; n < task.burst_sizes.size(); ++n) {
        cost += static_cast<double>(task.burst_sizes[n]) * stage.table_ps(n);
    }
    return {stage.model.name, task.packets, task.bursts, cost / ps_per_cycle};
}

TaskResult task_result(const TaskRun &task, double ps_per_cycle, std::uint64_t pending_polls)
{
    TaskResult result;
    result.name = task.model.name;
    result.bursts = task.bursts;
    result.packets = task.packets;
    result.empty_polls = task.empty_polls + pending_polls;
    result.burst_sizes = task.burst_sizes;
    for (const StageRun &stage : task.stages) {
        result.stages.push_back(stage_result(task, stage, ps_per_cycle));
    }
    return result;
}

// What is of a group alone: names, what each task did, where packets were dropped.
void collect_group(const Layout &layout, const Group &group, Ps end, Drops &drops, Results &results)
{
    results.latency.add(group.recorder.histogram);
    for (std::size_t c = 0; c < results.classes.size(); ++c) {
        results.classes[c].latency.add(group.recorder.by_class.empty()
                                           ? group.recorder.histogram
                                           : group.recorder.histograms[c]);
    }
    for (const auto &[number, queue] : group.queues) {
        const char *cause = number < layout.first_ring     ? "rx_ring"
                            : number < layout.first_device ? "ring"
                                                           : "accelerator";
        drops[{cause, queue->name}] += queue->counts.dropped;
        results.queues[number].entered = queue->counts.entered;
        results.queues[number].left = queue->counts.left;
        results.queues[number].max = queue->counts.max;
    }
    for (const auto &[number, queue] : group.tx_queues) {
        drops[{"tx_ring", queue->name}] += queue->dropped;
        results.queues[number].entered = queue->entered;
        results.queues[number].left = queue->entered - queue->inside();
        results.queues[number].max = queue->most_inside();
    }
    for (const auto &[number, core] : group.cores) {
        for (const TaskRun &task : core->tasks) {
            std::uint64_t pending = core->tasks.size() == 1 ? core->pending_polls(end) : 0;
            results.steps += task.bursts;
            results.cores[number].tasks.push_back(
                task_result(task, 1e12 / core->model.clock_hz, pending));
            for (const StageRun &stage : task.stages) {
                std::string where =
                    core->model.name + "." + task.model.name + "." + stage.model.name;
                drops[{"policer", where}] += stage.policed;
                for (const StageRun::DropRule &rule : stage.drops) {
                    drops[{rule.cause, where}] += rule.count;
                }
            }
        }
    }
}

// Offered, forwarded, dropped and in flight of all, or of a class.
template <class Counted> void count_packets(const std::array<Int128, kOfAll> &now, Counted &result)
{
    result.offered = static_cast<std::uint64_t>(now[kOffered]);
    result.forwarded = static_cast<std::uint64_t>(now[kForwarded]);
    result.in_flight = static_cast<std::uint64_t>(now[kInFlight]);
    result.dropped = result.offered - result.forwarded - result.in_flight;
}

void collect_drops(const Drops &drops, std::uint64_t counted, Results &results)
{
    std::uint64_t by_cause = 0;
    for (const auto &[key, count] : drops) {
        if (count > 0) {
            results.drops.push_back({key.first, key.second, count});
            by_cause += count;
        }
    }
    std::uint64_t by_class = 0;
    for (const ClassResult &one : results.classes) {
        by_class += one.dropped;
    }
    if (counted != results.dropped || by_cause != results.dropped || by_class != results.dropped) {
        throw InvariantError("a bug of the simulator: offered " + std::to_string(results.offered) +
                             " = forwarded " + std::to_string(results.forwarded) + " + dropped " +
                             std::to_string(counted) + " (by cause " + std::to_string(by_cause) +
                             ", by class " + std::to_string(by_class) + ") + in flight " +
                             std::to_string(results.in_flight) + " does not hold");
    }
}

// Rates and shares of what followed the warm-up: `part`, so many picoseconds.
void collect_parts(const Layout &layout, const Snapshot &part, double measured_ps, Results &results)
{
    for (std::size_t n = 0; n < results.cores.size(); ++n) {
        CoreResult &result = results.cores[n];
        auto share = [&](OfCore what) {
            return ratio(static_cast<double>(part.cores[n][what]), measured_ps);
        };
        result.name = layout.model.cores[n].name;
        result.busy = share(kBusy);
        result.polling = share(kPolling);
        result.waiting = share(kWaiting);
        result.disturbed = share(kDisturbed);
    }
    for (std::size_t q = 0; q < results.queues.size(); ++q) {
        QueueResult &result = results.queues[q];
        result.name = layout.queues[q].name;
        result.capacity = layout.queues[q].capacity;
        result.mean = ratio(static_cast<double>(part.queues[q][kArea]), measured_ps);
        result.mean_wait_ns = ratio(static_cast<double>(part.queues[q][kWaits]) * 1e-3,
                                    static_cast<double>(part.queues[q][kLeft]));
    }
    for (std::size_t c = 0; c < results.classes.size(); ++c) {
        ClassResult &result = results.classes[c];
        auto count = [&](OfAll what) { return static_cast<double>(part.classes[c][what]); };
        const double lost = count(kOffered) - count(kForwarded) - count(kInFlight);
        result.name = layout.class_names[c];
        result.offered_pps = ratio(count(kOffered), measured_ps * 1e-12);
        result.throughput_pps = ratio(count(kForwarded), measured_ps * 1e-12);
        result.loss_ratio = ratio(lost, count(kOffered));
        result.mean_latency_ns = ratio(count(kLatency) * 1e-3, count(kForwarded));
    }
}

void collect_series(const Shards &shards, Results &results)
{
    results.series = shards.front()->series;
    for (std::size_t i = 0; i < results.series.size(); ++i) {
        Sample &sum = results.series[i];
        Int128 latency = shards.front()->series_latency[i];
        for (std::size_t s = 1; s < shards.size(); ++s) {
            const Sample &part = shards[s]->series[i];
            sum.offered += part.offered;
            sum.forwarded += part.forwarded;
            sum.dropped += part.dropped;
            latency += shards[s]->series_latency[i];
            auto add = [](auto &to, const auto &from) { // a core is in one shard alone
                std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
            };
            add(sum.busy, part.busy);
            add(sum.vectors, part.vectors);
            add(sum.waiting, part.waiting);
        }
        sum.mean_latency_ns =
            ratio(static_cast<double>(latency) * 1e-3, static_cast<double>(sum.forwarded));
    }
}

void collect_trace(const Layout &layout, const Shards &shards, Results &results)
{
    if (layout.model.run.trace_events == 0) {
        return;
    }
    std::vector<TraceNames> names;
    for (const Core &core : layout.model.cores) {
        names.push_back({core.name, {}});
        for (const Task &task : core.tasks) {
            names.back().tasks.push_back(task.name);
        }
    }
    std::vector<TraceEvent> events;
    for (std::size_t number = 0; number < layout.groups;
         ++number) { // the same order on any threads
        for (const auto &shard : shards) {
            for (const auto &group : shard->groups) {
                if (layout.group_of_core[group->cores.front().first] == number) {
                    events.insert(events.end(), group->trace.events.begin(),
                                  group->trace.events.end());
                    results.trace_left_out += group->trace.left_out;
                }
            }
        }
    }
    results.trace_json =
        trace_json(std::move(events), names, layout.model.run.trace_events, results.trace_left_out);
}

} // namespace

Batches merged_batches(const Shards &shards)
{
    Batches all = shards.front()->batches;
    for (std::size_t i = 1; i < shards.size(); ++i) {
        all.add(shards[i]->batches);
    }
    return all;
}

Estimate estimate_of(PrecisionTarget target, const Batches &batches, double confidence)
{
    switch (target) {
    case PrecisionTarget::throughput:
        return batches.rate(confidence, all(kForwarded));
    case PrecisionTarget::latency:
        return batches.ratio(confidence, all(kLatency, 1e-3), all(kForwarded));
    case PrecisionTarget::loss:
        break;
    }
    return batches.ratio(confidence, all(kDropped), all(kOffered));
}

Results collect(const Layout &layout, const Shards &shards, std::string stopped_by)
{
    Results results;
    const double confidence = layout.model.run.confidence;
    const Histogram empty(static_cast<unsigned>(layout.model.run.histogram_digits));
    const Batches batches = merged_batches(shards);
    const Ps end = shards.front()->now();
    const Ps measured = end - shards.front()->started;
    results.stopped_by = std::move(stopped_by);
    results.simulated_ns = ns_from(end);
    results.measured_ns = ns_from(measured);
    results.latency = empty;
    results.cores.resize(layout.model.cores.size());
    results.queues.resize(layout.queues.size());
    results.classes.resize(layout.class_names.size());
    for (ClassResult &one : results.classes) {
        one.latency = empty;
    }
    Drops drops;
    Snapshot now = shards.front()->snapshot();
    Snapshot start = shards.front()->start;
    for (const auto &shard : shards) {
        if (shard != shards.front()) {
            now += shard->snapshot();
            start += shard->start;
        }
        for (const auto &stream : shard->streams) {
            drops[{"nic", stream->name}] += stream->counted ? stream->counts.dropped : 0;
        }
        for (const auto &group : shard->groups) {
            check_group(*group, end);
            collect_group(layout, *group, end, drops, results);
        }
    }
    count_packets(now.all, results);
    for (std::size_t c = 0; c < results.classes.size(); ++c) {
        count_packets(now.classes[c], results.classes[c]);
    }
    collect_drops(drops, static_cast<std::uint64_t>(now.all[kDropped]), results);
    now -= start;
    collect_parts(layout, now, static_cast<double>(measured), results);
    results.offered_pps = batches.rate(confidence, all(kOffered));
    results.throughput_pps = estimate_of(PrecisionTarget::throughput, batches, confidence);
    results.throughput_bps = batches.rate(confidence, all(kBytes, 8));
    results.loss_ratio = estimate_of(PrecisionTarget::loss, batches, confidence);
    results.mean_latency_ns = estimate_of(PrecisionTarget::latency, batches, confidence);
    for (std::size_t n = 0; n < results.cores.size(); ++n) {
        results.cores[n].vectors_per_call =
            batches.ratio(confidence, of_core(n, kPackets), of_core(n, kBursts));
    }
    collect_series(shards, results);
    collect_trace(layout, shards, results);
    return results;
}

} // namespace planecast::sim
