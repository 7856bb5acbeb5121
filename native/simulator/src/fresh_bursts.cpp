#include "fresh_bursts.hpp"

#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// How many of the next packets, which get ready in order, have come.
template <std::size_t kOf> std::size_t come(const Ps *ready, Ps now)
{
    std::array<std::size_t, kOf> each;
    for (std::size_t i = 0; i < kOf; ++i) {
        each[i] = static_cast<std::size_t>(ready[i] <= now);
    }
    for (std::size_t half = kOf / 2; half > 0; half /= 2) { // a tree: the next burst waits for it
        for (std::size_t i = 0; i < half; ++i) {
            each[i] += each[i + half];
        }
    }
    return each[0];
}

#ifdef __AVX512F__
template <> std::size_t come<16>(const Ps *ready, Ps now)
{
    const __m512i all = _mm512_set1_epi64(now);
    unsigned low = _mm512_cmple_epi64_mask(_mm512_loadu_si512(ready), all);
    unsigned high = _mm512_cmple_epi64_mask(_mm512_loadu_si512(ready + 8), all);
    return static_cast<std::size_t>(std::popcount(low | high << 8));
}
#endif

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
    // Few packets a burst: comparing them one by one takes less time than asking a vector.
    return bursts * kFew > packets ? serve_by<4>(input, from, limit, fresh)
                                   : serve_by<16>(input, from, limit, fresh);
}

template <std::size_t kAtOnce>
bool FreshBursts::serve_by(QueueState &input, Ps from, Ps limit, FreshCounts &fresh)
{
    const Ps *const first = input.ready + input.head;
    const Ps *next = first;
    // Copies: the compiler then knows that nothing below writes to them.
    const Ps *const service = service_;
    std::uint64_t *const sizes = sizes_;
    Ps *const handed = handed_;
    const std::size_t most = most_;
    const Ps empty_poll = empty_poll_;
    const std::uint64_t reciprocal = reciprocal_;
    Ps end = from; // of the last burst, when the core polls again
    Ps begin = from;
    std::size_t count = 0; // packets in it
    std::size_t largest = fresh.max;
    Ps idle = 0;
    std::uint64_t all_bursts = 0;
    Ps begins = 0; // Σ when packets went into service, from `from` on
    while (end < limit) {
        const auto served = static_cast<std::size_t>(next - first);
        const Ps ready = *next;
        if (ready >= limit || served >= kPackets) {
            break;
        }
        const auto away =
            static_cast<std::uint64_t>(std::max<Ps>(ready - end, 0) + empty_poll - 1);
        const auto skipped =
            static_cast<std::uint64_t>((static_cast<UInt128>(away) * reciprocal) >> 64);
        const Ps poll = end + static_cast<Ps>(skipped) * empty_poll;
        if (poll >= limit) {
            idle += poll - end;
            begin = end;
            end = poll;
            count = 0;
            break;
        }
        std::size_t n = come<kAtOnce>(next, poll);
        if (n == kAtOnce) {
            while (n < most && next[n] <= poll) {
                ++n;
            }
        }
        if (n >= most) { // full, or more than the ring takes: not for this loop
            break;
        }
        count = n;
        largest = std::max(largest, n);
        idle += poll - end;
        ++all_bursts;
        ++sizes[n];
        begins += static_cast<Ps>(n) * (poll - from);
        begin = poll;
        end = poll + service[n];
        Ps *slot = handed + served;
        if constexpr (kAtOnce % kLanes == 0) { // the next burst overwrites what is too much
            const PsLanes all = PsLanes{} + end;
            for (std::size_t i = 0; i < kAtOnce; i += kLanes) {
                std::memcpy(slot + i, &all, sizeof all);
            }
        } else {
            for (std::size_t i = 0; i < kAtOnce; ++i) {
                slot[i] = end;
            }
        }
        for (std::size_t i = kAtOnce; i < n; ++i) {
            slot[i] = end;
        }
        next += n;
    }
    const auto served = static_cast<std::size_t>(next - first);
    Ps ready = 0;
    for (std::size_t i = 0; i < served; ++i) {
        ready += first[i] - from;
    }
    input.head = input.tail = input.unseen = input.head + served;
    fresh.packets += served;
    fresh.max = largest;
    fresh.waited += begins - ready;
    bursts += all_bursts;
    packets += served;
    polling += idle;
    busy += end - from - idle;
    now = end;
    step_start = begin;
    in_hand = count;
    handed_on = served - count;
    return served > 0 || end != from;
}

} // namespace planecast::sim
