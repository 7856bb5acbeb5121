// A bounded queue with one consumer: a NIC's receive ring, a ring between cores, a device's queue.
//
// The packets stand in a row, oldest first:
//
//     done ……… head ……… tail      unseen ……… end
//     in service  waiting           arrivals that nobody has looked at yet
//
// A NIC's arrivals don't depend on what the cores do, so they are written ahead of time; which of
// them found the ring full is decided when the consumer next looks (settle): between two polls
// nothing leaves, so the first ones that fit are in and the rest are lost. A burst is served where
// it stands. That's what makes an arrival cost a few nanoseconds of host time and no event.
//
// When each is shown stands in an array of its own, which is all that a poll looks at; and where
// all packets are alike, it is all that is kept.
#pragma once

#include "packet.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

struct QueueCounts {
    std::uint64_t entered = 0;
    std::uint64_t left = 0;
    std::uint64_t dropped = 0;
    std::uint64_t max = 0;
    Int128 area = 0;  // ∫ packets dt, by time
    Int128 waits = 0; // Σ time of those that left, by packet: Little's law compares the two
};

class PacketQueue
{
  public:
    PacketQueue(std::string name, std::size_t capacity, bool written_ahead);

    // ---- the side that writes ahead
    // From the start on, every packet will be like this one, ready so long after it was born.
    void keep_instants_only(const Packet &packet, Ps latency_of_all);
    void reserve(std::size_t count); // room for so many write()s
    void write(const Packet &packet, Ps when)
    {
        if (!alike_) {
            packets_[end_] = packet;
        }
        ready_[end_++] = when;
    }
    // The same for many that are alike: when each is ready is written to next_slot() and on.
    bool alike() const { return alike_; }
    Ps *next_slot() { return ready_.data() + end_; }
    void wrote(std::size_t count) { end_ += count; }
    void seal() { std::fill_n(next_slot(), written_ahead_ ? kBeyond : 1, kNever); }

    // ---- the side that pushes now; the caller has looked at room()
    std::size_t room() const { return capacity - waiting(); }
    void push(const Packet &packet, Ps now, Ps when);
    void drop() { ++counts.dropped; }

    // ---- the consumer: one burst is in service at a time
    // Decides about the arrivals up to this time; returns how long those that got in have waited.
    Int128 settle(Ps now);
    // A poll at this time: so many of those that wait go into service, a burst at most.
    std::size_t take(Ps now, std::size_t burst);
    // When the next packet shows; kNever if none is known.
    Ps next_ready() const { return ready_[head_ < tail_ ? head_ : unseen_]; }
    Packet *in_service() { return packets_.data() + (alike_ ? 0 : done_); }
    void release(std::size_t count) { done_ += count; }

    // ---- many bursts at once, of packets written ahead of which none waits
    bool nothing_waits() const { return head_ == tail_ && tail_ == unseen_; }
    // When each of the packets that nobody has looked at is ready; kBeyond times kNever at the end.
    const Ps *unseen() const { return ready_.data() + unseen_; }
    // So many of them have come and gone into service, `most` in one poll at most, and waited so
    // long in all: that is an area as well as a sum of waits, for who came left in the same poll.
    void pass(std::size_t count, std::size_t most, Ps waited);
    // Calls use(packets) with those in service, as an array of Packet or as AlikePackets.
    template <class Use> void each_in_row(Use use)
    {
        if (alike_) {
            use(AlikePackets{ready_.data() + done_, latency_, pattern_});
        } else {
            use(static_cast<const Packet *>(in_service()));
        }
    }
    // Of packets that are alike: writes down those in service, for in_service().
    void show(std::size_t count)
    {
        const AlikePackets row{ready_.data() + done_, latency_, pattern_};
        for (std::size_t i = 0; alike_ && i < count; ++i) {
            packets_[i] = row[i];
        }
    }

    std::size_t waiting() const { return tail_ - head_; }
    template <class Visitor> void each_inside(Visitor visit) const // waiting or on the way
    {
        for (std::size_t i = head_ < tail_ ? head_ : unseen_; i < end_;) {
            visit(alike_ ? pattern_ : packets_[i]);
            i = i + 1 == tail_ ? unseen_ : i + 1;
        }
    }
    Int128 waits_of_waiting(Ps now) const;
    Ps settled() const { return settled_; }

    static constexpr std::size_t kBeyond = 16; // of kNever after the last: a loop may look ahead

    const std::string name;
    const std::size_t capacity;
    QueueCounts counts;
    std::uint32_t consumer = ~0U;             // core that polls it
    std::vector<std::uint32_t> waiting_cores; // producers that wait for room

  private:
    const Ps *entered() const { return (written_ahead_ ? ready_ : entered_).data() + head_; }
    inline Int128 accept(Ps now);
    void resize(std::size_t size);
    void compact();

    bool written_ahead_;
    std::vector<Ps> ready_;       // when the queue shows each to the consumer; kBeyond spare ones
    std::vector<Packet> packets_; // of packets that are alike: those in service, once shown
    std::vector<Ps> entered_;     // pushed queues: when
    bool alike_ = false;
    Ps latency_ = 0; // of those: from birth to ready
    Packet pattern_{};
    std::size_t done_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
    std::size_t unseen_ = 0;
    std::size_t end_ = 0;
    Ps settled_ = 0;
};

} // namespace planecast::sim
