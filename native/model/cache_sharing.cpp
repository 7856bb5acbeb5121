#include "cache_sharing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace planecast::model
{

namespace
{

constexpr int kMostSteps = 100; // a cache a millionth short of what is needed takes some 20
constexpr double kExact = 1e-5; // relative step; the error left is about its square
constexpr double kTiny = 1e-300;

// As many lanes as one register of this machine has: sums of many terms stay in them. (GCC keeps a
// vector that is longer than a register in memory, stored in halves and read as a whole: a stall.)
#ifdef __AVX512F__
constexpr std::size_t kRegister = 64;
#elif defined(__AVX__)
constexpr std::size_t kRegister = 32;
#else
constexpr std::size_t kRegister = 16;
#endif
using Vector = double __attribute__((vector_size(kRegister)));
constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);
static_assert(kLanes % kWidth == 0);

constexpr std::array<double, kMostShape + 1> kOverFactorial = [] {
    std::array<double, kMostShape + 1> found{1.0};
    for (std::size_t j = 1; j <= kMostShape; ++j)
        found[j] = found[j - 1] / static_cast<double>(j);
    return found;
}();

// Poisson sums: `below` is the chance of fewer than `shape` arrivals of a mean, `up_to` of at most
// so many: the survival functions of gamma distributions of shapes `shape` and `shape` + 1.
inline void survive(const Lane &mean, unsigned shape, Lane &below, Lane &up_to)
{
    Lane bounded, none;
    for (std::size_t i = 0; i < kLanes; ++i) {
        bounded[i] = std::min(mean[i], kGone);
        none[i] = std::exp(-bounded[i]);
    }
    constexpr std::size_t kVectors = kLanes / kWidth;
    std::array<Vector, kVectors> of, sum, last;
    std::memcpy(of.data(), bounded.data(), sizeof(of));
    for (Vector &one : sum) // by Horner's rule: a product and a sum each
        one = Vector{} + kOverFactorial[shape - 1];
    for (unsigned j = shape - 1; j-- > 0;)
        for (std::size_t v = 0; v < kVectors; ++v)
            sum[v] = sum[v] * of[v] + kOverFactorial[j];
    last = of; // to the power of `shape`, by its bits
    for (unsigned bit = std::bit_floor(shape) >> 1; bit > 0; bit >>= 1)
        for (std::size_t v = 0; v < kVectors; ++v)
            last[v] *= shape & bit ? last[v] * of[v] : last[v];
    std::memcpy(below.data(), sum.data(), sizeof(sum));
    std::memcpy(up_to.data(), last.data(), sizeof(last));
    for (std::size_t i = 0; i < kLanes; ++i) {
        up_to[i] = std::min((below[i] + up_to[i] * kOverFactorial[shape]) * none[i], 1.0);
        below[i] = std::min(below[i] * none[i], 1.0);
    }
}

} // namespace

Lane lane_of(const double *row, std::size_t first, std::size_t count, double rest)
{
    Lane found;
    found.fill(rest);
    std::copy_n(row + first, count, found.begin());
    return found;
}

void store(const Lane &lane, double *row, std::size_t first, std::size_t count)
{
    std::copy_n(lane.begin(), count, row + first);
}

Lane CacheSharing::every_line() const
{
    Lane found{};
    for (const Lane &own : lines)
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] += own[i];
    return found;
}

Lane CacheSharing::leaves(const Lane &capacity) const
{
    Lane found;
    const Lane needed = every_line();
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = needed[i] > capacity[i] || inserted[i] > 0 ? 1.0 : 0.0;
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
    if (cyclic_[region]) {
        Lane mean, up_to;
        for (std::size_t i = 0; i < kLanes; ++i)
            mean[i] = shape / std::max(rate[i] * time[i], kTiny);
        survive(mean, shape, served, up_to);
        for (std::size_t i = 0; i < kLanes; ++i) {
            held[i] = own[i] * served[i] + touched[i] * time[i] * (1.0 - up_to[i]);
            slope[i] = touched[i] * (1.0 - up_to[i]);
        }
        return;
    }
    Lane kept, gone; // of a line in one stage of its life, and in all of them
    for (std::size_t i = 0; i < kLanes; ++i)
        gone[i] = kept[i] = 1.0 / (1.0 + std::min(rate[i] * time[i], 1e30) / shape);
    for (unsigned bit = std::bit_floor(shape) >> 1; bit > 0; bit >>= 1)
        for (std::size_t i = 0; i < kLanes; ++i)
            gone[i] *= gone[i] * (shape & bit ? kept[i] : 1.0);
    for (std::size_t i = 0; i < kLanes; ++i) {
        served[i] = 1.0 - gone[i];
        held[i] = own[i] * served[i];
        slope[i] = touched[i] * gone[i] * kept[i];
    }
}

// crowding * held(t) + the others' lines = capacity. Of the lines that others hold everywhere, all
// that held(t) leaves, each leaves as soon as everywhere: of what they hold in T, t / T is there
// after t; where T is for ever all of it. By Newton's steps.
void CacheSharing::crowd(std::size_t region, const Lane &capacity, const Lane &time, Lane &served,
                         Lane &held, Lane &slope) const
{
    const Lane every = every_line(), &denser = crowding[region];
    Lane open, staying{};         // where lines crowd; others' lines that stay for ever
    Lane &stays = stays_[region]; // begins where it was before
    for (std::size_t i = 0; i < kLanes; ++i) {
        const bool all = time[i] >= kForEver;
        staying[i] = all ? every[i] - lines[region][i] : 0.0;
        const bool full = !all || staying[i] + denser[i] * lines[region][i] > capacity[i];
        open[i] = denser[i] > 1 && lines[region][i] > 0 && full ? 1.0 : 0.0;
        const double touched = denser[i] * touches[region][i] + capacity[i] / time[i];
        const double least = (capacity[i] - staying[i]) / std::max(touched, kTiny);
        const double before = stays[i] < kForEver ? stays[i] : 0.0;
        stays[i] = open[i] == 0.0 ? time[i] : std::min(std::max(before, least), time[i]);
    }
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
        if (advance(room, grows, open, stays) <= 0)
            break;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
        if (open[i] != 0.0) // the time here grows with T
            slope[i] *= (capacity[i] - held[i]) / time[i] * stays[i] / time[i] / grows[i];
        else
            served[i] = time[i] < kForEver ? served[i] : 1.0;
    }
}

double CacheSharing::advance(const Lane &room, const Lane &slope, const Lane &open, Lane &time)
{
    double left = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double change = open[i] * std::max(room[i] / slope[i], -0.5 * time[i]);
        time[i] += change;
        left = std::max(left, std::abs(change) - kExact * time[i]);
    }
    return left;
}

// Newton's steps from below: the lines held are a concave function of the time.
void CacheSharing::find_time(const Lane &capacity, Lane &time) const
{
    const Lane open = leaves(capacity), least = least_time(capacity);
    double most = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
        most = std::max(most, open[i]);
        time[i] = std::max(time[i] < kForEver ? time[i] : 0.0, least[i]);
    }
    double left = most;
    Lane served, held, grows;
    for (int steps = 0; left > 0 && steps < kMostSteps; ++steps) {
        Lane room, slope;
        for (std::size_t i = 0; i < kLanes; ++i) {
            room[i] = capacity[i] - inserted[i] * time[i];
            slope[i] = kTiny + inserted[i];
        }
        for (std::size_t region = 0; region < lines.size(); ++region) {
            hold(region, capacity, time, served, held, grows);
            for (std::size_t i = 0; i < kLanes; ++i) {
                room[i] -= held[i];
                slope[i] += grows[i];
            }
        }
        left = advance(room, slope, open, time);
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
