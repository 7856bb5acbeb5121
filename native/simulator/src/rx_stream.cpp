#include "rx_stream.hpp"

#include "frame_times.hpp"
#include "prefix_scan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace planecast::sim
{

namespace
{

// How many of these instants, which never go back, lie before `until`.
std::size_t before(const Ps *instants, std::size_t count, Ps until)
{
    if (count == 0 || instants[count - 1] < until) {
        return count;
    }
    return static_cast<std::size_t>(std::lower_bound(instants, instants + count, until) - instants);
}

} // namespace

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

bool RxPort::straight() const
{
    return table_.size() == 1 && engine_period == 0 && sources_.size() == 1 &&
           sources_.front().source->uniform();
}

const Packet &RxPort::straight_pattern() const
{
    return sources_.front().source->pattern();
}

Ps RxPort::next_straight()
{
    if (times_.empty()) {
        times_ = sources_.front().source->next_times();
        if (times_.empty()) {
            return kNever;
        }
    }
    if (service_.empty()) {
        return times_.front();
    }
    return later(std::max(times_.front(), wire_free_), service_[straight_pattern().frame_bytes]);
}

std::size_t RxPort::write_straight(Ps until, std::size_t budget, Ps latency)
{
    PacketQueue *queue = table_.front();
    Packet packet = straight_pattern();
    const Ps service = service_.empty() ? 0 : service_[packet.frame_bytes];
    std::size_t written = 0;
    while (written < budget && next_straight() < until) {
        std::size_t most = std::min(budget - written, times_.size());
        std::size_t count = 0;
        Ps wire_free = service > 0 ? wire_free_ : 0; // a wire of no time keeps nobody waiting
        if (queue != nullptr && queue->alike() && std::max({until, wire_free, latency}) < kNear &&
            service < kNear / kNearRow) {
            // A time past `until` may be the end of time itself: left out before anything is added.
            most = before(times_.data(), most, until);
            Ps *ready = queue->next_slot();
            serve_in_order(times_.data(), most, latency, wire_free + latency, service, ready);
            count = before(ready, most, until + latency);
            wire_free = ready[count - 1] - latency; // the first at least is born in time
            queue->wrote(count);
        } else {
            while (count < most) {
                packet.born = later(std::max(times_[count], wire_free), service);
                if (packet.born >= until) {
                    break;
                }
                wire_free = packet.born;
                ++count;
                if (queue != nullptr) {
                    queue->write(packet, later(packet.born, latency));
                }
            }
        }
        wire_free_ = wire_free;
        times_ = times_.subspan(count);
        written += count;
    }
    return written;
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

RxStream::RxStream(const Nic &nic, std::size_t largest_frame, std::size_t classes, bool counts_here)
    : offered_by_class(classes > 1 ? classes : 0), counted(counts_here),
      latency_(ps_from_ns(nic.rx_latency_ns)), fifo_(nic.rx_fifo_packets),
      service_(rx_engine_times(nic, largest_frame))
{
}

void RxStream::connect()
{
    straight_ = ports.size() == 1 && ports.front()->straight() && service_.empty();
    PacketQueue *queue = straight_ ? ports.front()->queue_of(0) : nullptr;
    if (queue != nullptr) {
        queue->keep_instants_only(ports.front()->straight_pattern(), latency_);
    }
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

Ps RxStream::advance_straight(Ps until, std::size_t budget)
{
    RxPort &port = *ports.front();
    std::size_t written = port.write_straight(until, budget, latency_);
    counts.offered += written;
    counts.bytes += written * port.straight_pattern().frame_bytes;
    if (!offered_by_class.empty()) {
        offered_by_class[port.straight_pattern().flow_class] += written;
    }
    Ps next = port.next_straight();
    exhausted = next == kNever;
    return std::min(next, until);
}

Ps RxStream::advance(Ps until, std::size_t budget)
{
    for (PacketQueue *queue : queues) {
        queue->reserve(budget);
    }
    if (straight_) {
        Ps horizon = advance_straight(until, budget);
        for (PacketQueue *queue : queues) {
            queue->seal();
        }
        return horizon;
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
        if (!offered_by_class.empty()) {
            ++offered_by_class[packet->flow_class];
        }
        counts.dropped += receive(*first, *packet) ? 0 : 1;
        first->pop();
    }
    for (PacketQueue *queue : queues) {
        queue->seal();
    }
    return horizon;
}

} // namespace planecast::sim
