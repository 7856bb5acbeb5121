#include "stage_memory.hpp"

#include <algorithm>

namespace planecast::sim
{

StageMemory::StageMemory(const Memory &model, const std::vector<std::unique_ptr<Group>> &groups)
    : model_(model), system_(model), interval_(std::max<Ps>(1, ps_from_ns(model.refresh_ns)))
{
    std::uint64_t all_ways = (std::uint64_t{1} << model.llc_ways) - 1;
    for (const auto &group : groups) {
        for (const auto &[number, core] : group->cores) {
            std::uint64_t ways = core->model.llc_ways == 0 ? all_ways : core->model.llc_ways;
            for (TaskRun &task : core->tasks) {
                for (std::size_t s = 0; s < task.stages.size(); ++s) {
                    if (task.stages[s].uses_memory()) {
                        add(task, s, ways & all_ways, core->model.llc_tenant);
                    }
                }
            }
        }
    }
    refresh(0);
}

void StageMemory::add(TaskRun &task, std::size_t stage, std::uint64_t ways,
                      const std::string &tenant)
{
    users_.push_back({&task.stages[stage].model, ways});
    users_.back().tenant = tenant_of(tenant);
    places_.push_back({&task, stage, 0});
}

std::size_t StageMemory::tenant_of(const std::string &name)
{
    if (name.empty()) {
        return MemoryUser::kAlone;
    }
    auto known = std::find(tenants_.begin(), tenants_.end(), name);
    if (known == tenants_.end()) {
        known = tenants_.insert(known, name);
    }
    return static_cast<std::size_t>(known - tenants_.begin());
}

void StageMemory::refresh(Ps now)
{
    double seconds = static_cast<double>(interval_) * 1e-12;
    for (std::size_t i = 0; i < users_.size(); ++i) {
        Place &place = places_[i];
        const TaskRun &task = *place.task;
        std::uint64_t packets = task.plain ? task.packets : task.stages[place.stage].packets;
        users_[i].packets_per_second = static_cast<double>(packets - place.packets) / seconds;
        place.packets = packets;
    }
    system_.solve(users_);
    for (std::size_t i = 0; i < users_.size(); ++i) {
        TaskRun &task = *places_[i].task;
        task.stages[places_[i].stage].memory_ps = users_[i].packet_ns * 1e3;
        task.price();
    }
    next_ = later(now, interval_);
}

std::vector<CacheShare> StageMemory::cache_shares() const
{
    std::vector<CacheShare> shares;
    for (std::size_t t = 0; t < tenants_.size(); ++t) {
        CacheShare one{tenants_[t], 0, 0};
        double touches = 0;
        double misses = 0;
        for (const MemoryUser &user : users_) {
            if (user.tenant == t) {
                one.mib = user.share_mib;
                touches += user.packets_per_second * user.stage->llc_accesses;
                misses += user.packets_per_second * user.stage->llc_accesses * user.miss_ratio;
            }
        }
        one.miss_ratio = touches > 0 ? misses / touches : 0;
        shares.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < system_.neighbours().size(); ++i) {
        const MemorySystem::Aside &one = system_.neighbours()[i];
        shares.push_back({model_.neighbours[i].name, one.share_mib, one.miss_ratio});
    }
    return shares;
}

} // namespace planecast::sim
