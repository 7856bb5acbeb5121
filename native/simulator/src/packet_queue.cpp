#include "packet_queue.hpp"

#include <utility>

namespace planecast::sim
{

namespace
{

constexpr std::size_t kBeyond = 4; // seal()'s, and what FreshBursts may read after it

} // namespace

PacketQueue::PacketQueue(std::string name, std::size_t most, bool written_ahead)
    : name_(std::move(name)), written_ahead_(written_ahead)
{
    capacity = most;
    resize(2 * capacity + 4096);
    seal();
}

void PacketQueue::resize(std::size_t size)
{
    memory_.resize(size);
    packets = memory_.data();
    if (!written_ahead_) {
        entered_.resize(size);
    }
}

// Moves what is alive to the front. Half the array is free then, so a packet is moved once at most.
void PacketQueue::compact()
{
    auto at = [](auto &v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
    std::move(at(memory_, done), at(memory_, tail), memory_.begin());
    if (!written_ahead_) {
        std::move(at(entered_, done), at(entered_, tail), entered_.begin());
    }
    std::size_t alive = tail - done;
    std::move(at(memory_, unseen), at(memory_, end_), at(memory_, alive));
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
    if (end_ + count + kBeyond > memory_.size()) {
        compact();
        std::size_t needed = end_ + count + kBeyond;
        if (needed + needed / 2 > memory_.size()) {
            resize(2 * needed);
        }
    }
    seal();
}

void PacketQueue::push(const Packet &packet, Ps now, Ps ready)
{
    reserve(1);
    settle(now);
    packets[tail] = packet;
    packets[tail].ready = ready;
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
