// The common core written out: one task of constant cost that sends at once to a port or out of the
// model, undisturbed. The same steps as core_run.cpp's, in one loop that the compiler sees whole;
// tests run models through both and compare every count (a trace chooses the other one).
#include "core_run.hpp"
#include "fresh_bursts.hpp"

#include <optional>
#include <type_traits>

namespace planecast::sim
{

namespace
{

template <bool kCopy, class T> using Held = std::conditional_t<kCopy, T, T &>;

} // namespace

void CoreRun::choose_loop(bool alone)
{
    const TaskRun &task = tasks.front();
    bool out = task.model.output.kind == OutputKind::none ||
               (task.model.output.kind == OutputKind::port && !buffers_ &&
                task.model.output.when_full == WhenFull::drop);
    straight_ = tasks.size() == 1 && task.plain && out && sibling == nullptr && trace == nullptr &&
                model.disturbances.empty() && task.model.input.kind == InputKind::port;
    alone_ = alone;
}

template <bool kAlone> void CoreRun::run_straight(Turn &turn)
{
    TaskRun &task = tasks.front();
    TxQueue *tx = task.output.tx.get();
    // Copies where it pays: the compiler then knows that nothing else writes to them. Among others
    // a core is called for every burst, and copying would cost more than it saves.
    Held<kAlone, QueueState> input = *task.input;
    TxState no_queue;
    TxWire no_wire;
    Held<kAlone, TxState> out = tx != nullptr ? static_cast<TxState &>(*tx) : no_queue;
    Held<kAlone, TxWire> wire = tx != nullptr ? tx->wire() : no_wire;
    const Ps *service = task.service.data();
    std::uint64_t *sizes = task.burst_sizes.data();
    const std::size_t burst = task.model.burst;
    const std::size_t most = std::min(burst, input.capacity);
    FreshCounts fresh;
    std::optional<FreshBursts> ahead;
    if constexpr (kAlone) {
        handed_.resize(FreshBursts::kInstants);
        ahead.emplace(task, most, handed_.data());
    }
    const Ps limit = turn.limit;
    const Ps empty_poll = task.empty_poll;
    const auto reciprocal = static_cast<std::uint64_t>(-1) / static_cast<std::uint64_t>(empty_poll);
    std::uint64_t bursts = 0;
    Ps polling = 0;
    Ps busy = 0;
    Ps now = now_;
    Ps step_start = step_start_;
    std::size_t taken = taken_;
    const std::uint64_t left = input.counts.left;
    const std::uint64_t entered = out.entered;
    for (;;) {
        if (now >= limit) {
            wake_ = now;
            break;
        }
        if (taken > 0) {
            input.show(taken);
            if (tx == nullptr) {
                task.output.leave(input.in_service(), taken, now);
            } else if (out.surely_room(taken)) {
                out.send(input.in_service(), taken, now, wire);
            } else {
                if constexpr (kAlone) {
                    static_cast<TxState &>(*tx) = out;
                    tx->wire() = wire;
                }
                std::size_t sent = tx->send(input.in_service(), taken, now);
                tx->dropped += taken - sent;
                if constexpr (kAlone) {
                    out = *tx;
                    wire = tx->wire();
                }
            }
            input.release(taken);
            taken = 0;
        }
        if constexpr (kAlone) {
            if (ahead->possible(input, now, limit) && ahead->serve(input, now, limit, fresh)) {
                auto hand_on = [&](const auto &packets) {
                    if (tx == nullptr) {
                        task.output.leave(packets, handed_.data(), ahead->handed_on);
                    } else {
                        static_cast<TxState &>(*tx) = out;
                        tx->wire() = wire;
                        tx->send_each(packets, handed_.data(), ahead->handed_on, limit);
                        out = *tx;
                        wire = tx->wire();
                    }
                };
                if (input.alike) {
                    hand_on(AlikePackets{input.ready + input.done, input.latency, input.pattern});
                } else {
                    hand_on(static_cast<const Packet *>(input.in_service()));
                }
                input.release(ahead->handed_on);
                taken = ahead->in_hand;
                step_start = ahead->step_start;
                now = ahead->now;
                continue;
            }
        }
        Ps ready = input.next_ready();
        if (ready > now) {
            if (ready >= limit) {
                wake_ = std::min(ready, turn.horizon);
                break;
            }
            // ⌈away / empty_poll⌉ polls: the reciprocal's product is at most one too few.
            Ps away = ready - now;
            auto whole = static_cast<Ps>((static_cast<UInt128>(away - 1) * reciprocal) >> 64) + 1;
            Ps skipped = whole * empty_poll;
            skipped += skipped < away ? empty_poll : 0;
            polling += skipped;
            step_start = now;
            now += skipped;
            continue;
        }
        taken = input.take_fresh(now, most, fresh);
        if (taken == 0) {
            taken = input.poll(now, burst);
            input.take(taken, now, [&input](std::size_t i) { return input.ready[i]; });
        }
        ++bursts;
        ++sizes[taken];
        step_start = now;
        now = later(now, service[taken]);
        busy += now - step_start;
    }
    input.show(taken); // for who counts what is in hand
    input.count(fresh);
    if constexpr (kAlone) {
        bursts += ahead->bursts;
        polling += ahead->polling;
        busy += ahead->busy;
    }
    if (tx != nullptr) {
        task.output.delivered += out.entered - entered;
    }
    if constexpr (kAlone) {
        static_cast<QueueState &>(*task.input) = input;
        if (tx != nullptr) {
            static_cast<TxState &>(*tx) = out;
            tx->wire() = wire;
        }
    }
    task.bursts += bursts;
    task.packets += input.counts.left - left;
    task.empty_polls += static_cast<std::uint64_t>(polling / empty_poll);
    time_.polling += polling;
    time_.busy += busy;
    turn.steps += bursts + 1;
    taken_ = alive_ = taken;
    sent_ = 0;
    stage_ = task.stages.size();
    state_ = taken > 0 ? State::serving : State::polling;
    now_ = now;
    note_step(step_start, taken > 0 ? now - step_start : 0, &CoreTime::polling);
}

template void CoreRun::run_straight<true>(Turn &);
template void CoreRun::run_straight<false>(Turn &);

} // namespace planecast::sim
