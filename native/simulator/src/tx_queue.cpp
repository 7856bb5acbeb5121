#include "tx_queue.hpp"

#include <algorithm>
#include <utility>

namespace planecast::sim
{

TxQueue::TxQueue(std::string name, std::size_t capacity, TxWire &wire, Recorder &recorder)
    : name_(std::move(name)), capacity_(capacity), wire_(wire), recorder_(recorder),
      // Departures are counted many at a time: cleaning at every burst would cost more than
      // sending.
      entries_(capacity + 512)
{
}

void TxQueue::prune(Ps now)
{
    while (head_ < tail_ && entries_[head_].gone <= now) {
        const Entry &entry = entries_[head_++];
        recorder_.forward(entry.born, entry.gone, entry.frame_bytes, entry.flow_class);
    }
    auto begin = entries_.begin();
    std::move(begin + static_cast<std::ptrdiff_t>(head_),
              begin + static_cast<std::ptrdiff_t>(tail_), begin);
    tail_ -= head_;
    head_ = 0;
}

Ps TxQueue::room_at(std::size_t count) const
{
    std::size_t must_leave = tail_ - head_ + count - capacity_;
    return entries_[head_ + must_leave - 1].gone;
}

std::uint64_t TxQueue::most_inside() const
{
    if (wire_.shortest == 0) {
        return 0;
    }
    auto frames = static_cast<std::uint64_t>((longest_wait + wire_.shortest - 1) / wire_.shortest);
    return std::min<std::uint64_t>({frames, capacity_, entered});
}

Int128 TxQueue::waits_of_inside(Ps now) const
{
    Int128 sum = 0;
    for (std::size_t i = head_; i < tail_; ++i) {
        sum += entries_[i].gone - now;
    }
    return sum;
}

} // namespace planecast::sim
