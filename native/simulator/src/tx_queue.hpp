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
    std::vector<Ps> service; // by frame size; empty: takes no time
    TxEngine *engine = nullptr;
    Ps shortest = 0; // least time between two frames, here or in the engine

    // When the last bit of a frame handed over now has left.
    Ps send(Ps now, std::uint16_t frame_bytes)
    {
        Ps start = now;
        if (!engine->service.empty()) {
            start = engine->free = later(std::max(now, engine->free), engine->service[frame_bytes]);
        }
        start = later(start, engine->latency);
        if (service.empty()) {
            return start;
        }
        free = later(std::max(start, free), service[frame_bytes]);
        return free;
    }
};

class TxQueue
{
  public:
    TxQueue(std::string name, std::size_t capacity, TxWire &wire, Recorder &recorder);

    // Hands over what fits; returns how many.
    std::size_t send(const Packet *packets, std::size_t count, Ps now);

    // Counts what has left by this time.
    void prune(Ps now);

    // When there is room for so many more; they must be no more than the capacity.
    Ps room_at(std::size_t count) const;

    std::size_t inside() const { return tail_ - head_; }
    Int128 waits_of_inside(Ps now) const; // time after now
    // An upper bound: the longest wait, were everything before it this queue's and of the shortest
    // frames.
    std::uint64_t most_inside() const;
    const std::string &name() const { return name_; }
    std::size_t capacity() const { return capacity_; }

    std::uint64_t entered = 0;
    std::uint64_t dropped = 0;
    Int128 waits = 0; // from hand-over to departure, of all that entered
    Ps longest_wait = 0;

  private:
    struct Entry {
        Ps gone;
        Ps born;
        std::uint16_t frame_bytes;
        std::uint8_t flow_class;
    };
    std::string name_;
    std::size_t capacity_;
    TxWire &wire_;
    Recorder &recorder_;
    std::vector<Entry> entries_;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

inline std::size_t TxQueue::send(const Packet *packets, std::size_t count, Ps now)
{
    if (tail_ - head_ + count > capacity_ || tail_ + count > entries_.size()) {
        prune(now);
        count = std::min(count, capacity_ - (tail_ - head_));
    }
    Entry *entry = entries_.data() + tail_;
    for (std::size_t i = 0; i < count; ++i, ++entry) {
        const Packet &packet = packets[i];
        Ps gone = wire_.send(now, packet.frame_bytes);
        waits += gone - now;
        *entry = {gone, packet.born, packet.frame_bytes, packet.flow_class};
    }
    if (count > 0) {
        longest_wait = std::max(longest_wait, entry[-1].gone - now);
    }
    tail_ += count;
    entered += count;
    return count;
}

} // namespace planecast::sim
