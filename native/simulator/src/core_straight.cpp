// The common core written out: one task of constant cost that sends at once to a port or out of the
// model, undisturbed. The same steps as core_run.cpp's, in one loop that the compiler sees whole;
// tests run models through both and compare every count (a trace chooses the other one).
#include "core_run.hpp"

namespace planecast::sim
{

void CoreRun::choose_loop()
{
    const TaskRun &task = tasks.front();
    bool out = task.model.output.kind == OutputKind::none ||
               (task.model.output.kind == OutputKind::port && !buffers_ &&
                task.model.output.when_full == WhenFull::drop);
    straight_ = tasks.size() == 1 && task.plain && out && sibling == nullptr && trace == nullptr &&
                model.disturbances.empty() && task.model.input.kind == InputKind::port;
}

void CoreRun::run_straight(Turn &turn)
{
    TaskRun &task = tasks.front();
    PacketQueue &input = *task.input;
    TxQueue *tx = task.output.tx.get();
    const std::size_t burst = task.model.burst;
    const Ps empty_poll = task.empty_poll;
    Ps now = now_;
    for (;;) {
        if (now >= turn.limit) {
            wake_ = now;
            break;
        }
        if (state_ == State::serving) {
            if (tx != nullptr) {
                std::size_t sent = tx->send(input.in_service(), taken_, now);
                task.output.delivered += sent;
                tx->dropped += taken_ - sent;
            } else {
                task.output.leave(input.in_service(), taken_, now);
            }
            input.release(taken_);
            state_ = State::polling;
        }
        ++turn.steps;
        Ps ready = input.next_ready();
        if (ready > now) {
            if (ready >= turn.limit) {
                wake_ = std::min(ready, turn.horizon);
                break;
            }
            Ps polls = (ready - now + empty_poll - 1) / empty_poll;
            task.empty_polls += static_cast<std::uint64_t>(polls);
            time_.polling += polls * empty_poll;
            now += polls * empty_poll;
            continue;
        }
        std::size_t count = input.poll(now, burst);
        input.take(count, now);
        ++task.bursts;
        task.packets += count;
        ++task.burst_sizes[count];
        double cost = task.burst_ps + static_cast<double>(count) * task.packet_ps;
        task.plain_cost_ps += cost;
        Ps service = ps_from(cost);
        time_.busy += service;
        now = later(now, service);
        taken_ = count;
        state_ = State::serving;
    }
    alive_ = state_ == State::serving ? taken_ : 0;
    taken_ = alive_;
    stage_ = task.stages.size();
    now_ = now;
}

} // namespace planecast::sim
