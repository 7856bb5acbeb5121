// What holds in every run, checked at its end in release builds too.
#include "planecast/simulator/simulate.hpp"
#include "shard.hpp"

#include <string>

namespace planecast::sim
{

namespace
{

void require(bool holds, const std::string &law, const std::string &where)
{
    if (!holds) {
        throw InvariantError("a bug of the simulator: " + law + " does not hold for " + where);
    }
}

void check_queue(const PacketQueue &queue)
{
    const QueueCounts &counts = queue.counts;
    require(counts.entered == counts.left + queue.waiting(), "in = out + waiting", queue.name);
    require(counts.max <= queue.capacity, "occupancy ≤ capacity", queue.name);
    // Little's law, exact in picoseconds: the area under the occupancy, summed by time, is the
    // waiting, summed by packet.
    require(counts.area == counts.waits + queue.waits_of_waiting(queue.settled()), "Little's law",
            queue.name);
}

void check_core(const CoreRun &core, Ps now)
{
    CoreTime time = core.time_at(now);
    require(time.busy >= 0 && time.polling >= 0 && time.waiting >= 0 && time.disturbed >= 0 &&
                time.busy + time.polling + time.waiting + time.disturbed == now,
            "busy + polling + waiting + disturbed = time", core.model.name);
    require(!core.overslept(now), "an idle core has nothing to do", core.model.name);
    for (const TaskRun &task : core.tasks) {
        require(task.packets == task.input->counts.left, "taken = left the queue", task.model.name);
    }
}

} // namespace

void Shard::check_invariants() const
{
    for (const auto &group : groups) {
        for (const auto &[number, queue] : group->queues) {
            check_queue(*queue);
        }
        for (const auto &[number, core] : group->cores) {
            check_core(*core, now_);
        }
    }
}

} // namespace planecast::sim
