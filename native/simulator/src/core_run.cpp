#include "core_run.hpp"

#include <algorithm>

namespace planecast::sim
{

TaskRun::TaskRun(const Task &task, double ps_per_cycle)
    : model(task), output(task.output),
      empty_poll(std::max<Ps>(1, ps_from(task.empty_poll_cycles * ps_per_cycle))),
      burst_sizes(task.burst + 1)
{
    for (const Stage &stage : task.stages) {
        stages.emplace_back(stage, ps_per_cycle);
    }
    plain = std::all_of(stages.begin(), stages.end(), [](auto &stage) { return stage.plain(); });
    price();
}

double TaskRun::plain_cost_ps() const
{
    return priced_cost_ps + burst_ps * static_cast<double>(bursts - priced_bursts) +
           packet_ps * static_cast<double>(packets - priced_packets);
}

void TaskRun::price()
{
    priced_cost_ps = plain_cost_ps();
    priced_bursts = bursts;
    priced_packets = packets;
    burst_ps = 0;
    packet_ps = 0;
    for (const StageRun &stage : stages) {
        burst_ps += stage.burst_ps();
        packet_ps += stage.packet_ps();
    }
    service.resize(model.burst + 1);
    for (std::size_t n = 0; n < service.size(); ++n) {
        service[n] = ps_from(burst_ps + static_cast<double>(n) * packet_ps);
    }
}

CoreRun::CoreRun(const Core &core, std::uint32_t index, std::uint64_t seed)
    : model(core), index_(index),
      buffers_(std::any_of(core.tasks.begin(), core.tasks.end(),
                           [](auto &task) { return task.output.buffer_packets > 0; })),
      random_(stream_seed(seed, Purpose::service, index)),
      disturber_(core.disturbances, stream_seed(seed, Purpose::disturbance, index))
{
    for (const Task &task : core.tasks) {
        tasks.emplace_back(task, 1e12 / core.clock_hz);
    }
}

void CoreRun::run(Turn &turn, Waker &waker)
{
    if (straight_) {
        alone_ ? run_straight<true>(turn) : run_straight<false>(turn);
        return;
    }
    for (;;) {
        if (state_ == State::polling) {
            if (now_ >= turn.limit) {
                wake_ = now_;
                return;
            }
            ++turn.steps;
            if (now_ >= disturber_.next()) {
                Ps start = now_;
                suffer();
                note_step(start, 0, &CoreTime::disturbed);
                continue;
            }
            TaskRun &task = tasks[current_];
            if (buffers_ && task.output.deadline() <= now_) {
                task.output.flush(now_);
            }
            std::size_t count = task.input->poll(now_, task.model.burst);
            if (count > 0) {
                begin(task, count, waker);
            } else if (!idle(turn)) {
                return;
            }
        } else if (!advance(turn, waker)) {
            return;
        }
    }
}

void CoreRun::begin(TaskRun &task, std::size_t count, Waker &waker)
{
    PacketQueue &queue = *task.input;
    queue.take(count, now_);
    if (!queue.waiting_cores.empty()) {
        for (std::uint32_t core : queue.waiting_cores) {
            waker.room(core, now_);
        }
        queue.waiting_cores.clear();
    }
    ++task.bursts;
    task.packets += count;
    ++task.burst_sizes[count];
    taken_ = alive_ = count;
    sent_ = 0;
    stage_ = 0;
    if (task.plain) {
        stage_ = task.stages.size();
        spend(static_cast<double>(task.service[count]));
    } else {
        serve_on(task);
    }
}

// Stages up to the next one that a device serves.
void CoreRun::serve_on(TaskRun &task)
{
    double cost = 0;
    std::size_t before = alive_;
    bool device = false;
    while (stage_ < task.stages.size() && !device) {
        StageRun &stage = task.stages[stage_++];
        if (alive_ > 0) {
            cost += stage.serve(task.input->in_service(), alive_, now_, random_);
            device = stage.device != nullptr;
        }
    }
    task.dropped += before - alive_;
    spend(cost);
    if (device) {
        state_ = State::device;
    }
}

void CoreRun::spend(double cost_ps)
{
    if (sibling != nullptr) {
        cost_ps *= sibling->working() ? model.sibling_busy_factor : model.sibling_idle_factor;
    }
    Ps start = now_;
    now_ = later(now_, ps_from(cost_ps));
    Ps busy = now_ - start;
    time_.busy += busy;
    while (disturber_.next() < now_) {
        suffer();
    }
    note_step(start, busy, &CoreTime::disturbed);
    state_ = State::serving;
    if (trace != nullptr) {
        TaskRun &task = tasks[current_];
        trace->burst(start, now_ - start, index_, current_, taken_);
        trace->waiting(start, index_, current_, task.input->waiting());
    }
}

void CoreRun::suffer()
{
    Ps end = later(now_, disturber_.suffer());
    time_.disturbed += end - now_;
    now_ = end;
}

// Notes a step from `start` to now_ for time_at().
void CoreRun::note_step(Ps start, Ps busy, Ps CoreTime::*rest)
{
    step_start_ = start;
    step_busy_ = busy;
    step_rest_ = rest;
}

bool CoreRun::advance(Turn &turn, Waker &waker)
{
    if (state_ == State::blocked) {
        if (wake_ >= turn.limit) {
            return false;
        }
        time_.waiting += wake_ - now_;
        note_step(now_, 0, &CoreTime::waiting);
        now_ = wake_;
    }
    if (now_ >= turn.limit) {
        wake_ = now_;
        return false;
    }
    TaskRun &task = tasks[current_];
    if (state_ == State::device) {
        ++turn.steps;
        Device &device = *task.stages[stage_ - 1].device;
        Ps back = now_;
        for (std::size_t i = 0; i < alive_; ++i) {
            back = std::max(back, device.submit(task.input->in_service()[i], now_));
        }
        time_.waiting += back - now_;
        note_step(now_, 0, &CoreTime::waiting);
        now_ = back;
        state_ = State::serving;
        return true;
    }
    if (state_ == State::serving && stage_ < task.stages.size()) {
        ++turn.steps;
        serve_on(task);
        return true;
    }
    return hand_over(task, turn, waker);
}

bool CoreRun::hand_over(TaskRun &task, Turn &turn, Waker &waker)
{
    sent_ +=
        task.output.deliver(task.input->in_service() + sent_, alive_ - sent_, now_, index_, waker);
    if (sent_ < alive_) {
        ++turn.steps;
        state_ = State::blocked;
        wake_ = task.output.wait_until();
        return wake_ < turn.limit;
    }
    task.input->release(taken_);
    taken_ = alive_ = sent_ = 0;
    state_ = State::polling;
    next_task();
    return true;
}

bool CoreRun::idle(const Turn &turn)
{
    Ps target = disturber_.next();
    for (const TaskRun &task : tasks) {
        target = std::min(target, task.input->next_ready());
        if (buffers_) {
            target = std::min(target, task.output.deadline());
        }
    }
    if (target <= now_) { // another task has something
        ++tasks[current_].empty_polls;
        time_.polling += tasks[current_].empty_poll;
        note_step(now_, 0, &CoreTime::polling);
        now_ += tasks[current_].empty_poll;
        next_task();
        return true;
    }
    return skip_polls(target, turn);
}

// Up to the first poll at or after the target, if that is before the limit. Otherwise nothing is
// done yet: another core may put something into a ring in between.
bool CoreRun::skip_polls(Ps target, const Turn &turn)
{
    if (target >= turn.limit) {
        wake_ = std::min(target, turn.horizon);
        return false;
    }
    Ps away = target - now_;
    note_step(now_, 0, &CoreTime::polling);
    if (tasks.size() == 1) {
        TaskRun &task = tasks.front();
        Ps polls = (away + task.empty_poll - 1) / task.empty_poll;
        task.empty_polls += static_cast<std::uint64_t>(polls);
        time_.polling += polls * task.empty_poll;
        now_ += polls * task.empty_poll;
        return true;
    }
    Ps round = 0;
    for (const TaskRun &task : tasks) {
        round += task.empty_poll;
    }
    Ps rounds = away / round;
    for (TaskRun &task : tasks) {
        task.empty_polls += static_cast<std::uint64_t>(rounds);
    }
    Ps before = now_;
    now_ += rounds * round;
    while (now_ < target) {
        ++tasks[current_].empty_polls;
        now_ += tasks[current_].empty_poll;
        next_task();
    }
    time_.polling += now_ - before;
    return true;
}

CoreTime CoreRun::time_at(Ps instant) const
{
    CoreTime time = time_;
    if (now_ <= instant) { // idle polls that aren't made yet, or blocked since
        (state_ == State::blocked ? time.waiting : time.polling) += instant - now_;
        return time;
    }
    // The last step reaches past the instant: what of it lies there is taken off again.
    Ps busy_after = std::max<Ps>(0, step_start_ + step_busy_ - instant);
    time.busy -= busy_after;
    (time.*step_rest_) -= now_ - instant - busy_after;
    return time;
}

std::size_t CoreRun::in_hand() const
{
    std::size_t packets = alive_ - sent_;
    for (const TaskRun &task : tasks) {
        packets += task.output.buffered().size();
    }
    return packets;
}

void CoreRun::count_in_hand(std::vector<ClassCount> &classes) const
{
    const Packet *burst = tasks[current_].input->in_service();
    for (std::size_t i = sent_; i < alive_; ++i) {
        ++classes[burst[i].flow_class].in_flight;
    }
    for (const TaskRun &task : tasks) {
        for (const Packet &packet : task.output.buffered()) {
            ++classes[packet.flow_class].in_flight;
        }
    }
}

bool CoreRun::overslept(Ps instant) const
{
    return state_ == State::polling && now_ < instant &&
           std::any_of(tasks.begin(), tasks.end(), [instant](const TaskRun &task) {
               return task.input->next_ready() < instant;
           });
}

std::uint64_t CoreRun::pending_polls(Ps instant) const
{
    if (state_ != State::polling || instant <= now_) {
        return 0;
    }
    return static_cast<std::uint64_t>((instant - now_) / tasks[current_].empty_poll);
}

} // namespace planecast::sim
