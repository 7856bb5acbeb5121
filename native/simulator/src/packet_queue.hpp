// A bounded queue with one consumer: a NIC's receive ring, a ring between cores, a device's queue.
//
// The packets stand in one array, oldest first:
//
//     done ……… head ……… tail      unseen ……… end
//     in service  waiting           arrivals that nobody has looked at yet
//
// A NIC's arrivals don't depend on what the cores do, so they are written ahead of time; which of
// them found the ring full is decided when the consumer next looks (settle): between two polls
// nothing leaves, so the first ones that fit are in and the rest are lost. A burst is served where
// it stands. That's what makes an arrival cost a few nanoseconds of host time and no event.
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
    void reserve(std::size_t count); // room for so many write()s
    void write(const Packet &packet, Ps ready)
    {
        Packet &slot = packets_[end_++];
        slot = packet;
        slot.ready = ready;
    }
    void seal() { packets_[end_].ready = kNever; }

    // ---- the side that pushes now; the caller has looked at room()
    std::size_t room() const { return capacity_ - (tail_ - head_); }
    void push(const Packet &packet, Ps now, Ps ready);
    void drop() { ++counts.dropped; }

    // ---- the consumer
    // How many packets a poll at this time finds.
    std::size_t poll(Ps now, std::size_t burst)
    {
        settle(now);
        std::size_t n = std::min(burst, tail_ - head_);
        while (n > 0 && packets_[head_ + n - 1].ready > now) { // a hand-over on its way
            --n;
        }
        return n;
    }
    void take(std::size_t count, Ps now);
    Packet *in_service() { return packets_.data() + done_; }
    void release(std::size_t count) { done_ += count; }
    // When the next packet shows; kNever if none is known.
    Ps next_ready() const
    {
        return head_ < tail_ ? packets_[head_].ready : packets_[unseen_].ready;
    }

    // Decides about the arrivals up to this time.
    void settle(Ps now);

    std::size_t waiting() const { return tail_ - head_; }
    std::size_t on_the_way() const { return end_ - unseen_; }
    Int128 waits_of_waiting(Ps now) const;
    Ps settled_until() const { return settled_; }
    const std::string &name() const { return name_; }
    std::size_t capacity() const { return capacity_; }

    QueueCounts counts;
    std::uint32_t consumer = ~0U;             // core that polls it
    std::vector<std::uint32_t> waiting_cores; // producers that wait for room

  private:
    std::size_t accept(std::size_t room, Ps now, Int128 &waited);
    void compact();

    std::string name_;
    std::size_t capacity_;
    bool written_ahead_;
    std::vector<Packet> packets_; // one more than in use: the last one's ready is kNever
    std::vector<Ps> entered_;     // pushed queues: when
    std::size_t done_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
    std::size_t unseen_ = 0;
    std::size_t end_ = 0;
    Ps settled_ = 0;
};

inline std::size_t PacketQueue::accept(std::size_t room, Ps now, Int128 &waited)
{
    std::size_t count = 0;
    if (tail_ == unseen_) {
        const Packet *arrival = packets_.data() + unseen_;
        while (count < room && arrival->ready <= now) {
            waited += now - arrival->ready;
            ++arrival;
            ++count;
        }
    } else { // something was dropped since the last refill: close the gap
        while (count < room && packets_[unseen_ + count].ready <= now) {
            waited += now - packets_[unseen_ + count].ready;
            packets_[tail_ + count] = packets_[unseen_ + count];
            ++count;
        }
    }
    return count;
}

inline void PacketQueue::settle(Ps now)
{
    std::size_t waiting = tail_ - head_;
    Int128 waited = static_cast<Int128>(waiting) * (now - settled_);
    settled_ = now;
    if (packets_[unseen_].ready <= now) {
        std::size_t count = accept(capacity_ - waiting, now, waited);
        tail_ += count;
        unseen_ += count;
        counts.entered += count;
        counts.max = std::max<std::uint64_t>(counts.max, waiting + count);
        while (packets_[unseen_].ready <= now) { // the ring is full
            ++unseen_;
            ++counts.dropped;
        }
    }
    counts.area += waited;
}

inline void PacketQueue::take(std::size_t count, Ps now)
{
    Int128 waited = 0;
    for (std::size_t i = head_; i < head_ + count; ++i) {
        waited += now - (written_ahead_ ? packets_[i].ready : entered_[i]);
    }
    counts.waits += waited;
    counts.left += count;
    head_ += count;
}

} // namespace planecast::sim
