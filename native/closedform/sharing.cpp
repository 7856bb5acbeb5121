#include "sharing.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::closedform
{

namespace
{

constexpr int kMostSteps = 200; // a cache a millionth short of what is needed takes some 20
constexpr double kExact = 1e-5; // relative step; the error left is the cube of it
constexpr double kGone = 700;   // exp(-700) is nothing, and no special case of any library

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

// Halley's steps: the lines held are a concave function of the time, whose bend is known.
void Sharing::find_time(const Lane &capacity, Lane &time) const
{
    Lane needed{}, touched{}, open;
    for (std::size_t region = 0; region < lines.size(); ++region)
        for (std::size_t i = 0; i < kLanes; ++i) {
            needed[i] += lines[region][i];
            touched[i] += touches[region][i];
        }
    double most = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
        open[i] = needed[i] > capacity[i] ? 1.0 : 0.0;
        most = std::max(most, open[i]);
        const double known = time[i] < kForEver ? time[i] : 0.0;
        // Nothing is held at time 0, so the first step from there is known.
        time[i] = std::max(known, capacity[i] / std::max(touched[i], 1e-300));
    }
    bool any = most > 0;
    for (int steps = 0; any && steps < kMostSteps; ++steps)
        any = step(capacity, open, time);
    for (std::size_t i = 0; i < kLanes; ++i)
        time[i] = open[i] != 0.0 ? time[i] : kForEver;
}

// One step of all that are open; whether any of them is not exact yet.
bool Sharing::step(const Lane &capacity, const Lane &open, Lane &time) const
{
    Lane room = capacity, slope, bend{};
    slope.fill(1e-300);
    for (std::size_t region = 0; region < lines.size(); ++region) {
        const Lane &own = lines[region], &touched = touches[region], &rate = rates[region];
        if (cyclic_[region]) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double held = touched[i] * time[i];
                slope[i] += held < own[i] ? touched[i] : 0.0;
                room[i] -= std::min(held, own[i]);
            }
            continue;
        }
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double gone = std::exp(-std::min(rate[i] * time[i], kGone));
            slope[i] += touched[i] * gone;
            bend[i] += touched[i] * gone * rate[i];
            room[i] -= own[i] * (1.0 - gone);
        }
    }
    double left = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double newton = room[i] / slope[i];
        // From afar the bend would lead anywhere: no more than twice as far as the slope says.
        const double further = std::max(1.0 - 0.5 * newton * bend[i] / slope[i], 0.5);
        const double change = open[i] * std::max(newton / further, -0.5 * time[i]);
        time[i] += change;
        left = std::max(left, std::abs(change) - kExact * time[i]);
    }
    return left > 0;
}

void Sharing::share(std::size_t region, const Lane &time, Lane &found) const
{
    const Lane &rate = rates[region];
    for (std::size_t i = 0; i < kLanes; ++i)
        found[i] = rate[i] * time[i];
    if (cyclic_[region])
        for (double &value : found)
            value *= value * value * value;
    for (std::size_t i = 0; i < kLanes; ++i) {
        const double held = 1.0 - std::exp(-std::min(found[i], kGone));
        // What fits is there, touched or not.
        found[i] = (time[i] < kForEver ? held : 1.0) * (1.0 - out[region][i]);
    }
}

} // namespace planecast::closedform
