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

inline constexpr unsigned kMostShape = 64;  // of a line's lifetimes
inline constexpr double kForEver = 1e30;    // packets that a line stays where everything fits
inline constexpr double kLeastLines = 1e-9; // of a region: rates are touches over lines
inline constexpr std::size_t kNone = ~std::size_t{}; // of the regions

// A line stays for a time that is gamma distributed: of the shape of the cache's ways where the
// least recently used line of a set goes, of shape 1 where any goes at random.
class CacheSharing
{
  public:
    CacheSharing(std::size_t regions, const bool *cyclic)
        : lines(regions), touches(regions), rates(regions), crowding(regions), cyclic_(cyclic),
          crowded_(regions)
    {
    }

    // By region: distinct lines, touches a packet (both 0 where the region isn't used), touches of
    // a line a packet, and how many times as densely its lines fill the sets that they meet in as
    // all sets (at most 1: they meet in all).
    std::vector<Lane> lines, touches, rates, crowding;
    Lane inserted{}; // lines a packet that others bring in and never touch again
    // A cyclic region of whose lines that a cache misses such a share takes room there.
    std::size_t passing = kNone;
    Lane takes{};
    unsigned shape = 1;

    // A region's lines and its touches a packet, where it is used.
    void set(std::size_t region, const Lane &own, const Lane &touched, bool used = true);

    // Forgets how long lines stayed in the cache before this one.
    void begin() { std::ranges::fill(crowded_, Crowded{}); }

    // Mean packets that a line stays in a cache of so many lines. `time` is a guess (0 will do).
    void find_time(const Lane &capacity, Lane &time);

    // Finds what stays of lines that crowd some sets of a cache of so many lines: `find_time` does,
    // all below answer for the cache that this was asked for.
    void crowd(const Lane &capacity);

    // The share of a region's touches that are served when lines stay so long.
    void share(std::size_t region, const Lane &time, Lane &found) const;

    // The same, and how many of its lines are held, and more of them for each packet more. What
    // fits is there, touched or not.
    void hold(std::size_t region, const Lane &time, Lane &served, Lane &held, Lane &slope) const;

    // Whether lines leave at all: 1 where there isn't room for all that can be held, or others
    // bring in lines.
    Lane leaves(const Lane &capacity) const;

    // Newton's step of the times that are moving, at which so much room is left; those that moved
    // little are exact and stop. Whether all are.
    static bool advance(const Lane &room, const Lane &slope, Lane &moving, Lane &time);

    // Packets that a line stays at least, where no region's lines crowd or one's do: nothing is
    // held at time 0, so that step is known.
    Lane least_time(const Lane &capacity, std::size_t dense = kNone) const;

  private:
    // Of a region whose lines meet in some sets: packets that a line stays there, the share of
    // touches that is served, and lines held.
    struct Crowded {
        bool any = false; // in some scenario
        Lane stays{}, served{}, held{};
    };

    bool crowds(std::size_t region, std::size_t i) const { return crowding[region][i] > 1; }
    // Where a region's lines meet in all sets.
    void hold_evenly(std::size_t region, const Lane &time, Lane &served, Lane &held,
                     Lane &slope) const;
    // Of a cyclic region all whose lines take room: the same where a share of them does.
    void pass(const Lane &goes, Lane &served, Lane &held, Lane &slope) const;
    Lane holdable() const;
    // Of all regions, one of them as often as it is dense.
    Lane sum(const std::vector<Lane> &of, std::size_t dense) const;
    Lane leaves(const Lane &most, const Lane &capacity) const;
    // The time at which what is held, and what others bring in, fills the capacity: from the
    // first on, where the scenario is open.
    template <typename Hold>
    void solve(const Lane &capacity, const Lane &all, const Lane &first, const Lane &open,
               Lane &time, const Hold &hold_all) const;

    const bool *cyclic_;
    std::vector<Crowded> crowded_;
};

} // namespace planecast::model
