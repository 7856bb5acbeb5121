#include "rx_stream.hpp"

#include "frame_times.hpp"

#include <algorithm>
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
}

bool RxPort::refill()
{
    packets_.clear();
    next_ = 0;
    while (packets_.size() < ArrivalProcess::kBatch) {
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
        std::size_t count = sources_.size() == 1 ? first->left.size() : 1;
        packets_.insert(packets_.end(), first->left.begin(),
                        first->left.begin() + static_cast<std::ptrdiff_t>(count));
        first->left = first->left.subspan(count);
    }
    if (!service_.empty()) {
        for (Packet &packet : packets_) {
            wire_free_ = later(std::max(packet.born, wire_free_), service_[packet.frame_bytes]);
            packet.born = wire_free_;
        }
    }
    return !packets_.empty();
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
        Packet copy = packet;
        copy.ready = later(ready, latency_);
        queue->write(copy);
    }
    return true;
}

Ps RxStream::advance(Ps until, std::size_t budget)
{
    for (PacketQueue *queue : queues) {
        queue->reserve(budget);
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
