// The part of a model that one host thread simulates: some groups of cores and the receive streams
// that feed them, driven through time in slabs.
//
// Within a slab the streams are written ahead and every group runs to its end, one after the other.
// Marks (warm-up, batches, samples) end a slab, so nothing looks at them packet by packet.
#pragma once

#include "batches.hpp"
#include "group.hpp"
#include "layout.hpp"
#include "rx_stream.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace planecast::sim
{

class Shard
{
  public:
    // `counts`: for each card, whether this shard counts what it receives.
    Shard(const Layout &layout, const std::vector<std::size_t> &groups,
          const std::vector<bool> &counts);

    // Runs to this instant, or to where `stop` says so (asked after each slab).
    void run_until(Ps instant, const std::function<bool(const Shard &)> &stop);

    // Runs to exactly this instant and counts all that happened before it.
    void finish(Ps instant);

    Ps now() const { return now_; }
    std::uint64_t steps() const;
    Snapshot snapshot() const; // of this moment

    std::vector<std::unique_ptr<RxStream>> streams;
    std::vector<std::unique_ptr<Group>> groups;
    Batches batches;
    Snapshot start;                     // the warm-up's end …
    Ps started = 0;                     // … and when it was
    std::vector<Sample> series;         // mean_latency_ns still 0 …
    std::vector<Int128> series_latency; // … and these the sums, in picoseconds

  private:
    void build_stream(const Layout &layout, std::size_t nic, bool counted);
    Ps next_mark() const;
    void handle_marks();
    void sample();
    Ps write_ahead(Ps until);

    const Layout &layout_;
    const Run &run_;
    Ps now_ = 0;
    Ps warmup_;
    Ps longest_slab_;
    bool warm_ = false;
    Snapshot previous_batch_;
    Snapshot previous_sample_;
    Ps series_interval_;
    Ps next_sample_;
    std::uint64_t written_ = 0;
    std::vector<Ps> horizons_; // by stream
};

} // namespace planecast::sim
