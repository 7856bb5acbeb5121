// The sending side: a port's wire, the card's engine before it, and a core's transmit ring.
//
// The wire serves in order and nothing later changes an instant once it is known, so a packet's
// departure is computed when it is handed over; it is counted once that instant has passed.
#pragma once

#include "packet.hpp"
#include "recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planecast::sim
{

// What all transmit queues of a card share.
struct TxEngine {
    Ps free = 0;
    Ps latency = 0;
    std::vector<Ps> service; // by frame size; empty: takes no time
};

// What all transmit queues of a port share.
struct TxWire {
    Ps free = 0;
    const Ps *service = nullptr; // by frame size; null: takes no time
    TxEngine *engine = nullptr;  // null: takes no time
    Ps latency = 0;              // the engine's
    Ps shortest = 0;             // least time between two frames, here or in the engine
    Ps only = 0;                 // what every frame takes, where there is one size; else 0

    // When the last bit of a frame handed over now has left.
    Ps send(Ps now, std::uint16_t frame_bytes)
    {
        Ps start = now;
        if (engine != nullptr) {
            start = engine->free = later(std::max(now, engine->free), engine->service[frame_bytes]);
        }
        start = later(start, latency);
        if (service == nullptr) {
            return start;
        }
        free = later(std::max(start, free), service[frame_bytes]);
        return free;
    }
};

struct TxEntry {
    Ps gone;
    Ps born;
    std::uint16_t frame_bytes;
    std::uint8_t flow_class;
};

class TxQueue
{
  public:
    TxQueue(std::string name, std::size_t capacity, TxWire &wire, Recorder &recorder);

    // Hands over what fits; returns how many.
    std::size_t send(const Packet *packets, std::size_t count, Ps now);

    // Hands over each packet at an instant of its own, in order, and drops what finds no room. What
    // has left before `until` is counted at once: nobody may ask before then. `Row`: an array of
    // Packet, or AlikePackets.
    template <class Row>
    void send_each(const Row &packets, const Ps *handed, std::size_t count, Ps until);

    // Counts what has left by this time.
    void prune(Ps now);

    // When there is room for so many more; they must be no more than the capacity.
    Ps room_at(std::size_t count) const
    {
        return entries_[head_ + inside() + count - capacity - 1].gone;
    }

    std::size_t inside() const { return tail_ - head_; }
    std::span<const TxEntry> all_inside() const { return {entries_.data() + head_, inside()}; }
    Int128 waits_of_inside(Ps now) const; // time after now
    // An upper bound: the longest wait, were everything before it this queue's and of the shortest
    // frames.
    std::uint64_t most_inside() const;

    const std::string name;
    const std::size_t capacity;
    std::uint64_t entered = 0;
    std::uint64_t dropped = 0;
    Int128 waits = 0; // from handoff to departure, of all that entered

  private:
    template <class Row>
    bool send_surely(const Row &packets, const Ps *handed, std::size_t count, Ps until);

    TxWire &wire_;
    Recorder &recorder_;
    std::vector<TxEntry> entries_;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
    Ps longest_wait_ = 0;
    std::vector<Ps> gone_; // of a send_each()
};

} // namespace planecast::sim
