#include "cache_sharing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace planecast::model
{

namespace
{

constexpr int kMostSteps = 100;
constexpr double kExact = 1e-5;   // relative step; the error left is about its square
constexpr double kMostGrowth = 4; // of a time in a step, times itself
constexpr double kLittle = 1e-9;  // of all lines: fewer that are not held have no logarithm
constexpr double kTiny = 1e-300;

constexpr std::array<double, kMostShape + 1> kOverFactorial = [] {
    std::array<double, kMostShape + 1> found{1.0};
    for (std::size_t j = 1; j <= kMostShape; ++j)
        found[j] = found[j - 1] / static_cast<double>(j);
    return found;
}();

// A power of each, by the exponent's bits.
inline Vectors to_the(const Vectors &base, unsigned exponent)
{
    Vectors found = base;
    for (unsigned bit = std::bit_floor(exponent) >> 1; bit > 0; bit >>= 1)
        for (std::size_t v = 0; v < kVectors; ++v)
            found[v] *= exponent & bit ? found[v] * base[v] : found[v];
    return found;
}

// Poisson sums: `below` is the chance of fewer than `shape` arrivals of a mean, `up_to` of at most
// so many: the survival functions of gamma distributions of shapes `shape` and `shape` + 1.
inline void survive(const Vectors &mean, unsigned shape, Vectors &below, Vectors &up_to)
{
    Vectors sum;
    for (std::size_t v = 0; v < kVectors; ++v)
        sum[v] = Vector{} + kOverFactorial[shape - 1];
    for (unsigned j = shape - 1; j-- > 0;) // by Horner's rule: a product and a sum each
        for (std::size_t v = 0; v < kVectors; ++v)
            sum[v] = sum[v] * mean[v] + kOverFactorial[j];
    const Vectors last = to_the(mean, shape);
    for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector none = exp_of(-mean[v]);
        up_to[v] = least((sum[v] + last[v] * kOverFactorial[shape]) * none, kOne);
        below[v] = least(sum[v] * none, kOne);
    }
}

} // namespace

void CacheSharing::set(std::size_t region, const Lane &own, const Lane &touched, bool used)
{
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double held = std::max(own[i], kLeastLines);
        const double there = touched[i] > 0 && used ? 1.0 : 0.0;
        rates[region][i] = touched[i] / held;
        lines[region][i] = there * held;
        touches[region][i] = there * touched[i];
    }
}

// However long lines stay: where they crowd some sets no more than these keep of them.
Lane CacheSharing::holdable() const
{
    Lane found{};
    for (std::size_t region = 0; region < lines.size(); ++region) {
        const Lane &own = lines[region], &apart = crowded_[region].held;
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] += crowds(region, i) ? apart[i] : own[i];
    }
    return found;
}

Lane CacheSharing::leaves(const Lane &most, const Lane &capacity) const
{
    Lane found;
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = most[i] > capacity[i] || inserted[i] > 0 ? 1.0 : 0.0;
    return found;
}

Lane CacheSharing::leaves(const Lane &capacity) const
{
    return leaves(holdable(), capacity);
}

Lane CacheSharing::least_time(const Lane &capacity, std::size_t dense) const
{
    const Lane touched = sum(touches, dense);
    Lane found;
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = capacity[i] / std::max(touched[i] + inserted[i], kTiny);
    return found;
}

Lane CacheSharing::sum(const std::vector<Lane> &of, std::size_t dense) const
{
    Lane found{};
    for (std::size_t region = 0; region < of.size(); ++region)
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] += region == dense ? crowding[region][i] * of[region][i] : of[region][i];
    return found;
}

void CacheSharing::hold(std::size_t region, const Lane &time, Lane &served, Lane &held,
                        Lane &slope) const
{
    hold_evenly(region, time, served, held, slope);
    for (std::size_t i = 0; i < kLanes; ++i)
        served[i] = time[i] < kForEver ? served[i] : 1.0;
    const Crowded &apart = crowded_[region];
    if (!apart.any)
        return;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const bool some = crowds(region, i);
        served[i] = some ? apart.served[i] : served[i];
        held[i] = some ? apart.held[i] : held[i];
        slope[i] = some ? 0.0 : slope[i];
    }
}

void CacheSharing::hold_evenly(std::size_t region, const Lane &time, Lane &served, Lane &held,
                               Lane &slope) const
{
    const Lane &own = lines[region], &touched = touches[region], &rate = rates[region];
    const double ways = shape;
    if (cyclic_[region]) {
        Vectors mean, below, up_to;
        for (std::size_t v = 0; v < kVectors; ++v)
            mean[v] = least(ways / most(rate.part(v) * time.part(v), kZero + kTiny), kZero + kGone);
        survive(mean, shape, below, up_to);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector coming = touched.part(v) * (1.0 - up_to[v]);
            served.set_part(v, below[v]);
            held.set_part(v, own.part(v) * below[v] + coming * time.part(v));
            slope.set_part(v, coming);
        }
        if (region == passing) {
            Lane goes; // the share served that comes with a packet more
            for (std::size_t v = 0; v < kVectors; ++v)
                goes.set_part(v, ways * (up_to[v] - below[v]) / most(time.part(v), kZero + kTiny));
            pass(goes, served, held, slope);
        }
        return;
    }
    Vectors kept; // of a line in one stage of its life
    for (std::size_t v = 0; v < kVectors; ++v)
        kept[v] = 1.0 / (1.0 + least(rate.part(v) * time.part(v), kZero + 1e30) * (1.0 / ways));
    const Vectors gone = to_the(kept, shape); // in all of them
    for (std::size_t v = 0; v < kVectors; ++v) {
        served.set_part(v, 1.0 - gone[v]);
        held.set_part(v, own.part(v) * (1.0 - gone[v]));
        slope.set_part(v, touched.part(v) * gone[v] * kept[v]);
    }
}

// A line is found by a share s of the touches after which it was there; it is there after a touch
// that found it, and after a share of the others: h = s (h + (1 - h) takes).
void CacheSharing::pass(const Lane &goes, Lane &served, Lane &held, Lane &slope) const
{
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double left = 1.0 - served[i] * (1.0 - takes[i]);
        const double found = served[i] * takes[i] / left;
        const double there = takes[i] + found * (1.0 - takes[i]);
        slope[i] =
            slope[i] * there + held[i] * (1.0 - takes[i]) * takes[i] / (left * left) * goes[i];
        held[i] *= there;
        served[i] = found;
    }
}

// Newton's steps. Where lines are many more than others bring in, those that are not held get
// fewer by about the power of the shape that the time grows by: steps of that power are straight.
// What is below and above the time is kept, and a step that leaves it is one to the middle.
template <typename Hold>
void CacheSharing::solve(const Lane &capacity, const Lane &all, const Lane &first, const Lane &open,
                         Lane &time, const Hold &hold_all) const
{
    Lane moving = open;
    Lane below = first, above;
    above.fill(kForEver);
    for (std::size_t i = 0; i < kLanes; ++i)
        time[i] = std::max(time[i] < kForEver ? time[i] : 0.0, first[i]);
    const double ways = shape;
    for (int round = 0; std::ranges::max(moving) > 0 && round < kMostSteps; ++round) {
        Lane taken{}, slope{};
        hold_all(time, taken, slope);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector now = time.part(v), every = all.part(v), in = inserted.part(v);
            const Vector room = capacity.part(v) - taken.part(v) - in * now;
            const Vector under = room >= 0.0 ? most(below.part(v), now) : below.part(v);
            const Vector over = room < 0.0 ? least(above.part(v), now) : above.part(v);
            // Lines that are not held, and those of them that there is no room for.
            const Vector little = kLittle * every + kTiny;
            const Vector gone = most(every - taken.part(v), 1e-3 * little);
            const Vector may = every - capacity.part(v) + in * now, some = most(may, little);
            const Vector power = ways * (exp_of(log_of(gone / some) / ways) - 1.0) /
                                 (in / some + slope.part(v) / gone + kTiny);
            const Vector linear = room / (slope.part(v) + in + kTiny);
            const Vector step = least(may > little ? power : linear, kMostGrowth * now);
            const Vector middle = exp_of(0.5 * (log_of(over) + log_of(under))) - now;
            const Vector down = step < under - now - kExact * now ? middle : step;
            const Vector bounded = step > over - now ? middle : down;
            const Vector change = moving.part(v) > 0.0 ? bounded : kZero;
            below.set_part(v, under);
            above.set_part(v, over);
            time.set_part(v, now + change);
            moving.set_part(v, most(change, -change) > kExact * now ? kOne : kZero);
        }
    }
    for (std::size_t i = 0; i < kLanes; ++i)
        time[i] = open[i] != 0.0 ? time[i] : kForEver;
}

// In the sets that a region's lines crowd, crowding * held(t) + the lines that all others hold when
// theirs stay t too = capacity: how long lines stay elsewhere does not matter there.
void CacheSharing::crowd(const Lane &capacity)
{
    Lane served, held, slope;
    for (std::size_t crowded = 0; crowded < lines.size(); ++crowded) {
        Crowded &apart = crowded_[crowded];
        apart.any = std::ranges::max(crowding[crowded]) > 1.0;
        if (!apart.any)
            continue;
        const Lane all = sum(lines, crowded);
        Lane open = leaves(all, capacity);
        for (std::size_t i = 0; i < kLanes; ++i)
            open[i] = crowds(crowded, i) ? open[i] : 0.0;
        solve(capacity, all, least_time(capacity, crowded), open, apart.stays,
              [&](const Lane &time, Lane &taken, Lane &grows) {
                  for (std::size_t region = 0; region < lines.size(); ++region) {
                      hold_evenly(region, time, served, held, slope);
                      for (std::size_t i = 0; i < kLanes; ++i) {
                          const double densely = region == crowded ? crowding[region][i] : 1.0;
                          taken[i] += densely * held[i];
                          grows[i] += densely * slope[i];
                      }
                  }
              });
        hold_evenly(crowded, apart.stays, served, apart.held, slope);
        for (std::size_t i = 0; i < kLanes; ++i)
            apart.served[i] = apart.stays[i] < kForEver ? served[i] : 1.0;
    }
}

void CacheSharing::find_time(const Lane &capacity, Lane &time)
{
    crowd(capacity);
    const Lane all = holdable();
    Lane served, held, slope;
    solve(capacity, all, least_time(capacity), leaves(all, capacity), time,
          [&](const Lane &now, Lane &taken, Lane &grows) {
              for (std::size_t region = 0; region < lines.size(); ++region) {
                  hold(region, now, served, held, slope);
                  for (std::size_t i = 0; i < kLanes; ++i) {
                      taken[i] += held[i];
                      grows[i] += slope[i];
                  }
              }
          });
}

bool CacheSharing::advance(const Lane &room, const Lane &slope, Lane &moving, Lane &time)
{
    double left = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double step = std::max(room[i] / slope[i], -0.5 * time[i]);
        const double change = moving[i] > 0 ? step : 0.0; // a step of what stays may have no bound
        time[i] += change;
        moving[i] = std::abs(change) > kExact * time[i] ? 1.0 : 0.0;
        left = std::max(left, moving[i]);
    }
    return left == 0.0;
}

void CacheSharing::share(std::size_t region, const Lane &time, Lane &found) const
{
    Lane held, slope;
    hold(region, time, found, held, slope);
}

} // namespace planecast::model
