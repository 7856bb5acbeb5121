#include "output_run.hpp"

#include <algorithm>

namespace planecast::sim
{

std::size_t OutputRun::deliver(const Packet *packets, std::size_t count, Ps now, std::uint32_t core,
                               Waker &waker)
{
    switch (model.kind) {
    case OutputKind::none:
        for (std::size_t i = 0; i < count; ++i) {
            recorder->forward(packets[i].born, now, packets[i].frame_bytes, packets[i].flow_class);
        }
        return count;
    case OutputKind::port:
        return to_port(packets, count, now);
    case OutputKind::ring:
    case OutputKind::accelerator:
        return to_queue(packets, count, now, core, waker);
    }
    return count;
}

std::size_t OutputRun::to_port(const Packet *packets, std::size_t count, Ps now)
{
    if (model.buffer_packets > 0) {
        if (buffer_.empty() && count > 0) {
            // The timer runs without limits, as the drain timers of DPDK's examples do.
            Ps period = std::max<Ps>(1, ps_from_ns(model.drain_ns));
            deadline_ = later(now - now % period, period);
        }
        buffer_.insert(buffer_.end(), packets, packets + count);
        if (buffer_.size() >= model.buffer_packets) {
            flush(now);
        }
        return count;
    }
    std::size_t sent = tx->send(packets, count, now);
    if (sent < count) {
        if (model.when_full == WhenFull::drop) {
            tx->dropped += count - sent;
            return count;
        }
        wait_until_ = tx->room_at(std::min(count - sent, tx->capacity));
    }
    return sent;
}

void OutputRun::flush(Ps now)
{
    std::size_t sent = tx->send(buffer_.data(), buffer_.size(), now);
    tx->dropped += buffer_.size() - sent;
    buffer_.clear();
    deadline_ = kNever;
}

std::size_t OutputRun::to_queue(const Packet *packets, std::size_t count, Ps now,
                                std::uint32_t core, Waker &waker)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (queue->room() == 0) {
            if (model.when_full == WhenFull::wait) {
                wait_until_ = kNever; // until the consumer takes some
                queue->waiting_cores.push_back(core);
                return i;
            }
            queue->drop();
        } else {
            Ps ready = device != nullptr ? device->submit(now) : later(now, handoff);
            queue->push(packets[i], now, ready);
            waker.arrival(queue->consumer, ready);
        }
    }
    return count;
}

} // namespace planecast::sim
