// Lines that a pass over a burst asks for before a later one uses them: a burst waits once, for the
// first region of a group that it misses. src/planecast/machine/asked_ahead.py has the equations.
#pragma once

#include "lane.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace planecast::model
{

struct Asked {
    const std::int32_t *group; // by region, regions in the order of use; -1: of no group
    std::size_t groups;
    Rows covered;     // cycles that pass in between, for all of …
    Rows burst;       // the packets that wait together, at most a burst
    Row last, memory; // cycles of a level's first line beyond one of many
};

// Misses come together: m lines count as m to this power that are missed each for itself.
inline constexpr double kApart = 2.0 / 3;

// What some scenarios' bursts wait once for.
class BurstWaits
{
  public:
    BurstWaits(const Asked &asked, std::size_t regions)
        : asked_(asked), independent_(regions), untouched_(regions), last_(regions),
          memory_(regions), none_before_(asked.groups)
    {
    }

    // What a burst waits for a region's lines at most, how many bursts touch none of them, and how
    // many independent ones the others do.
    void load(std::size_t region, std::size_t first, std::size_t count, const Lane &touches)
    {
        const Lane covered = lane_of(asked_.covered[region], first, count, 0);
        const Lane burst = lane_of(asked_.burst[region], first, count, 1);
        const Lane last = lane_of(asked_.last, first, count, 0);
        const Lane memory = lane_of(asked_.memory, first, count, 0);
        last_[region].share = memory_[region].share = Lane{};
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double open = std::max(last[i] - covered[i], 0.0) / burst[i];
            last_[region].cycles[i] = open;
            memory_[region].cycles[i] = std::max(memory[i] - covered[i], 0.0) / burst[i] - open;
            const double missing = std::log(std::max(1.0 - touches[i], kLeastShare));
            const double none = std::exp(std::max(burst[i] * missing, -kGone));
            untouched_[region][i] = none;
            independent_[region][i] =
                std::pow(burst[i] * touches[i] / std::max(1.0 - none, kLeastShare), kApart);
        }
    }

    bool asked(std::size_t region) const { return asked_.group[region] >= 0; }

    // Before the first region of all.
    void begin()
    {
        for (Lane &none : none_before_)
            none.fill(1.0);
    }

    // Adds to a cost what a packet waits for the first of its burst's lines of the last level, or
    // what it waits longer for one of memory, where that is this region's: those of the group
    // before it were served.
    void wait_for_last(std::size_t region, const Lane &served, Lane &cost)
    {
        wait(region, served, last_[region], cost);
    }
    void wait_for_memory(std::size_t region, const Lane &served, Lane &cost)
    {
        wait(region, served, memory_[region], cost);
    }

    // Share of bursts that wait for a region's lines though they were asked for ahead.
    const Lane &last(std::size_t region) const { return last_[region].share; }
    const Lane &memory(std::size_t region) const { return memory_[region].share; }

  private:
    struct Waits {
        Lane cycles{}; // a packet, at most
        Lane share{};  // of bursts
    };

    void wait(std::size_t region, const Lane &served, Waits &waits, Lane &cost)
    {
        if (std::ranges::max(waits.cycles) <= 0)
            return; // nor does the group wait for a later one: more is done before its use
        Lane &none = none_before_[static_cast<std::size_t>(asked_.group[region])];
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector untouched = untouched_[region].part(v), before = none.part(v);
            const Vector own =
                untouched +
                (1.0 - untouched) * power_of(served.part(v), independent_[region].part(v));
            const Vector cycles = waits.cycles.part(v);
            const Vector share = cycles > 0.0 ? before * (1.0 - own) : kZero;
            waits.share.set_part(v, share);
            cost.set_part(v, cost.part(v) + share * cycles);
            none.set_part(v, before * own);
        }
    }

    const Asked &asked_;
    std::vector<Lane> independent_; // lines of a burst
    std::vector<Lane> untouched_;   // share of bursts without a touch
    std::vector<Waits> last_, memory_;
    std::vector<Lane> none_before_; // by group: share of bursts that no region waited for yet
};

} // namespace planecast::model
