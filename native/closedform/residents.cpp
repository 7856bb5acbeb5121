#include "residents.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::closedform
{

namespace
{

constexpr std::size_t kLanes = 32; // scenarios that are iterated together, in vectors
constexpr int kMostSteps = 200;    // a cache a millionth short of what is needed takes some 20
constexpr double kExact = 1e-7;    // relative step; the error left is the square of it
constexpr double kGone = 700;      // exp(-700) is nothing, and no special case of any library

// Some scenarios of the tables, padded to kLanes with ones that everything fits into.
class Lanes
{
  public:
    Lanes(const Residents &all, std::size_t first)
        : all_(all), first_(first), count_(std::min(kLanes, all.scenarios - first))
    {
    }

    // Newton's steps from below: the lines held are a concave function of the time.
    void solve(double *time)
    {
        double needed[kLanes] = {}, touched[kLanes] = {};
        for (std::size_t region = 0; region < all_.regions; ++region) {
            const double *lines = row(all_.lines, region);
            const double *touches = row(all_.touches, region);
            for (std::size_t i = 0; i < count_; ++i) {
                needed[i] += lines[i];
                touched[i] += touches[i];
            }
        }
        double open[kLanes] = {};
        bool any = false;
        for (std::size_t i = 0; i < count_; ++i) {
            const double capacity = all_.capacity[first_ + i];
            open[i] = needed[i] > capacity ? 1.0 : 0.0;
            any = any || needed[i] > capacity;
            const double known = time[i] < kForEver ? time[i] : 0.0;
            // Nothing is held at time 0, so the first step from there is known.
            time_[i] = std::max(known, capacity / std::max(touched[i], 1e-300));
        }
        for (int steps = 0; any && steps < kMostSteps; ++steps)
            any = step(open);
        for (std::size_t i = 0; i < count_; ++i)
            time[i] = open[i] != 0.0 ? time_[i] : kForEver;
    }

    void shares(const double *time, double *table) const
    {
        for (std::size_t region = 0; region < all_.regions; ++region) {
            const double *rates = row(all_.rates, region);
            const bool *out = all_.out + region * all_.scenarios + first_;
            double *found = table + region * all_.scenarios + first_;
            double reuse[kLanes] = {};
            for (std::size_t i = 0; i < count_; ++i)
                reuse[i] = rates[i] * time[i];
            if (all_.cyclic[region])
                for (double &value : reuse)
                    value *= value * value * value;
            for (double &value : reuse)
                value = 1.0 - std::exp(-std::min(value, kGone));
            for (std::size_t i = 0; i < count_; ++i) {
                // What fits is there, touched or not.
                const double held = time[i] < kForEver ? reuse[i] : 1.0;
                found[i] = out[i] ? 0.0 : held;
            }
        }
    }

  private:
    const double *row(const double *table, std::size_t region) const
    {
        return table + region * all_.scenarios + first_;
    }

    // One step of all that are open; whether any of them is not exact yet.
    bool step(const double *open)
    {
        double room[kLanes], slope[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) {
            room[i] = i < count_ ? all_.capacity[first_ + i] : 0.0;
            slope[i] = 1e-300;
        }
        for (std::size_t region = 0; region < all_.regions; ++region) {
            const double *lines = row(all_.lines, region);
            const double *touches = row(all_.touches, region);
            if (all_.cyclic[region]) {
                for (std::size_t i = 0; i < count_; ++i) {
                    const double held = touches[i] * time_[i];
                    slope[i] += held < lines[i] ? touches[i] : 0.0;
                    room[i] -= std::min(held, lines[i]);
                }
                continue;
            }
            const double *rates = row(all_.rates, region);
            double gone[kLanes] = {};
            for (std::size_t i = 0; i < count_; ++i)
                gone[i] = std::min(rates[i] * time_[i], kGone);
            for (double &value : gone)
                value = std::exp(-value);
            for (std::size_t i = 0; i < count_; ++i) {
                slope[i] += touches[i] * gone[i];
                room[i] -= lines[i] * (1.0 - gone[i]);
            }
        }
        double left = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            const double change = open[i] * std::max(room[i] / slope[i], 0.0);
            time_[i] += change;
            left = std::max(left, change - kExact * time_[i]);
        }
        return left > 0;
    }

    const Residents &all_;
    std::size_t first_;
    std::size_t count_;
    double time_[kLanes] = {};
};

} // namespace

void hit_shares(const Residents &residents, double *time, double *shares)
{
    for (std::size_t first = 0; first < residents.scenarios; first += kLanes) {
        Lanes lanes(residents, first);
        lanes.solve(time + first);
        lanes.shares(time + first, shares);
    }
}

} // namespace planecast::closedform
