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

// What take_fresh() has counted and count() adds to the rest.
struct FreshCounts {
    std::uint64_t packets = 0;
    std::size_t max = 0;
    Int128 waited = 0; // both an area and a sum of waits: who came left in the same poll
};

// The queue's numbers, apart from what owns the memory: a loop that keeps a copy of them has them
// in registers, and puts it back when it stops.
struct QueueState {
    // How many packets a poll at this time finds.
    std::size_t poll(Ps now, std::size_t burst)
    {
        settle(now);
        std::size_t n = std::min(burst, tail - head);
        while (n > 0 && ready[head + n - 1] > now) { // a hand-over on its way
            --n;
        }
        return n;
    }
    // poll() and take() at once where nothing waited and fewer than `most` have come: one pass over
    // the packets instead of two. 0 if it isn't so, and then nothing is done.
    std::size_t take_fresh(Ps now, std::size_t most, FreshCounts &fresh);
    void count(const FreshCounts &fresh);
    // When the next packet shows; kNever if none is known.
    Ps next_ready() const { return ready[head < tail ? head : unseen]; }
    Packet *in_service() { return alike ? packets : packets + done; }
    // Of packets that are alike: writes down those in service, for in_service().
    void show(std::size_t count)
    {
        for (std::size_t i = 0; alike && i < count; ++i) {
            packets[i] = AlikePackets{ready + done, latency, pattern}[i];
        }
    }
    void release(std::size_t count) { done += count; }
    // Decides about the arrivals up to this time.
    void settle(Ps now);
    // The first `count` waiting packets go into service; `entered` says when each came.
    template <class Entered> void take(std::size_t count, Ps now, Entered entered);

    Ps *ready = nullptr;       // when the queue shows each to the consumer
    Packet *packets = nullptr; // of packets that are alike: those in service, once shown
    bool alike = false;
    Ps latency = 0; // of those: from birth to ready
    Packet pattern{};
    std::size_t capacity = 0;
    std::size_t done = 0;
    std::size_t head = 0;
    std::size_t tail = 0;
    std::size_t unseen = 0;
    Ps settled = 0;
    QueueCounts counts;

  private:
    std::size_t accept(std::size_t room, Ps now, Int128 &waited);
};

class PacketQueue : public QueueState
{
  public:
    PacketQueue(std::string name, std::size_t capacity, bool written_ahead);
    PacketQueue(const PacketQueue &) = delete; // `packets` points into it
    PacketQueue &operator=(const PacketQueue &) = delete;

    // ---- the side that writes ahead
    // From the start on, every packet will be like this one, ready so long after it was born.
    void keep_instants_only(const Packet &packet, Ps latency_of_all);
    void reserve(std::size_t count); // room for so many write()s
    void write(const Packet &packet, Ps when)
    {
        if (!alike) {
            packets[end_] = packet;
        }
        ready[end_++] = when;
    }
    // The same for many that are alike: when each is ready is written to next_slot() and on.
    Ps *next_slot() { return ready + end_; }
    void wrote(std::size_t count) { end_ += count; }
    void seal() { std::fill_n(ready + end_, written_ahead_ ? kBeyond : 1, kNever); }

    // ---- the side that pushes now; the caller has looked at room()
    std::size_t room() const { return capacity - (tail - head); }
    void push(const Packet &packet, Ps now, Ps when);
    void drop() { ++counts.dropped; }

    // ---- the consumer: one burst is in service at a time
    void take(std::size_t count, Ps now);

    std::size_t waiting() const { return tail - head; }
    std::size_t on_the_way() const { return end_ - unseen; }
    template <class Visitor> void each_inside(Visitor visit) const // waiting or on the way
    {
        auto visit_all = [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                visit(alike ? pattern : packets[i]);
            }
        };
        visit_all(head, tail);
        visit_all(unseen, end_);
    }
    Int128 waits_of_waiting(Ps now) const;
    const std::string &name() const { return name_; }

    std::uint32_t consumer = ~0U;             // core that polls it
    std::vector<std::uint32_t> waiting_cores; // producers that wait for room

  private:
    static constexpr std::size_t kBeyond = 16; // of kNever after the last: a loop may look ahead
    Ps entered(std::size_t i) const { return written_ahead_ ? ready[i] : entered_[i]; }
    void resize(std::size_t size);
    void compact();

    std::string name_;
    bool written_ahead_;
    std::vector<Ps> ready_; // kBeyond more than in use
    std::vector<Packet> packets_;
    std::vector<Ps> entered_; // pushed queues: when
    std::size_t end_ = 0;
};

inline std::size_t QueueState::accept(std::size_t room, Ps now, Int128 &waited)
{
    std::size_t count = 0;
    if (tail == unseen) {
        const Ps *arrival = ready + unseen;
        while (count < room && arrival[count] <= now) {
            waited += now - arrival[count];
            ++count;
        }
    } else { // something was dropped since the last refill: close the gap
        while (count < room && ready[unseen + count] <= now) {
            waited += now - ready[unseen + count];
            ready[tail + count] = ready[unseen + count];
            if (!alike) {
                packets[tail + count] = packets[unseen + count];
            }
            ++count;
        }
    }
    return count;
}

inline void QueueState::settle(Ps now)
{
    std::size_t waiting = tail - head;
    Int128 waited = static_cast<Int128>(waiting) * (now - settled);
    settled = now;
    if (ready[unseen] <= now) {
        std::size_t count = accept(capacity - waiting, now, waited);
        tail += count;
        unseen += count;
        counts.entered += count;
        counts.max = std::max<std::uint64_t>(counts.max, waiting + count);
        while (ready[unseen] <= now) { // the ring is full
            ++unseen;
            ++counts.dropped;
        }
    }
    counts.area += waited;
}

inline std::size_t QueueState::take_fresh(Ps now, std::size_t most, FreshCounts &fresh)
{
    if (head != tail || tail != unseen) {
        return 0;
    }
    const Ps *arrival = ready + unseen;
    std::size_t count = 0;
    Int128 waited = fresh.waited;
    while (count < most && arrival[count] <= now) {
        waited += now - arrival[count];
        ++count;
    }
    if (count == most) {
        return 0;
    }
    settled = now;
    head = tail = unseen = unseen + count;
    fresh.packets += count;
    fresh.max = std::max(fresh.max, count);
    fresh.waited = waited;
    return count;
}

inline void QueueState::count(const FreshCounts &fresh)
{
    counts.entered += fresh.packets;
    counts.left += fresh.packets;
    counts.max = std::max<std::uint64_t>(counts.max, fresh.max);
    counts.area += fresh.waited;
    counts.waits += fresh.waited;
}

template <class Entered> inline void QueueState::take(std::size_t count, Ps now, Entered entered)
{
    Int128 waited = 0;
    for (std::size_t i = head; i < head + count; ++i) {
        waited += now - entered(i);
    }
    counts.waits += waited;
    counts.left += count;
    head += count;
}

inline void PacketQueue::take(std::size_t count, Ps now)
{
    QueueState::take(count, now, [this](std::size_t i) { return entered(i); });
    show(count);
}

} // namespace planecast::sim
