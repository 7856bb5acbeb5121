#include "memory_system.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

double interpolate(const std::vector<CurvePoint> &curve, double x, double without_points)
{
    if (curve.empty()) {
        return without_points;
    }
    auto right = std::find_if(curve.begin(), curve.end(), [x](auto &p) { return p.x >= x; });
    if (right == curve.begin()) {
        return right->y;
    }
    if (right == curve.end()) {
        return curve.back().y;
    }
    auto left = right - 1;
    double width = right->x - left->x;
    return width > 0 ? left->y + (right->y - left->y) * (x - left->x) / width : right->y;
}

// Each way is split among the users that may fill it, by their insertions.
void MemorySystem::share_ways(std::vector<MemoryUser> &users) const
{
    auto inserts = [](const MemoryUser &user) {
        // A trace of weight even without traffic: who comes first finds the cache free.
        return user.packets_per_second * user.stage->llc_accesses * user.miss_ratio + 1e-3;
    };
    std::vector<double> share(users.size());
    for (std::uint64_t way = 0; way < model_.llc_ways; ++way) {
        double all = 0;
        for (const MemoryUser &user : users) {
            all += (user.ways >> way & 1) != 0 ? inserts(user) : 0;
        }
        for (std::size_t i = 0; i < users.size() && all > 0; ++i) {
            share[i] +=
                (users[i].ways >> way & 1) != 0 ? model_.way_mib * inserts(users[i]) / all : 0;
        }
    }
    for (std::size_t i = 0; i < users.size(); ++i) {
        users[i].share_mib = share[i];
    }
}

void MemorySystem::solve(std::vector<MemoryUser> &users)
{
    // Damped: without, two users of equal rate can swap the cache for ever. Where a miss curve is
    // steep half of the way is too far as well, so steps shrink while the solution gets no nearer.
    constexpr int kRounds = 2000;
    double step = 0.5;
    double last = 1;
    for (int round = 0; round < kRounds; ++round) {
        share_ways(users);
        double change = 0;
        for (MemoryUser &user : users) {
            double solved =
                std::clamp(interpolate(user.stage->llc_misses, user.share_mib, 0), 0.0, 1.0);
            change = std::max(change, std::abs(solved - user.miss_ratio));
            user.miss_ratio += step * (solved - user.miss_ratio);
        }
        if (change < 1e-9) {
            break;
        }
        step = change > 0.95 * last ? std::max(0.8 * step, 0.01) : step;
        last = change;
    }
    double lines = 0;
    for (const MemoryUser &user : users) {
        lines += user.packets_per_second * user.stage->llc_accesses * user.miss_ratio;
    }
    traffic_gbps_ = lines * 64e-9 + model_.background_gbps;
    latency_ns_ = interpolate(model_.latency_ns, traffic_gbps_, model_.llc_latency_ns);
    for (MemoryUser &user : users) {
        double access =
            (1 - user.miss_ratio) * model_.llc_latency_ns + user.miss_ratio * latency_ns_;
        user.packet_ns = user.stage->llc_accesses * access * user.stage->blocking_factor;
    }
}

} // namespace planecast::sim
