#include "core_run.hpp"

#include <algorithm>

namespace planecast::sim
{

TaskRun::TaskRun(const Task &task, double ps_per_cycle)
    : model(task), output(task.output),
      empty_poll(std::max<Ps>(1, ps_from(task.empty_poll_cycles * ps_per_cycle))),
      service(task.burst + 1), burst_sizes(task.burst + 1)
{
    double burst_ps = 0;
    double packet_ps = 0;
    for (const Stage &stage : task.stages) {
        stages.emplace_back(stage, ps_per_cycle);
        burst_ps += stages.back().base_ps(1, 0);
        packet_ps += stages.back().base_ps(0, 1);
    }
    plain = std::all_of(stages.begin(), stages.end(), [](auto &stage) { return stage.plain(); });
    for (std::size_t n = 1; n < service.size(); ++n) {
        double cost = burst_ps + static_cast<double>(n) * packet_ps;
        for (const StageRun &stage : stages) {
            cost += stage.table_ps(n);
        }
        service[n] = ps_from(cost);
    }
}

CoreRun::CoreRun(const Core &core, std::uint32_t index, const Run &run)
    : model(core), index_(index), end_(ps_from_ns(run.duration_ns)),
      random_(stream_seed(run.seed, Purpose::service, index)),
      disturber_(core.disturbances, stream_seed(run.seed, Purpose::disturbance, index))
{
    for (const Task &task : core.tasks) {
        tasks.emplace_back(task, 1e12 / core.clock_hz);
        round_ += tasks.back().empty_poll;
    }
}

void CoreRun::run(Turn &turn, Waker &waker)
{
    while (state_ == State::polling ? poll(turn, waker) : advance(turn, waker)) {
    }
}

bool CoreRun::poll(Turn &turn, Waker &waker)
{
    if (now_ >= turn.limit) {
        wake_ = now_;
        return false;
    }
    ++turn.steps;
    if (now_ >= disturber_.next()) {
        Ps start = now_;
        suffer();
        note_step(start, 0, &CoreTime::disturbed);
        return true;
    }
    TaskRun &task = tasks[current_];
    if (longest_train_ > 0 && serve_train(task, turn)) {
        return true;
    }
    if (task.output.deadline() <= now_) {
        task.output.flush(now_);
    }
    std::size_t count = task.input->take(now_, task.model.burst);
    if (count == 0) {
        return idle(turn);
    }
    begin(task, count, waker);
    return true;
}

void CoreRun::begin(TaskRun &task, std::size_t count, Waker &waker)
{
    PacketQueue &queue = *task.input;
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
    stage_ = 0;
    if (task.plain) {
        stage_ = task.stages.size();
        const Ps cost = task.service[count];
        spend(sibling == nullptr ? cost : ps_from(static_cast<double>(cost) * slowdown()));
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
    spend(ps_from(cost * slowdown()));
    if (device) {
        state_ = State::device;
    }
}

double CoreRun::slowdown() const
{
    if (sibling == nullptr) {
        return 1;
    }
    return sibling->working() ? model.sibling_busy_factor : model.sibling_idle_factor;
}

void CoreRun::spend(Ps cost)
{
    Ps start = now_;
    now_ = later(now_, cost);
    time_.busy += now_ - start;
    serving_since(start);
    if (trace != nullptr) {
        TaskRun &task = tasks[current_];
        trace->burst(start, now_ - start, index_, current_, taken_);
        trace->waiting(start, index_, current_, task.input->waiting());
    }
}

// What comes in between prolongs the step that was to end now: up to the end of the run, for what
// takes more than all of the time would prolong it for ever.
void CoreRun::serving_since(Ps start)
{
    Ps busy = now_ - start;
    while (disturber_.next() < std::min(now_, end_)) {
        suffer();
    }
    note_step(start, busy, &CoreTime::disturbed);
    state_ = State::serving;
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
            back = std::max(back, device.submit(now_));
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
    return hand_off(task, turn, waker);
}

bool CoreRun::hand_off(TaskRun &task, Turn &turn, Waker &waker)
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

// Polls that find nothing, up to the first one that may, if that is before the limit. Otherwise
// nothing is done yet: another core may put something into a ring in between.
bool CoreRun::idle(const Turn &turn)
{
    Ps target = disturber_.next();
    for (const TaskRun &task : tasks) {
        target = std::min({target, task.input->next_ready(), task.output.deadline()});
    }
    if (target >= turn.limit) {
        wake_ = std::min(target, turn.horizon);
        return false;
    }
    note_step(now_, 0, &CoreTime::polling);
    target = std::max(target, now_ + 1); // another task may have something already
    Ps rounds = (target - now_) / round_;
    for (TaskRun &task : tasks) {
        task.empty_polls += static_cast<std::uint64_t>(rounds);
    }
    const Ps before = now_;
    now_ += rounds * round_;
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
