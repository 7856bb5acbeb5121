#include "tx_queue.hpp"

#include <algorithm>
#include <utility>

namespace planecast::sim
{

TxQueue::TxQueue(std::string name, std::size_t most, TxWire &wire, Recorder &recorder)
    : name_(std::move(name)), wire_(wire), recorder_(recorder),
      // Departures are counted many at a time: cleaning at every burst would cost more than
      // sending.
      memory_(most + 512)
{
    entries = memory_.data();
    size = memory_.size();
    capacity = most;
}

std::size_t TxQueue::send(const Packet *packets, std::size_t count, Ps now)
{
    if (!surely_room(count)) {
        prune(now);
        count = std::min(count, capacity - inside());
    }
    TxState::send(packets, count, now, wire_);
    return count;
}

void TxQueue::prune(Ps now)
{
    while (head < tail && entries[head].gone <= now) {
        const TxEntry &entry = entries[head++];
        recorder_.forward(entry.born, entry.gone, entry.frame_bytes, entry.flow_class);
    }
    std::move(entries + head, entries + tail, entries);
    tail -= head;
    head = 0;
}

Ps TxQueue::room_at(std::size_t count) const
{
    std::size_t must_leave = inside() + count - capacity;
    return entries[head + must_leave - 1].gone;
}

std::uint64_t TxQueue::most_inside() const
{
    if (wire_.shortest == 0) {
        return 0;
    }
    auto frames = static_cast<std::uint64_t>((longest_wait + wire_.shortest - 1) / wire_.shortest);
    return std::min<std::uint64_t>({frames, capacity, entered});
}

Int128 TxQueue::waits_of_inside(Ps now) const
{
    Int128 sum = 0;
    for (std::size_t i = head; i < tail; ++i) {
        sum += entries[i].gone - now;
    }
    return sum;
}

} // namespace planecast::sim
