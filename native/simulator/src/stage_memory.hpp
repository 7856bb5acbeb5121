// The stages of a shard as users of the caches and the memory: at an interval, how often each of
// them is run decides what its packets wait, and so what they cost until the next time.
#pragma once

#include "group.hpp"
#include "memory_system.hpp"
#include "planecast/simulator/results.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace planecast::sim
{

class StageMemory
{
  public:
    // Of a model with a last-level cache. Prices the stages as those of an idle machine.
    StageMemory(const Memory &model, const std::vector<std::unique_ptr<Group>> &groups);

    // With the packet rates since the last time; it is `now`, and next() comes an interval later.
    void refresh(Ps now);
    Ps next() const { return next_; }

    // What tenants and neighbours hold of the cache.
    std::vector<CacheShare> cache_shares() const;
    double latency_ns() const { return system_.latency_ns(); }
    double traffic_gbps() const { return system_.traffic_gbps(); } // GB/s

  private:
    void add(TaskRun &task, std::size_t stage, std::uint64_t ways, const std::string &tenant);
    std::size_t tenant_of(const std::string &name);

    const Memory &model_;
    MemorySystem system_;
    Ps interval_;
    Ps next_ = 0;
    std::vector<std::string> tenants_;
    std::vector<MemoryUser> users_;
    // By user: where its stage runs, and how many packets had come there the last time.
    struct Place {
        TaskRun *task;
        std::size_t stage;
        std::uint64_t packets;
    };
    std::vector<Place> places_;
};

} // namespace planecast::sim
