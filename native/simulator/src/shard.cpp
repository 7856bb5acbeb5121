#include "shard.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

// Packets that are written ahead: enough to amortise a slab's end, few enough for the host's L1.
constexpr std::size_t kSlabPackets = 1024;

constexpr std::size_t kRssTable = 128; // entries of a port's indirection table

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
    start = previous_batch_ = previous_sample_ = snapshot();
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
                port->add(std::make_unique<TrafficSource>(source, run_.seed, s, layout.classes[s],
                                                          model.rx_queues > 1));
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
        std::vector<PacketQueue *> table(kRssTable);
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
        start = previous_batch_ = snapshot();
        started = now_;
    } else if (warm_ && now_ == batches.next()) {
        Snapshot now = snapshot();
        batches.end_batch(now, previous_batch_);
        previous_batch_ = std::move(now);
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

Snapshot Shard::snapshot() const
{
    Snapshot now(layout_.model.cores.size(), layout_.queues.size(), layout_.class_names.size());
    for (const auto &stream : streams) {
        if (stream->counted) {
            now.all[kOffered] += stream->counts.offered;
            now.all[kDropped] += stream->counts.dropped;
            for (std::size_t c = 0; c < stream->offered_by_class.size(); ++c) {
                now.classes[c][kOffered] += stream->offered_by_class[c];
            }
        }
    }
    for (const auto &group : groups) {
        group->count(now, now_);
    }
    if (now.classes.size() == 1) { // not counted by class: it is all there is
        now.classes[0] = now.all;
    }
    return now;
}

void Shard::sample()
{
    Snapshot now = snapshot();
    Snapshot part = now;
    part -= previous_sample_;
    Sample one;
    one.end_ns = ns_from(now_);
    one.offered = static_cast<std::uint64_t>(part.all[kOffered]);
    one.forwarded = static_cast<std::uint64_t>(part.all[kForwarded]);
    one.dropped = static_cast<std::uint64_t>(part.all[kDropped]);
    for (const auto &core : part.cores) {
        one.busy.push_back(static_cast<double>(core[kBusy]) /
                           static_cast<double>(series_interval_));
        one.vectors.push_back(core[kBursts] > 0 ? static_cast<double>(core[kPackets]) /
                                                      static_cast<double>(core[kBursts])
                                                : 0);
    }
    for (const auto &queue : now.queues) {
        one.waiting.push_back(static_cast<std::uint64_t>(queue[kInside]));
    }
    series.push_back(std::move(one));
    series_latency.push_back(part.all[kLatency]);
    previous_sample_ = std::move(now);
    next_sample_ = later(next_sample_, series_interval_);
}

} // namespace planecast::sim
