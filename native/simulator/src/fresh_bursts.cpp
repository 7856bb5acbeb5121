#include "fresh_bursts.hpp"

#include <algorithm>

namespace planecast::sim
{

namespace
{

// Some thousand instants so far apart add up to less than 2^63.
constexpr Ps kFar = Ps{1} << 50;

// x / poll by the reciprocal is exact for x below 2^64 / poll (Granlund and Montgomery, 1994).
Ps longest_pass(Ps empty_poll, std::uint64_t reciprocal, Ps longest_service)
{
    bool possible = empty_poll > 1 && empty_poll < Ps{1} << 31 && longest_service < kFar;
    return possible ? std::min(kFar, static_cast<Ps>(reciprocal / 4)) : 0;
}

} // namespace

FreshBursts::FreshBursts(TaskRun &task, std::size_t most, Ps *handed)
    : service_(task.service.data()), sizes_(task.burst_sizes.data()), handed_(handed),
      most_(std::min(most, kLargest)), empty_poll_(task.empty_poll),
      reciprocal_(~std::uint64_t{0} / static_cast<std::uint64_t>(empty_poll_) + 1),
      longest_(longest_pass(empty_poll_, reciprocal_, service_[most_]))
{
}

bool FreshBursts::serve(QueueState &input, Ps from, Ps limit, FreshCounts &fresh)
{
    const Packet *const first = input.packets + input.head;
    const Packet *next = first;
    Ps end = from; // of the last burst, when the core polls again
    Ps begin = from;
    std::size_t count = 0; // packets in it
    std::size_t largest = fresh.max;
    std::uint64_t all_polls = 0;
    std::uint64_t all_bursts = 0;
    Ps in_service = 0;
    Ps begins = 0; // Σ when packets went into service, from `from` on
    while (end < limit) {
        const auto served = static_cast<std::size_t>(next - first);
        const Ps ready = next->ready;
        if (ready >= limit || served >= kPackets) {
            break;
        }
        const auto away =
            static_cast<std::uint64_t>(std::max<Ps>(ready - end, 0) + empty_poll_ - 1);
        const auto skipped =
            static_cast<std::uint64_t>((static_cast<UInt128>(away) * reciprocal_) >> 64);
        const Ps poll = end + static_cast<Ps>(skipped) * empty_poll_;
        if (poll >= limit) {
            all_polls += skipped;
            begin = end;
            end = poll;
            count = 0;
            break;
        }
        // The first has come. Products, not conditions: these are what nobody can predict.
        const auto second = static_cast<std::size_t>(next[1].ready <= poll);
        const std::size_t third = second & static_cast<std::size_t>(next[2].ready <= poll);
        const std::size_t fourth = third & static_cast<std::size_t>(next[3].ready <= poll);
        std::size_t n = 1 + second + third + fourth;
        if (n == 4) {
            while (n < most_ && next[n].ready <= poll) {
                ++n;
            }
        }
        if (n >= most_) { // full, or more than the ring takes: not for this loop
            break;
        }
        count = n;
        largest = std::max(largest, n);
        all_polls += skipped;
        ++all_bursts;
        ++sizes_[n];
        begins += static_cast<Ps>(n) * (poll - from);
        begin = poll;
        end = poll + service_[n];
        in_service += service_[n];
        Ps *slot = handed_ + served;
        slot[0] = slot[1] = slot[2] = slot[3] = end; // the next burst overwrites what is too much
        for (std::size_t i = 4; i < n; ++i) {
            slot[i] = end;
        }
        next += n;
    }
    const auto served = static_cast<std::size_t>(next - first);
    Ps ready = 0;
    for (std::size_t i = 0; i < served; ++i) {
        ready += first[i].ready - from;
    }
    input.head = input.tail = input.unseen = input.head + served;
    fresh.packets += served;
    fresh.max = largest;
    fresh.waited += begins - ready;
    bursts += all_bursts;
    polling += static_cast<Ps>(all_polls) * empty_poll_;
    busy += in_service;
    now = end;
    step_start = begin;
    in_hand = count;
    handed_on = served - count;
    return served > 0 || end != from;
}

} // namespace planecast::sim
