// The last-level cache and the memory behind it, shared by every stage that misses its core's
// caches, and by neighbours that aren't simulated.
//
// Who holds lines of the cache inserts them at the rate of its misses and gets of each way in that
// proportion; what it holds decides how much it misses (StatCC); all misses together decide how
// long one takes. That's a fixed point, solved again at an interval with the packet rates of the
// interval that has just ended. A stage holds its own lines, or those of its core's tenant.
#pragma once

#include "planecast/simulator/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planecast::sim
{

// Piecewise linear, level outside its points.
double interpolate(const std::vector<CurvePoint> &curve, double x, double without_points);

struct MemoryUser {
    static constexpr std::size_t kAlone = ~std::size_t{0};

    const Stage *stage;
    std::uint64_t ways; // bit mask
    double packets_per_second = 0;
    double miss_ratio = 0; // solved
    double share_mib = 0;  // solved: of the stage, or of its tenant
    double packet_ns = 0;  // solved: a packet's wait, what is hidden taken off
    std::size_t tenant = kAlone;
};

class MemorySystem
{
  public:
    explicit MemorySystem(const Memory &model);

    void solve(std::vector<MemoryUser> &users);

    double latency_ns() const { return latency_ns_; }
    double traffic_gbps() const { return traffic_gbps_; } // GB/s

    struct Aside { // a neighbour
        std::uint64_t ways;
        double miss_ratio;
        double share_mib;
    };
    const std::vector<Aside> &neighbours() const { return neighbours_; }

  private:
    struct Holder {
        std::uint64_t ways;
        double inserts;
        double share_mib;
    };
    std::vector<Holder> holders(const std::vector<MemoryUser> &users) const;
    void share_ways(std::vector<MemoryUser> &users);
    double step(std::vector<MemoryUser> &users, double damping);
    double packet_ns(const MemoryUser &user) const;

    const Memory &model_;
    std::vector<Aside> neighbours_;
    double latency_ns_ = 0;
    double traffic_gbps_ = 0;
};

} // namespace planecast::sim
