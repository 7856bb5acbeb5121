#include "rx_stream.hpp"

#include "frame_times.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace planecast::sim
{

RxPort::RxPort(const Port &model, std::size_t largest_frame)
    : engine_period(limit_period(model.rx_limit_pps)), service_(wire_times(model, largest_frame))
{
}

void RxPort::steer(std::vector<PacketQueue *> table)
{
    bool one =
        std::all_of(table.begin(), table.end(), [&](auto *queue) { return queue == table[0]; });
    table_ = one ? std::vector<PacketQueue *>{table[0]} : std::move(table);
    mask_ = std::has_single_bit(table_.size()) ? table_.size() - 1 : 0;
}

bool RxPort::refill()
{
    if (sources_.size() == 1) {
        packets_ = sources_.front().source->next_batch();
    } else {
        merge();
        packets_ = merged_;
    }
    if (!service_.empty()) {
        for (Packet &packet : packets_) {
            wire_free_ = later(std::max(packet.born, wire_free_), service_[packet.frame_bytes]);
            packet.born = wire_free_;
        }
    }
    return !packets_.empty();
}

void RxPort::merge()
{
    merged_.clear();
    while (merged_.size() < ArrivalProcess::kBatch) {
        Feed *first = nullptr;
        for (Feed &feed : sources_) {
            if (feed.left.empty()) {
                feed.left = feed.source->next_batch();
            }
            if (!feed.left.empty() &&
                (first == nullptr || feed.left.front().born < first->left.front().born)) {
                first = &feed;
            }
        }
        if (first == nullptr) {
            break;
        }
        merged_.push_back(first->left.front());
        first->left = first->left.subspan(1);
    }
}

RxStream::RxStream(const Nic &nic, std::size_t largest_frame, bool counts_here)
    : counted(counts_here), latency_(ps_from_ns(nic.rx_latency_ns)), fifo_(nic.rx_fifo_packets),
      service_(rx_engine_times(nic, largest_frame))
{
}

// True if the packet got through the card.
bool RxStream::receive(RxPort &port, const Packet &packet)
{
    Ps ready = packet.born;
    if (port.engine_period > 0 || !service_.empty()) {
        Ps own = service_.empty() ? 0 : service_[packet.frame_bytes];
        Ps start = std::max(packet.born, std::max(port.engine_free, engine_free_));
        // The card's buffer holds what waits for the engine; past it the card drops.
        Ps longest = std::max(port.engine_period, own);
        if (start - packet.born > static_cast<Int128>(longest) * fifo_) {
            return false;
        }
        ready = later(start, longest);
        port.engine_free = later(start, port.engine_period);
        engine_free_ = later(start, own);
    }
    PacketQueue *queue = port.queue_of(packet.flow_hash);
    if (queue != nullptr) {
        queue->write(packet, later(ready, latency_));
    }
    return true;
}

// The loop that a single queue's packets need, without the choices that the general one makes.
void RxStream::copy_straight(RxPort &port, Ps until, std::size_t &budget)
{
    PacketQueue *queue = port.queue_of(0);
    while (budget > 0 && port.peek() != nullptr) {
        std::span<const Packet> packets = port.waiting();
        std::size_t count = 0;
        std::size_t most = std::min(budget, packets.size());
        std::uint64_t bytes = 0;
        while (count < most && packets[count].born < until) {
            bytes += packets[count++].frame_bytes;
        }
        if (queue != nullptr) {
            for (const Packet &packet : packets.first(count)) {
                queue->write(packet, packet.born + latency_);
            }
        }
        counts.offered += count;
        counts.bytes += bytes;
        budget -= count;
        port.pop(count);
        if (count < most) {
            break;
        }
    }
}

Ps RxStream::advance(Ps until, std::size_t budget)
{
    for (PacketQueue *queue : queues) {
        queue->reserve(budget);
    }
    if (ports.size() == 1 && ports.front()->straight() && service_.empty()) {
        copy_straight(*ports.front(), until, budget);
    }
    Ps horizon = until;
    for (;;) {
        RxPort *first = nullptr;
        const Packet *packet = nullptr;
        for (auto &port : ports) {
            const Packet *candidate = port->peek();
            if (candidate != nullptr && (packet == nullptr || candidate->born < packet->born)) {
                packet = candidate;
                first = port.get();
            }
        }
        if (packet == nullptr) {
            exhausted = true;
            break;
        }
        if (packet->born >= until) {
            break;
        }
        if (budget == 0) {
            horizon = packet->born;
            break;
        }
        --budget;
        ++counts.offered;
        counts.bytes += packet->frame_bytes;
        counts.dropped += receive(*first, *packet) ? 0 : 1;
        first->pop();
    }
    for (PacketQueue *queue : queues) {
        queue->seal();
    }
    return horizon;
}

} // namespace planecast::sim
