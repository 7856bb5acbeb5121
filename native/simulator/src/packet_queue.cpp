#include "packet_queue.hpp"

#include <utility>

namespace planecast::sim
{

PacketQueue::PacketQueue(std::string name, std::size_t most, bool written_ahead)
    : name_(std::move(name)), written_ahead_(written_ahead)
{
    capacity = most;
    resize(2 * capacity + 4096);
    seal();
}

void PacketQueue::resize(std::size_t size)
{
    ready_.resize(size);
    ready = ready_.data();
    if (!alike) {
        packets_.resize(size);
        packets = packets_.data();
    }
    if (!written_ahead_) {
        entered_.resize(size);
    }
}

void PacketQueue::keep_instants_only(const Packet &packet, Ps latency_of_all)
{
    alike = true;
    pattern = packet;
    latency = latency_of_all;
    packets_ = std::vector<Packet>(capacity); // a burst at most
    packets = packets_.data();
}

// Moves what is alive to the front. Half the array is free then, so a packet is moved once at most.
void PacketQueue::compact()
{
    auto at = [](auto &v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
    std::size_t alive = tail - done;
    auto close_gaps = [&](auto &v) {
        std::move(at(v, done), at(v, tail), v.begin());
        std::move(at(v, unseen), at(v, end_), at(v, alive));
    };
    close_gaps(ready_);
    if (!alike) {
        close_gaps(packets_);
    }
    if (!written_ahead_) { // these enter when they are written: none is unseen
        std::move(at(entered_, done), at(entered_, tail), entered_.begin());
    }
    head -= done;
    done = 0;
    tail = alive;
    end_ = alive + (end_ - unseen);
    unseen = alive;
    seal();
}

void PacketQueue::reserve(std::size_t count)
{
    if (unseen == end_) { // all arrivals are decided: the gap that drops left closes for free
        unseen = end_ = tail;
    }
    // Where little is alive it moves at once: what is written stays in the host's first cache.
    if (end_ + count + kBeyond > ready_.size() ||
        (written_ahead_ && tail - done + end_ - unseen < count / 4)) {
        compact();
        std::size_t needed = end_ + count + kBeyond;
        if (needed + needed / 2 > ready_.size()) {
            resize(2 * needed);
        }
    }
    seal();
}

void PacketQueue::push(const Packet &packet, Ps now, Ps when)
{
    reserve(1);
    settle(now);
    packets[tail] = packet;
    ready[tail] = when;
    entered_[tail] = now;
    unseen = end_ = ++tail;
    seal();
    ++counts.entered;
    counts.max = std::max<std::uint64_t>(counts.max, tail - head);
}

Int128 PacketQueue::waits_of_waiting(Ps now) const
{
    Int128 waited = 0;
    for (std::size_t i = head; i < tail; ++i) {
        waited += now - entered(i);
    }
    return waited;
}

} // namespace planecast::sim
