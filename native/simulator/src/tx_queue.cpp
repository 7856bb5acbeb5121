#include "tx_queue.hpp"

#include "prefix_scan.hpp"

#include <algorithm>
#include <utility>

namespace planecast::sim
{

TxQueue::TxQueue(std::string called, std::size_t most, TxWire &wire, Recorder &recorder)
    : name(std::move(called)), capacity(most), wire_(wire), recorder_(recorder),
      // Departures are counted many at a time: cleaning at every burst would cost more than
      // sending.
      entries_(most + 512)
{
}

std::size_t TxQueue::send(const Packet *packets, std::size_t count, Ps now)
{
    if (inside() + count > capacity || tail_ + count > entries_.size()) {
        prune(now);
        count = std::min(count, capacity - inside());
    }
    TxEntry *const entry = entries_.data() + tail_;
    TxWire wire = wire_; // a copy, so that the compiler knows that nothing else writes to it
    Ps longest = longest_wait_;
    Int128 all_waits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Packet &packet = packets[i];
        const Ps gone = wire.send(now, packet.frame_bytes);
        all_waits += gone - now;
        longest = std::max(longest, gone - now);
        entry[i] = {gone, packet.born, packet.frame_bytes, packet.flow_class};
    }
    longest_wait_ = longest;
    waits += all_waits;
    wire_.free = wire.free;
    tail_ += count;
    entered += count;
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
    longest_wait_ = std::max(longest_wait_, longest);
    const auto left = static_cast<std::size_t>(std::lower_bound(gone, gone + count, until) -
                                               gone); // they leave in order
    recorder_.forward(packets, gone, left);
    prune(until - 1);
    for (std::size_t i = left; i < count; ++i) {
        const Packet packet = packets[i];
        entries_[tail_++] = {gone[i], packet.born, packet.frame_bytes, packet.flow_class};
    }
    return true;
}

void TxQueue::prune(Ps now)
{
    while (head_ < tail_ && entries_[head_].gone <= now) {
        const TxEntry &entry = entries_[head_++];
        recorder_.forward(entry.born, entry.gone, entry.frame_bytes, entry.flow_class);
    }
    std::move(entries_.data() + head_, entries_.data() + tail_, entries_.data());
    tail_ -= head_;
    head_ = 0;
}

std::uint64_t TxQueue::most_inside() const
{
    if (wire_.shortest == 0) {
        return 0;
    }
    auto frames = static_cast<std::uint64_t>((longest_wait_ + wire_.shortest - 1) / wire_.shortest);
    return std::min<std::uint64_t>({frames, capacity, entered});
}

Int128 TxQueue::waits_of_inside(Ps now) const
{
    Int128 sum = 0;
    for (const TxEntry &entry : all_inside()) {
        sum += entry.gone - now;
    }
    return sum;
}

} // namespace planecast::sim
