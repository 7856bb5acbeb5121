// The receiving side of a card: sources → wires → engine → RSS → receive rings.
//
// It depends on nothing that the cores do, so it runs ahead of them, a slab of packets at a time.
#pragma once

#include "packet_queue.hpp"
#include "planecast/simulator/nic_model.hpp"
#include "traffic.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace planecast::sim
{

struct RxCounts {
    std::uint64_t offered = 0; // received by the port: last bit in
    std::uint64_t bytes = 0;
    std::uint64_t dropped = 0; // by the card, before the ring
};

// A port's wire and where RSS sends its packets.
class RxPort
{
  public:
    RxPort(const Port &model, std::size_t largest_frame);

    void add(std::unique_ptr<TrafficSource> source) { sources_.push_back({std::move(source), {}}); }
    // All of its packets are alike, go to one queue, and no engine spaces them: write_straight()
    // does then what peek(), pop() and RxStream do, without a packet's detour through their arrays.
    bool straight() const;
    // Writes what is born before `until`, at most `budget`; returns how many. 0 < `budget` left
    // over means that nothing more is born before `until`.
    std::size_t write_straight(Ps until, std::size_t budget, Ps latency);
    // When the next packet is born; kNever if there are no more.
    Ps next_straight();
    const Packet &straight_pattern() const;
    // The next packet, `born` now holding its last bit's arrival; null: no more.
    const Packet *peek() { return !packets_.empty() || refill() ? packets_.data() : nullptr; }
    void pop() { packets_ = packets_.subspan(1); }

    void steer(std::vector<PacketQueue *> table); // by hash; null: some other thread's queue
    PacketQueue *queue_of(std::uint32_t hash) const
    {
        return mask_ > 0 ? table_[hash & mask_] : table_[hash % table_.size()];
    }

    Ps engine_free = 0;
    Ps engine_period;

  private:
    bool refill();
    void merge();

    struct Feed {
        std::unique_ptr<TrafficSource> source;
        std::span<Packet> left;
    };
    std::vector<Feed> sources_;
    std::vector<PacketQueue *> table_;
    std::size_t mask_ = 0;    // where the table's size is a power of two
    std::vector<Ps> service_; // by frame size; empty: takes no time
    Ps wire_free_ = 0;
    std::span<Packet> packets_;
    std::vector<Packet> merged_; // of several sources
    std::span<const Ps> times_;  // straight
};

class RxStream
{
  public:
    RxStream(const Nic &nic, std::size_t largest_frame, std::size_t classes, bool counted);

    // Once all ports and queues are there.
    void connect();

    // Writes the packets born before `until` into the rings, about `budget` of them; returns the
    // instant before which nothing more will be written.
    Ps advance(Ps until, std::size_t budget);

    std::vector<std::unique_ptr<RxPort>> ports;
    std::vector<PacketQueue *> queues; // all that the ports steer to
    std::string name;
    RxCounts counts;
    std::vector<std::uint64_t> offered_by_class; // empty when there is one
    bool counted;                                // another thread's copy of this stream isn't
    bool exhausted = false;

  private:
    bool receive(RxPort &port, const Packet &packet);
    Ps advance_straight(Ps until, std::size_t budget);

    bool straight_ = false;
    Ps latency_;
    std::uint64_t fifo_;
    Ps engine_free_ = 0;
    std::vector<Ps> service_; // by frame size; empty: takes no time
};

} // namespace planecast::sim
