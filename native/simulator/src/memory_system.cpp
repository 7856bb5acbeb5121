#include "memory_system.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

// Who has all its lines would bring in none and lose them: it holds on by what it touches.
constexpr double kHoldsOn = 1e-3;

double inserts_of(double touches, double miss_ratio)
{
    // A trace of weight even without traffic: who comes first finds the cache free.
    return touches * std::max(miss_ratio, kHoldsOn) + 1e-3;
}

double touches_of(const MemoryUser &user)
{
    return user.packets_per_second * user.stage->llc_accesses;
}

} // namespace

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

MemorySystem::MemorySystem(const Memory &model) : model_(model)
{
    std::uint64_t all = (std::uint64_t{1} << model.llc_ways) - 1;
    for (const Neighbour &one : model.neighbours) {
        neighbours_.push_back({one.llc_ways == 0 ? all : one.llc_ways & all, 0, 0});
    }
}

// Who holds lines: each tenant, each stage without one, each neighbour; tenants first.
std::vector<MemorySystem::Holder> MemorySystem::holders(const std::vector<MemoryUser> &users) const
{
    std::vector<Holder> found;
    for (const MemoryUser &user : users) {
        if (user.tenant != MemoryUser::kAlone) {
            found.resize(std::max(found.size(), user.tenant + 1));
            found[user.tenant].ways = user.ways;
            found[user.tenant].inserts += inserts_of(touches_of(user), user.miss_ratio);
        }
    }
    for (const MemoryUser &user : users) {
        if (user.tenant == MemoryUser::kAlone) {
            found.push_back({user.ways, inserts_of(touches_of(user), user.miss_ratio), 0});
        }
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        double touches = model_.neighbours[i].lines_per_second;
        found.push_back({neighbours_[i].ways, inserts_of(touches, neighbours_[i].miss_ratio), 0});
    }
    return found;
}

// Each way is split among the holders that may fill it, by their insertions.
void MemorySystem::share_ways(std::vector<MemoryUser> &users)
{
    std::vector<Holder> all = holders(users);
    for (std::uint64_t way = 0; way < model_.llc_ways; ++way) {
        double inserts = 0;
        for (const Holder &one : all) {
            inserts += (one.ways >> way & 1) != 0 ? one.inserts : 0;
        }
        for (Holder &one : all) {
            if ((one.ways >> way & 1) != 0 && inserts > 0) {
                one.share_mib += model_.way_mib * one.inserts / inserts;
            }
        }
    }
    std::size_t next = 0;
    for (const MemoryUser &user : users) {
        next = user.tenant == MemoryUser::kAlone ? next : std::max(next, user.tenant + 1);
    }
    for (MemoryUser &user : users) {
        user.share_mib = all[user.tenant == MemoryUser::kAlone ? next++ : user.tenant].share_mib;
    }
    for (Aside &one : neighbours_) {
        one.share_mib = all[next++].share_mib;
    }
}

// One round towards the fixed point; returns the largest change of a miss ratio that is left.
double MemorySystem::step(std::vector<MemoryUser> &users, double damping)
{
    share_ways(users);
    double change = 0;
    auto approach = [&](double &miss_ratio, double solved) {
        solved = std::clamp(solved, 0.0, 1.0);
        change = std::max(change, std::abs(solved - miss_ratio));
        miss_ratio += damping * (solved - miss_ratio);
    };
    for (MemoryUser &user : users) {
        approach(user.miss_ratio, interpolate(user.stage->llc_misses, user.share_mib, 0));
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        Aside &one = neighbours_[i];
        approach(one.miss_ratio, 1 - one.share_mib / model_.neighbours[i].footprint_mib);
    }
    return change;
}

double MemorySystem::packet_ns(const MemoryUser &user) const
{
    const Stage &stage = *user.stage;
    if (!stage.llc_waits.empty() || !stage.memory_waits.empty()) {
        return interpolate(stage.llc_waits, user.share_mib, 0) * model_.llc_latency_ns +
               interpolate(stage.memory_waits, user.share_mib, 0) * latency_ns_;
    }
    double access = (1 - user.miss_ratio) * model_.llc_latency_ns + user.miss_ratio * latency_ns_;
    return stage.llc_accesses * access * stage.blocking_factor;
}

void MemorySystem::solve(std::vector<MemoryUser> &users)
{
    // Damped: without, two users of equal rate can swap the cache for ever. Where a miss curve is
    // steep half of the way is too far as well, so steps shrink while the solution gets no nearer.
    constexpr int kRounds = 2000;
    double damping = 0.5;
    double last = 1;
    for (int round = 0; round < kRounds; ++round) {
        double change = step(users, damping);
        if (change < 1e-9) {
            break;
        }
        damping = change > 0.95 * last ? std::max(0.8 * damping, 0.01) : damping;
        last = change;
    }
    double lines = 0;
    for (const MemoryUser &user : users) {
        lines += touches_of(user) * user.miss_ratio;
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        lines += model_.neighbours[i].lines_per_second * neighbours_[i].miss_ratio;
    }
    traffic_gbps_ = lines * 64e-9 + model_.background_gbps;
    latency_ns_ = interpolate(model_.latency_ns, traffic_gbps_, model_.llc_latency_ns);
    for (MemoryUser &user : users) {
        user.packet_ns = packet_ns(user);
    }
}

} // namespace planecast::sim
