#include "planecast/simulator/simulate.hpp"

#include "layout.hpp"
#include "results_builder.hpp"
#include "shard.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <numeric>

namespace planecast::sim
{

namespace
{

using Clock = std::chrono::steady_clock;

// Runs work(0 … count−1), each on a thread of its own; throws what one of them threw.
void in_parallel(std::size_t count, const std::function<void(std::size_t)> &work)
{
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < count; ++i) {
        others.push_back(std::async(std::launch::async, work, i));
    }
    work(0);
    for (std::future<void> &other : others) {
        other.get();
    }
}

// Groups onto threads, the next one where there are the fewest cores.
std::vector<std::vector<std::size_t>> deal_groups(const Layout &layout, std::size_t threads)
{
    std::vector<std::size_t> size(layout.groups);
    for (std::size_t group : layout.group_of_core) {
        ++size[group];
    }
    std::vector<std::vector<std::size_t>> hands(std::min(threads, layout.groups));
    std::vector<std::size_t> load(hands.size());
    for (std::size_t group = 0; group < layout.groups; ++group) {
        auto least =
            static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
        hands[least].push_back(group);
        load[least] += size[group];
    }
    return hands;
}

Shards build_shards(const Layout &layout)
{
    const Run &run = layout.model.run;
    // A step limit is exact only in one order of steps.
    auto hands = deal_groups(layout, run.max_steps > 0 ? 1 : run.threads);
    std::vector<bool> counted(layout.nics.size());
    Shards shards;
    for (const auto &hand : hands) {
        // What a card receives is counted by the first shard that has one of its queues.
        std::vector<bool> counts(layout.nics.size());
        for (std::size_t p = 0; p < layout.model.ports.size(); ++p) {
            const std::size_t nic = layout.nic_of_port[p];
            const QueueInfo *first = layout.queues.data() + layout.first_rx_queue[p];
            bool here = std::any_of(first, first + layout.model.ports[p].rx_queues, [&](auto &q) {
                return q.consumer_core != Layout::kNobody &&
                       std::find(hand.begin(), hand.end(), q.group) != hand.end();
            });
            if (here && !counted[nic]) {
                counted[nic] = counts[nic] = true;
            }
        }
        shards.push_back(std::make_unique<Shard>(layout, hand, counts));
    }
    return shards;
}

// Why a run ends early, if it does.
class Stopper
{
  public:
    Stopper(const Run &run, const std::atomic<bool> *cancel) : run_(run), cancel_(cancel) {}

    bool operator()(const Shard &shard)
    {
        const std::chrono::duration<double> gone = Clock::now() - began_;
        if (run_.max_steps > 0 && shard.steps() >= run_.max_steps) {
            reason = "step limit";
        } else if (run_.max_host_seconds > 0 && gone.count() > run_.max_host_seconds) {
            reason = "host time limit";
        }
        return reason != nullptr || cancelled();
    }
    bool cancelled() const
    {
        return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed);
    }

    std::atomic<const char *> reason = nullptr;

  private:
    const Run &run_;
    const std::atomic<bool> *cancel_;
    Clock::time_point began_ = Clock::now();
};

bool precise_enough(const Run &run, const Shards &shards)
{
    // Only where the list of batches is full, or half as long again: many looks at batches that are
    // still short would find a small spread by chance sooner or later.
    std::size_t count = shards.front()->batches.count();
    if (run.precision == 0 || shards.front()->now() < ps_from_ns(run.least_ns) ||
        count < run.batches || count % std::max<std::uint64_t>(1, run.batches / 2) != 0) {
        return false;
    }
    Batches batches = merged_batches(shards);
    Estimate e = estimate_of(run.precision_target, batches, run.confidence);
    return e.value > 0 && e.high - e.value <= run.precision * e.value;
}

std::string run_shards(const Run &run, const Shards &shards, const std::atomic<bool> *cancel)
{
    Stopper stopper(run, cancel);
    Ps end = ps_from_ns(run.duration_ns);
    Ps at = 0;
    while (at < end) {
        // Without a wanted precision one round is the whole run.
        Ps round = run.precision > 0 ? std::min(end, shards.front()->batches.next()) : end;
        in_parallel(shards.size(),
                    [&](std::size_t i) { shards[i]->run_until(round, std::ref(stopper)); });
        if (stopper.cancelled()) {
            throw Cancelled("the simulation was cancelled");
        }
        if (stopper.reason !=
            nullptr) { // threads stopped where they were: bring all to the latest of them
            Ps latest = 0;
            for (const auto &shard : shards) {
                latest = std::max(latest, shard->now());
            }
            for (const auto &shard : shards) {
                shard->finish(latest);
            }
            return stopper.reason.load();
        }
        at = round;
        if (precise_enough(run, shards)) {
            return "precision";
        }
    }
    return "duration";
}

} // namespace

Results simulate(const Model &model, const std::atomic<bool> *cancel)
{
    validate(model);
    Layout layout(model);
    Shards shards = build_shards(layout);
    std::string stopped_by = run_shards(model.run, shards, cancel);
    return collect(layout, shards, std::move(stopped_by));
}

std::vector<Results> simulate_many(const std::vector<Model> &models, unsigned threads,
                                   const std::atomic<bool> *cancel)
{
    for (const Model &model : models) {
        validate(model);
    }
    std::vector<Results> results(models.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::size_t count =
        std::min<std::size_t>(std::max(1U, threads), std::max<std::size_t>(1, models.size()));
    in_parallel(count, [&](std::size_t) {
        for (std::size_t i = next++; i < models.size() && !failed; i = next++) {
            try {
                results[i] = simulate(models[i], cancel);
            } catch (...) {
                failed = true;
                throw;
            }
        }
    });
    return results;
}

} // namespace planecast::sim
