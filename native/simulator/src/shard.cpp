#include "shard.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

// Packets that are written ahead: enough to amortise a slab's end, few enough for the host's L1.
constexpr std::size_t kSlabPackets = 1024;

Ps batch_length(const Model &model)
{
    const Run &run = model.run;
    double measured = run.duration_ns - run.warmup_ns;
    double length = measured / static_cast<double>(run.batches);
    if (run.precision > 0) {
        // Batches start with some thousand packets and grow by merging, however long the run may
        // be.
        double rate = 0;
        for (const Source &source : model.sources) {
            rate += source.arrivals.rate_pps;
        }
        length = std::min(length, std::max(1e4, rate > 0 ? 4096e9 / rate : 1e6));
    }
    return std::max<Ps>(1, ps_from_ns(length));
}

// Disturbances are steps without packets: a slab isn't longer than 100,000 of them.
Ps slab_length(const Model &model)
{
    double rate = 0;
    for (const Core &core : model.cores) {
        for (const Disturbance &disturbance : core.disturbances) {
            rate += disturbance.rate_per_second;
        }
    }
    return rate > 0 ? std::max<Ps>(1, ps_from(1e5 / rate * 1e12)) : kNever;
}

} // namespace

Shard::Shard(const Layout &layout, const std::vector<std::size_t> &numbers,
             const std::vector<bool> &counts)
    : batches(ps_from_ns(layout.model.run.warmup_ns), batch_length(layout.model),
              layout.model.run.batches),
      layout_(layout), run_(layout.model.run), warmup_(ps_from_ns(run_.warmup_ns)),
      longest_slab_(slab_length(layout.model)),
      series_interval_(ps_from_ns(run_.series_interval_ns)),
      next_sample_(series_interval_ > 0 ? series_interval_ : kNever)
{
    for (std::size_t number : numbers) {
        groups.push_back(std::make_unique<Group>(layout, number));
    }
    for (std::size_t nic = 0; nic < layout.nics.size(); ++nic) {
        build_stream(layout, nic, counts[nic]);
    }
    horizons_.resize(streams.size());
    previous_batch_ = previous_sample_ = totals();
    previous_times_ = core_times();
    handle_marks(); // a warm-up of no time
}

void Shard::build_stream(const Layout &layout, std::size_t nic, bool counted)
{
    auto stream = std::make_unique<RxStream>(layout.nics[nic], layout.largest_frame,
                                             layout.class_names.size(), counted);
    stream->name = layout.nics[nic].name;
    for (std::size_t p = 0; p < layout.model.ports.size(); ++p) {
        const Port &model = layout.model.ports[p];
        if (layout.nic_of_port[p] != nic) {
            continue;
        }
        auto port = std::make_unique<RxPort>(model, layout.largest_frame);
        bool sends = false;
        for (std::size_t s = 0; s < layout.model.sources.size(); ++s) {
            const Source &source = layout.model.sources[s];
            if (source.port == model.name) {
                sends = true;
                port->add(std::make_unique<TrafficSource>(
                    source, model, run_.seed, s, layout.classes[s], layout.flows_matter(p)));
            }
        }
        if (!sends) {
            continue;
        }
        std::vector<PacketQueue *> rings(model.rx_queues);
        for (auto &group : groups) {
            for (auto &[number, queue] : group->queues) {
                std::size_t first = layout.first_rx_queue[p];
                if (number >= first && number < first + model.rx_queues) {
                    rings[number - first] = queue.get();
                    stream->queues.push_back(queue.get());
                }
            }
        }
        std::vector<PacketQueue *> table(model.rss_table);
        for (std::size_t i = 0; i < table.size(); ++i) { // as drivers fill it
            table[i] = rings[i % rings.size()];
        }
        port->steer(std::move(table));
        stream->ports.push_back(std::move(port));
    }
    stream->connect();
    if (!stream->queues.empty() || (counted && !stream->ports.empty())) {
        streams.push_back(std::move(stream));
    }
}

Ps Shard::next_mark() const
{
    return std::min(next_sample_, warm_ ? batches.next() : warmup_);
}

void Shard::handle_marks()
{
    if (!warm_ && now_ == warmup_) {
        warm_ = true;
        for (auto &group : groups) {
            group->recorder.clear_histograms();
            for (auto &[number, queue] : group->queues) {
                queue->counts.max = queue->waiting();
            }
        }
        start = baseline();
        previous_batch_ = totals();
    } else if (warm_ && now_ == batches.next()) {
        Totals all = totals();
        batches.end_batch(all, previous_batch_);
        previous_batch_ = std::move(all);
    }
    if (now_ == next_sample_) {
        sample();
    }
}

// Every stream up to `until` or a slab's worth of packets; the earliest of their horizons.
Ps Shard::write_ahead(Ps until)
{
    Ps horizon = until;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (!streams[i]->exhausted && horizons_[i] <= now_) {
            std::uint64_t before = streams[i]->counts.offered;
            horizons_[i] = streams[i]->advance(until, kSlabPackets);
            written_ += streams[i]->counts.offered - before;
        }
        if (!streams[i]->exhausted) {
            horizon = std::min(horizon, horizons_[i]);
        }
    }
    return std::max(horizon, now_); // many packets of one instant
}

void Shard::run_until(Ps instant, const std::function<bool(const Shard &)> &stop)
{
    while (now_ < instant) {
        Ps horizon = write_ahead(std::min({instant, next_mark(), later(now_, longest_slab_)}));
        for (auto &group : groups) {
            group->run_until(horizon);
            for (auto &[number, queue] : group->queues) {
                queue->settle(horizon - 1);
            }
        }
        now_ = horizon;
        if (now_ == next_mark() || now_ == instant) {
            for (auto &group : groups) {
                group->settle(now_);
            }
        }
        while (now_ == next_mark()) {
            handle_marks();
        }
        if (stop(*this)) {
            break;
        }
    }
}

void Shard::finish(Ps instant)
{
    run_until(instant, [](const Shard &) { return false; });
    for (auto &group : groups) {
        group->settle(now_);
    }
}

std::uint64_t Shard::steps() const
{
    std::uint64_t steps = written_; // a packet that is written ahead is work as well
    for (const auto &group : groups) {
        steps += group->steps;
    }
    return steps;
}

Totals Shard::totals() const
{
    Totals all;
    all.bursts.resize(layout_.model.cores.size());
    all.packets.resize(layout_.model.cores.size());
    for (const auto &stream : streams) {
        if (stream->counted) {
            all.offered += stream->counts.offered;
            all.dropped += stream->counts.dropped;
        }
    }
    for (const auto &group : groups) {
        group->add_to(all);
    }
    return all;
}

std::uint64_t Shard::in_flight() const
{
    std::uint64_t packets = 0;
    for (const auto &group : groups) {
        packets += group->in_flight();
    }
    return packets;
}

Baseline Shard::baseline() const
{
    Baseline base;
    base.at = now_;
    base.classes = class_counts();
    base.cores = core_times();
    for (const auto &group : groups) {
        for (const auto &[number, queue] : group->queues) {
            base.queues.push_back(
                {number, queue->counts.area, queue->counts.waits, queue->counts.left});
        }
        for (const auto &[number, queue] : group->tx_queues) {
            base.queues.push_back({number, queue->waits - queue->waits_of_inside(now_),
                                   queue->waits, queue->entered});
        }
    }
    return base;
}

std::vector<CoreTime> Shard::core_times() const
{
    std::vector<CoreTime> times;
    for (const auto &group : groups) {
        for (const auto &[number, core] : group->cores) {
            times.push_back(core->time_at(now_));
        }
    }
    return times;
}

// Of this moment, since the start; where there is one class, it is all there is.
std::vector<ClassCount> Shard::class_counts() const
{
    std::vector<ClassCount> classes(layout_.class_names.size());
    if (classes.size() == 1) {
        Totals all = totals();
        classes[0] = {all.offered, all.forwarded, in_flight(), all.latency};
        return classes;
    }
    for (const auto &stream : streams) {
        for (std::size_t c = 0; c < classes.size() && stream->counted; ++c) {
            classes[c].offered += stream->offered_by_class[c];
        }
    }
    for (const auto &group : groups) {
        group->count_in_flight(classes);
        for (std::size_t c = 0; c < classes.size(); ++c) {
            classes[c].forwarded += group->recorder.by_class[c].forwarded;
            classes[c].latency += group->recorder.by_class[c].latency;
        }
    }
    return classes;
}

void Shard::sample()
{
    Totals all = totals();
    Totals part = difference(all, previous_sample_);
    Sample one;
    one.end_ns = ns_from(now_);
    one.offered = part.offered;
    one.forwarded = part.forwarded;
    one.dropped = part.dropped;
    one.busy.resize(layout_.model.cores.size());
    one.vectors.resize(layout_.model.cores.size());
    for (std::size_t core = 0; core < one.vectors.size(); ++core) {
        one.vectors[core] = part.bursts[core] > 0 ? static_cast<double>(part.packets[core]) /
                                                        static_cast<double>(part.bursts[core])
                                                  : 0;
    }
    one.waiting.resize(layout_.queues.size());
    std::vector<CoreTime> times = core_times();
    std::size_t i = 0;
    for (const auto &group : groups) {
        for (const auto &[number, core] : group->cores) {
            one.busy[number] = static_cast<double>(times[i].busy - previous_times_[i].busy) /
                               static_cast<double>(series_interval_);
            ++i;
        }
        for (const auto &[number, queue] : group->queues) {
            one.waiting[number] = queue->waiting();
        }
        for (const auto &[number, queue] : group->tx_queues) {
            one.waiting[number] = queue->inside();
        }
    }
    series.push_back(std::move(one));
    series_latency.push_back(part.latency);
    previous_sample_ = std::move(all);
    previous_times_ = std::move(times);
    next_sample_ = later(next_sample_, series_interval_);
}

} // namespace planecast::sim
