// Regions that share a cache, for some scenarios side by side in vectors: how long lines stay, and
// which share of each region's touches is served. src/planecast/machine/cache_sharing.py has the
// equations and their sources.
#pragma once

#include "lane.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace planecast::model
{

inline constexpr unsigned kMostShape = 64; // of a line's lifetimes
inline constexpr double kForEver = 1e30;   // packets that a line stays where everything fits

// A line stays for a time that is gamma distributed: of the shape of the cache's ways where the
// least recently used line of a set goes, of shape 1 where any goes at random.
class CacheSharing
{
  public:
    CacheSharing(std::size_t regions, const bool *cyclic)
        : lines(regions), touches(regions), rates(regions), crowding(regions), cyclic_(cyclic),
          stays_(regions), when_(regions)
    {
    }

    // By region: distinct lines, touches a packet (both 0 where the region isn't used), touches of
    // a line a packet, and how many times as densely its lines fill the sets that they meet in as
    // all sets (at most 1: they meet in all).
    std::vector<Lane> lines, touches, rates, crowding;
    Lane inserted{}; // lines a packet that others bring in and never touch again
    unsigned shape = 1;

    // Forgets how long lines stayed in the cache before this one.
    void begin()
    {
        std::ranges::fill(stays_, Lane{});
        std::ranges::fill(when_, Lane{});
    }

    // Mean packets that a line stays in a cache of so many lines. `time` is a guess (0 will do).
    void find_time(const Lane &capacity, Lane &time) const;

    // The share of a region's touches that are served when lines stay so long.
    void share(std::size_t region, const Lane &capacity, const Lane &time, Lane &found) const;

    // The same, and how many of its lines are held, and more of them for each packet more, in a
    // cache of so many lines. What fits is there, touched or not.
    void hold(std::size_t region, const Lane &capacity, const Lane &time, Lane &served, Lane &held,
              Lane &slope) const;

    // Whether lines leave at all: 1 where there isn't room for all that can be held, or others
    // bring in lines.
    Lane leaves(const Lane &capacity) const;

    // Newton's step of the times that are moving, at which so much room is left; those that moved
    // little are exact and stop. Whether all are.
    static bool advance(const Lane &room, const Lane &slope, Lane &moving, Lane &time);

    // Packets that a line stays at least: nothing is held at time 0, so that step is known.
    Lane least_time(const Lane &capacity) const;

  private:
    // Where the region's lines meet in all sets, and where they don't.
    void hold_evenly(std::size_t region, const Lane &time, Lane &served, Lane &held,
                     Lane &slope) const;
    void crowd(std::size_t region, const Lane &capacity, const Lane &time, Lane &served, Lane &held,
               Lane &slope) const;
    Lane every_line() const;
    Lane holdable(const Lane &capacity) const;

    const bool *cyclic_;
    // By region: packets that a line stays where they crowd, when it stays so many elsewhere.
    mutable std::vector<Lane> stays_, when_;
};

} // namespace planecast::model
