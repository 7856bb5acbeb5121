#include "packet_queue.hpp"

#include <utility>

namespace planecast::sim
{

PacketQueue::PacketQueue(std::string name, std::size_t capacity, bool written_ahead)
    : name_(std::move(name)), capacity_(capacity), written_ahead_(written_ahead),
      packets_(2 * capacity + 4096)
{
    if (!written_ahead_) {
        entered_.resize(packets_.size());
    }
    seal();
}

// Moves what is alive to the front. Half the array is free then, so a packet is moved once at most.
void PacketQueue::compact()
{
    auto at = [](auto &v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
    std::move(at(packets_, done_), at(packets_, tail_), packets_.begin());
    if (!written_ahead_) {
        std::move(at(entered_, done_), at(entered_, tail_), entered_.begin());
    }
    std::size_t alive = tail_ - done_;
    std::move(at(packets_, unseen_), at(packets_, end_), at(packets_, alive));
    head_ -= done_;
    done_ = 0;
    tail_ = alive;
    end_ = alive + (end_ - unseen_);
    unseen_ = alive;
    seal();
}

void PacketQueue::reserve(std::size_t count)
{
    if (unseen_ == end_) { // all arrivals are decided: the gap that drops left closes for free
        unseen_ = end_ = tail_;
    }
    if (end_ + count + 1 <= packets_.size()) {
        return;
    }
    compact();
    std::size_t needed = end_ + count + 1;
    if (needed + needed / 2 > packets_.size()) {
        packets_.resize(2 * needed);
        if (!written_ahead_) {
            entered_.resize(packets_.size());
        }
        seal();
    }
}

void PacketQueue::push(const Packet &packet, Ps now, Ps ready)
{
    reserve(1);
    settle(now);
    packets_[tail_] = packet;
    packets_[tail_].ready = ready;
    entered_[tail_] = now;
    unseen_ = end_ = ++tail_;
    seal();
    ++counts.entered;
    counts.max = std::max<std::uint64_t>(counts.max, tail_ - head_);
}

Int128 PacketQueue::waits_of_waiting(Ps now) const
{
    Int128 waited = 0;
    for (std::size_t i = head_; i < tail_; ++i) {
        waited += now - (written_ahead_ ? packets_[i].ready : entered_[i]);
    }
    return waited;
}

} // namespace planecast::sim
