// The last-level cache and the memory behind it, shared by every stage that misses its core's
// caches.
//
// Stages insert lines at the rate of their misses and hold ways in that proportion; what they hold
// decides how much they miss (StatCC); all misses together decide how long one takes. That's a
// fixed point, solved again at an interval with the packet rates of the interval that has just
// ended.
#pragma once

#include "planecast/simulator/model.hpp"

#include <cstdint>
#include <vector>

namespace planecast::sim
{

// Piecewise linear, level outside its points.
double interpolate(const std::vector<CurvePoint> &curve, double x, double without_points);

struct MemoryUser {
    const Stage *stage;
    std::uint64_t ways; // bit mask
    double packets_per_second = 0;
    double miss_ratio = 0; // solved
    double share_mib = 0;  // solved
    double packet_ns = 0;  // solved: a packet's wait, what is hidden taken off
};

class MemorySystem
{
  public:
    explicit MemorySystem(const Memory &model) : model_(model) {}

    void solve(std::vector<MemoryUser> &users);

    double latency_ns() const { return latency_ns_; }
    double traffic_gbps() const { return traffic_gbps_; } // GB/s

  private:
    void share_ways(std::vector<MemoryUser> &users) const;

    const Memory &model_;
    double latency_ns_ = 0;
    double traffic_gbps_ = 0;
};

} // namespace planecast::sim
