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

Lane CacheSharing::every_line() const
{
    Lane found{};
    for (const Lane &own : lines)
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] += own[i];
    return found;
}

// However long lines stay: of those that meet in some sets no more than these have room for.
Lane CacheSharing::holdable(const Lane &capacity) const
{
    Lane found{};
    for (std::size_t region = 0; region < lines.size(); ++region) {
        const Lane &own = lines[region], &denser = crowding[region];
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] += denser[i] > 1 ? std::min(own[i], capacity[i] / denser[i]) : own[i];
    }
    return found;
}

Lane CacheSharing::leaves(const Lane &capacity) const
{
    Lane found;
    const Lane most = holdable(capacity);
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = most[i] > capacity[i] || inserted[i] > 0 ? 1.0 : 0.0;
    return found;
}

Lane CacheSharing::least_time(const Lane &capacity) const
{
    Lane touched = inserted, found;
    for (const Lane &own : touches)
        for (std::size_t i = 0; i < kLanes; ++i)
            touched[i] += own[i];
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = capacity[i] / std::max(touched[i], kTiny);
    return found;
}

void CacheSharing::hold(std::size_t region, const Lane &capacity, const Lane &time, Lane &served,
                        Lane &held, Lane &slope) const
{
    if (std::ranges::max(crowding[region]) > 1.0) {
        crowd(region, capacity, time, served, held, slope);
        return;
    }
    hold_evenly(region, time, served, held, slope);
    for (std::size_t i = 0; i < kLanes; ++i)
        served[i] = time[i] < kForEver ? served[i] : 1.0;
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

// crowding * held(t) + the others' lines = capacity. Of the lines that others hold everywhere, all
// that held(t) leaves, each leaves as soon as everywhere: of what they hold in T, t / T is there
// after t; where T is for ever all of it. By Newton's steps.
void CacheSharing::crowd(std::size_t region, const Lane &capacity, const Lane &time, Lane &served,
                         Lane &held, Lane &slope) const
{
    const Lane every = every_line(), &denser = crowding[region];
    Lane open, moving, staying{}; // where lines crowd; others' lines that stay for ever
    Lane &stays = stays_[region]; // begins where it was before, and stays where that was now
    for (std::size_t i = 0; i < kLanes; ++i) {
        const bool all = time[i] >= kForEver;
        staying[i] = all ? every[i] - lines[region][i] : 0.0;
        const bool full = !all || staying[i] + denser[i] * lines[region][i] > capacity[i];
        open[i] = denser[i] > 1 && lines[region][i] > 0 && full ? 1.0 : 0.0;
        const double touched = denser[i] * touches[region][i] + capacity[i] / time[i];
        const double least = (capacity[i] - staying[i]) / std::max(touched, kTiny);
        const double before = stays[i] < kForEver ? stays[i] : 0.0;
        const double begin = std::min(std::max(before, least), time[i]);
        moving[i] = time[i] == when_[region][i] ? 0.0 : open[i];
        stays[i] = open[i] == 0.0 ? time[i] : moving[i] == 0.0 ? stays[i] : begin;
    }
    when_[region] = time;
    Lane grows;
    for (int step = 0; step < kMostSteps; ++step) {
        Lane room;
        hold_evenly(region, stays, served, held, slope);
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double passed = stays[i] / time[i]; // 0 where all stay for ever
            const double others = (capacity[i] - held[i]) * passed + staying[i];
            room[i] = capacity[i] - others - denser[i] * held[i];
            grows[i] = denser[i] * slope[i] + (capacity[i] - held[i]) / time[i] -
                       passed * slope[i] + kTiny;
        }
        if (std::ranges::max(moving) == 0.0)
            break; // all is of the last step
        advance(room, grows, moving, stays);
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (open[i] != 0.0) // the time here grows with T
            slope[i] *= (capacity[i] - held[i]) / time[i] * stays[i] / time[i] / grows[i];
        else
            served[i] = time[i] < kForEver ? served[i] : 1.0;
    }
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

// Newton's steps. Where lines are many more than others bring in, those that are not held get
// fewer by about the power of the shape that the time grows by: steps of that power are straight.
// What is below and above the time is kept, and a step that leaves it is one to the middle.
void CacheSharing::find_time(const Lane &capacity, Lane &time) const
{
    const Lane open = leaves(capacity), first = least_time(capacity), all = holdable(capacity);
    Lane moving = open;
    Lane below = first, above;
    above.fill(kForEver);
    for (std::size_t i = 0; i < kLanes; ++i)
        time[i] = std::max(time[i] < kForEver ? time[i] : 0.0, first[i]);
    Lane served, held, grows;
    const double ways = shape;
    for (int round = 0; std::ranges::max(moving) > 0 && round < kMostSteps; ++round) {
        Lane taken{}, slope{};
        for (std::size_t region = 0; region < lines.size(); ++region) {
            hold(region, capacity, time, served, held, grows);
            for (std::size_t i = 0; i < kLanes; ++i) {
                taken[i] += held[i];
                slope[i] += grows[i];
            }
        }
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

void CacheSharing::share(std::size_t region, const Lane &capacity, const Lane &time,
                         Lane &found) const
{
    Lane held, slope;
    hold(region, capacity, time, found, held, slope);
}

} // namespace planecast::model
