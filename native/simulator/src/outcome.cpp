#include "outcome.hpp"

#include "planecast/simulator/simulate.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace planecast::sim
{

namespace
{

double forwarded(const Totals &t)
{
    return static_cast<double>(t.forwarded);
}
double offered(const Totals &t)
{
    return static_cast<double>(t.offered);
}
double dropped(const Totals &t)
{
    return static_cast<double>(t.dropped);
}
double latency_ns(const Totals &t)
{
    return static_cast<double>(t.latency) * 1e-3;
}

void collect_counts(const Layout &layout, const Shards &shards, Results &results)
{
    std::map<std::pair<std::string, std::string>, std::uint64_t> drops;
    Totals all = shards.front()->totals();
    results.in_flight = shards.front()->in_flight();
    for (std::size_t i = 1; i < shards.size(); ++i) {
        add(all, shards[i]->totals());
        results.in_flight += shards[i]->in_flight();
    }
    results.offered = all.offered;
    results.forwarded = all.forwarded;
    results.dropped = all.dropped;
    for (const auto &shard : shards) {
        for (const auto &stream : shard->streams) {
            if (stream->counted) {
                drops[{"nic", stream->name}] += stream->counts.dropped;
            }
        }
        for (const auto &group : shard->groups) {
            for (const auto &[number, queue] : group->queues) {
                const char *cause = number < layout.first_ring     ? "rx_ring"
                                    : number < layout.first_device ? "ring"
                                                                   : "accelerator";
                drops[{cause, queue->name}] += queue->counts.dropped;
            }
            for (const auto &[number, queue] : group->tx_queues) {
                drops[{"tx_ring", queue->name}] += queue->dropped;
            }
            for (const auto &[number, core] : group->cores) {
                for (const TaskRun &task : core->tasks) {
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
    }
    std::uint64_t by_cause = 0;
    for (const auto &[key, count] : drops) {
        if (count > 0) {
            results.drops.push_back({key.first, key.second, count});
            by_cause += count;
        }
    }
    if (results.offered != results.forwarded + results.dropped + results.in_flight ||
        by_cause != results.dropped) {
        throw InvariantError("a bug of the simulator: offered " + std::to_string(results.offered) +
                             " = forwarded " + std::to_string(results.forwarded) + " + dropped " +
                             std::to_string(results.dropped) + " (by cause " +
                             std::to_string(by_cause) + ") + in flight " +
                             std::to_string(results.in_flight) + " does not hold");
    }
}

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

void collect_cores(const Shard &shard, const Batches &batches, double confidence, Results &results)
{
    Baseline end = shard.baseline();
    auto measured = static_cast<double>(end.at - shard.start.at);
    std::size_t i = 0;
    for (const auto &group : shard.groups) {
        for (const auto &[number, core] : group->cores) {
            const CoreTime &now = end.cores[i];
            CoreTime then = shard.start.cores.empty() ? CoreTime{} : shard.start.cores[i];
            ++i;
            CoreResult &result = results.cores[number];
            auto share = [measured](Ps a, Ps b) {
                return measured > 0 ? static_cast<double>(a - b) / measured : 0;
            };
            result.name = core->model.name;
            result.busy = share(now.busy, then.busy);
            result.polling = share(now.polling, then.polling);
            result.waiting = share(now.waiting, then.waiting);
            result.disturbed = share(now.disturbed, then.disturbed);
            std::size_t n = number;
            result.vectors_per_call = batches.ratio(
                confidence, [n](const Totals &t) { return static_cast<double>(t.packets[n]); },
                [n](const Totals &t) { return static_cast<double>(t.bursts[n]); });
            for (const TaskRun &task : core->tasks) {
                std::uint64_t pending = core->tasks.size() == 1 ? core->pending_polls(end.at) : 0;
                result.tasks.push_back(task_result(task, 1e12 / core->model.clock_hz, pending));
            }
        }
    }
}

void collect_queues(const Layout &layout, const Shard &shard, Results &results)
{
    Baseline end = shard.baseline();
    auto measured = static_cast<double>(end.at - shard.start.at);
    for (std::size_t i = 0; i < end.queues.size(); ++i) {
        const Baseline::OfQueue &now = end.queues[i];
        Baseline::OfQueue then = shard.start.queues.empty() ? Baseline::OfQueue{now.number, 0, 0, 0}
                                                            : shard.start.queues[i];
        QueueResult &result = results.queues[now.number];
        result.name = layout.queues[now.number].name;
        result.capacity = layout.queues[now.number].capacity;
        result.mean = measured > 0 ? static_cast<double>(now.area - then.area) / measured : 0;
        if (now.left > then.left) {
            result.mean_wait_ns = static_cast<double>(now.waits - then.waits) * 1e-3 /
                                  static_cast<double>(now.left - then.left);
        }
    }
    for (const auto &group : shard.groups) {
        for (const auto &[number, queue] : group->queues) {
            results.queues[number].entered = queue->counts.entered;
            results.queues[number].left = queue->counts.left;
            results.queues[number].max = queue->counts.max;
        }
        for (const auto &[number, queue] : group->tx_queues) {
            results.queues[number].entered = queue->entered;
            results.queues[number].left = queue->entered - queue->inside();
            results.queues[number].max = queue->most_inside();
        }
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
            std::transform(sum.busy.begin(), sum.busy.end(), part.busy.begin(), sum.busy.begin(),
                           std::plus<>());
            std::transform(sum.vectors.begin(), sum.vectors.end(), part.vectors.begin(),
                           sum.vectors.begin(), std::plus<>()); // a core is in one shard alone
            std::transform(sum.waiting.begin(), sum.waiting.end(), part.waiting.begin(),
                           sum.waiting.begin(), std::plus<>());
        }
        sum.mean_latency_ns = sum.forwarded > 0 ? static_cast<double>(latency) * 1e-3 /
                                                      static_cast<double>(sum.forwarded)
                                                : 0;
    }
}

void add(ClassCount &to, const ClassCount &from)
{
    to.offered += from.offered;
    to.forwarded += from.forwarded;
    to.in_flight += from.in_flight;
    to.latency += from.latency;
}

std::uint64_t lost(const ClassCount &count)
{
    return count.offered - count.forwarded - count.in_flight;
}

void collect_classes(const Layout &layout, const Shards &shards, Results &results)
{
    std::uint64_t dropped_in_all = 0;
    for (std::size_t c = 0; c < layout.class_names.size(); ++c) {
        ClassCount now;
        ClassCount then;
        ClassResult result;
        result.latency = Histogram(static_cast<unsigned>(layout.model.run.histogram_digits));
        for (const auto &shard : shards) {
            add(now, shard->class_counts()[c]);
            if (!shard->start.classes.empty()) {
                add(then, shard->start.classes[c]);
            }
            for (const auto &group : shard->groups) {
                const Recorder &recorder = group->recorder;
                result.latency.add(recorder.by_class.empty() ? recorder.histogram
                                                             : recorder.histograms[c]);
            }
        }
        result.name = layout.class_names[c];
        result.offered = now.offered;
        result.forwarded = now.forwarded;
        result.in_flight = now.in_flight;
        result.dropped = lost(now);
        dropped_in_all += result.dropped;
        auto offered = static_cast<double>(now.offered - then.offered);
        auto forwarded = static_cast<double>(now.forwarded - then.forwarded);
        if (results.measured_ns > 0) {
            result.offered_pps = offered / (results.measured_ns * 1e-9);
            result.throughput_pps = forwarded / (results.measured_ns * 1e-9);
        }
        result.loss_ratio = offered > 0 ? static_cast<double>(lost(now) - lost(then)) / offered : 0;
        result.mean_latency_ns =
            forwarded > 0 ? static_cast<double>(now.latency - then.latency) * 1e-3 / forwarded : 0;
        results.classes.push_back(std::move(result));
    }
    if (dropped_in_all != results.dropped) {
        throw InvariantError("a bug of the simulator: dropped = Σ dropped by class does not hold");
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
        return batches.rate(confidence, forwarded);
    case PrecisionTarget::latency:
        return batches.ratio(confidence, latency_ns, forwarded);
    case PrecisionTarget::loss:
        break;
    }
    return batches.ratio(confidence, dropped, offered);
}

Results collect(const Layout &layout, const Shards &shards, std::string stopped_by)
{
    Results results;
    double confidence = layout.model.run.confidence;
    Batches batches = merged_batches(shards);
    results.stopped_by = std::move(stopped_by);
    results.simulated_ns = ns_from(shards.front()->now());
    results.measured_ns = ns_from(shards.front()->now() - shards.front()->start.at);
    collect_counts(layout, shards, results);
    results.offered_pps = batches.rate(confidence, offered);
    results.throughput_pps = estimate_of(PrecisionTarget::throughput, batches, confidence);
    results.throughput_bps =
        batches.rate(confidence, [](const Totals &t) { return static_cast<double>(t.bytes) * 8; });
    results.loss_ratio = estimate_of(PrecisionTarget::loss, batches, confidence);
    results.mean_latency_ns = estimate_of(PrecisionTarget::latency, batches, confidence);
    results.cores.resize(layout.model.cores.size());
    results.queues.resize(layout.queues.size());
    results.latency = Histogram(static_cast<unsigned>(layout.model.run.histogram_digits));
    for (const auto &shard : shards) {
        shard->check_invariants();
        collect_cores(*shard, batches, confidence, results);
        collect_queues(layout, *shard, results);
        for (const auto &group : shard->groups) {
            results.latency.add(group->recorder.histogram);
            for (const auto &[number, core] : group->cores) {
                for (const TaskRun &task : core->tasks) {
                    results.steps += task.bursts;
                }
            }
        }
    }
    collect_series(shards, results);
    collect_classes(layout, shards, results);
    collect_trace(layout, shards, results);
    return results;
}

} // namespace planecast::sim
