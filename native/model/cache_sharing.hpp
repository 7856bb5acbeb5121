// Regions that share a cache, for some scenarios side by side in vectors: how long lines stay, and
// which share of each region's touches is served. src/planecast/machine/cache_sharing.py has the
// equations and their sources.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace planecast::model
{

inline constexpr std::size_t kLanes = 32;  // scenarios that are iterated together
inline constexpr unsigned kMostShape = 64; // of a line's lifetimes
inline constexpr double kGone = 600;     // exp(-600) is nothing, and no special case of any library
inline constexpr double kForEver = 1e30; // packets that a line stays where everything fits

// A number of each of kLanes scenarios.
using Lane = std::array<double, kLanes>;

// A row of a table from `first` on, `count` of kLanes; the others get `rest`.
Lane lane_of(const double *row, std::size_t first, std::size_t count, double rest);
void store(const Lane &lane, double *row, std::size_t first, std::size_t count);

// A line stays for a time that is gamma distributed: of the shape of the cache's ways where the
// least recently used line of a set goes, of shape 1 where any goes at random.
class CacheSharing
{
  public:
    CacheSharing(std::size_t regions, const bool *cyclic)
        : lines(regions), touches(regions), rates(regions), out(regions), cyclic_(cyclic)
    {
    }

    // By region: distinct lines, touches a packet (both 0 where the region isn't used or can't be
    // held), touches of a line a packet, and 1 where it can't be held and is served nothing.
    std::vector<Lane> lines, touches, rates, out;
    Lane inserted{}; // lines a packet that others bring in and never touch again
    unsigned shape = 1;

    // Mean packets that a line stays in a cache of so many lines. `time` is a guess from below (0
    // will do).
    void find_time(const Lane &capacity, Lane &time) const;

    // The share of a region's touches that are served when lines stay so long.
    void share(std::size_t region, const Lane &time, Lane &found) const;

    // The same, and how many of its lines are held, and more of them for each packet more.
    void hold(std::size_t region, const Lane &time, Lane &served, Lane &held, Lane &slope) const;

    // The same of a region whose lines meet in few of a cache's sets, which they fill so many times
    // as densely as all of them: a line stays there until these are full. What `hold` found is
    // taken and changed.
    void hold_crowded(std::size_t region, const Lane &crowding, const Lane &capacity,
                      const Lane &time, Lane &served, Lane &held, Lane &slope) const;

    // Whether lines leave at all: 1 where not everything fits, or others bring in lines.
    Lane leaves(const Lane &capacity) const;

    // Newton's step from a time at which so much room is left; the largest relative change beyond
    // what is exact.
    static double advance(const Lane &room, const Lane &slope, const Lane &open, Lane &time);

    // Packets that a line stays at least: nothing is held at time 0, so that step is known.
    Lane least_time(const Lane &capacity) const;

  private:
    Lane every_line() const;

    const bool *cyclic_;
};

} // namespace planecast::model
