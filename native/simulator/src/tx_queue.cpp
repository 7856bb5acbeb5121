#include "tx_queue.hpp"

#include "in_order.hpp"

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

template <class Row>
void TxQueue::send_each(const Row &packets, const Ps *handed, std::size_t count, Ps until)
{
    if (count == 0 || send_surely(packets, handed, count, until)) {
        return;
    }
    std::vector<Packet> burst;
    for (std::size_t i = 0; i < count; i += burst.size()) { // as they came
        burst.clear();
        do {
            burst.push_back(packets[i + burst.size()]);
        } while (i + burst.size() < count && handed[i + burst.size()] == handed[i]);
        dropped += burst.size() - send(burst.data(), burst.size(), handed[i]);
    }
}

template void TxQueue::send_each(const Packet *const &, const Ps *, std::size_t, Ps);
template void TxQueue::send_each(const AlikePackets &, const Ps *, std::size_t, Ps);

// All of them; false, and then nothing is done, when there may not be room for some.
template <class Row>
bool TxQueue::send_surely(const Row &packets, const Ps *handed, std::size_t count, Ps until)
{
    gone_.resize(std::max(gone_.size(), count));
    Ps *gone = gone_.data();
    TxWire wire = wire_;
    TxEngine *engine = wire.engine;
    const Ps engine_free = engine != nullptr ? engine->free : 0;
    Ps longest = 0;
    UInt128 all_waits = 0;
    if (wire.only > 0 && engine == nullptr && static_cast<Ps>(count) <= kNearRow && until < kNear &&
        wire.free - handed[0] < kNear / kNearRow &&
        std::max(wire.latency, wire.only) < kNear / kNearRow / kNearRow) {
        // One size, and too near for the end of time: nothing to look up, nothing to look for.
        wire.free = serve_in_order(handed, count, wire.latency, wire.free, wire.only, gone);
        Ps waits_of_row = 0;
        for (std::size_t i = 0; i < count; ++i) {
            longest = std::max(longest, gone[i] - handed[i]);
            waits_of_row += gone[i] - handed[i];
        }
        all_waits = static_cast<std::uint64_t>(waits_of_row);
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            gone[i] = wire.send(handed[i], packets[i].frame_bytes);
            longest = std::max(longest, gone[i] - handed[i]);
            all_waits += static_cast<std::uint64_t>(gone[i] - handed[i]);
        }
    }
    // Frames leave `shortest` apart at least, so this many are inside at once at most.
    const Ps inside = wire.shortest > 0 ? longest / wire.shortest + 1 : (longest > 0 ? kNever : 0);
    if (inside > static_cast<Ps>(capacity)) {
        if (engine != nullptr) {
            engine->free = engine_free;
        }
        return false;
    }
    wire_.free = wire.free;
    entered += count;
    waits += static_cast<Int128>(all_waits);
    longest_wait = std::max(longest_wait, longest);
    const auto left = static_cast<std::size_t>(std::lower_bound(gone, gone + count, until) -
                                               gone); // they leave in order
    recorder_.forward(packets, gone, left);
    prune(until - 1);
    for (std::size_t i = left; i < count; ++i) {
        const Packet packet = packets[i];
        entries[tail++] = {gone[i], packet.born, packet.frame_bytes, packet.flow_class};
    }
    return true;
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
