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

constexpr std::size_t kFewest = 4; // packets a burst that are told apart without a branch
constexpr std::size_t kWide = 16;  // the same with vectors

// How many of the next kWide packets, which get ready in order, have come.
std::size_t come(const Ps *ready, Ps now)
{
#ifdef __AVX512F__
    const __m512i all = _mm512_set1_epi64(now);
    unsigned low = _mm512_cmple_epi64_mask(_mm512_loadu_si512(ready), all);
    unsigned high = _mm512_cmple_epi64_mask(_mm512_loadu_si512(ready + 8), all);
    return static_cast<std::size_t>(std::popcount(low | high << 8));
#else
    std::size_t count = 0;
    for (std::size_t i = 0; i < kWide; ++i) {
        count += static_cast<std::size_t>(ready[i] <= now);
    }
    return count;
#endif
}

// `value` or 0.
Ps only_if(bool condition, Ps value)
{
    return -static_cast<Ps>(condition) & value;
}

} // namespace

FreshBursts::FreshBursts(TaskRun &task, std::size_t most, Ps *handed)
    : service_(task.service.data()), sizes_(task.burst_sizes.data()), handed_(handed),
      most_(std::min(most, kLargest)), empty_poll_(task.empty_poll),
      reciprocal_(~std::uint64_t{0} / static_cast<std::uint64_t>(empty_poll_) + 1),
      longest_(longest_pass(empty_poll_, reciprocal_, service_[most_])),
      few_(most_ > kFewest && task.packets < task.bursts * kFewPackets)
{
}

bool FreshBursts::serve(QueueState &input, Ps from, Ps limit, FreshCounts &fresh)
{
    // Few packets a burst: comparing them one by one takes less time than asking a vector.
    return few_ ? serve_by<true>(input, from, limit, fresh)
                : serve_by<false>(input, from, limit, fresh);
}

template <bool kFew>
bool FreshBursts::serve_by(QueueState &input, Ps from, Ps limit, FreshCounts &fresh)
{
    const Ps *const first = input.ready + input.head;
    const Ps *const last = first + kPackets;
    const Ps *next = first;
    // Copies: the compiler then knows that nothing below writes to them.
    const Ps *const service = service_;
    const Ps empty_poll = empty_poll_;
    const std::uint64_t reciprocal = reciprocal_;
    // What the first four packets of a burst add to its time.
    const Ps one = service[1];
    const Ps two = kFew ? service[2] - service[1] : 0;
    const Ps three = kFew ? service[3] - service[2] : 0;
    const Ps four = kFew ? service[4] - service[3] : 0;
    Sizes sizes{};
    Ps *slot = handed_;
    Ps ready = *next;
    Ps end = from; // of the last burst, when the core polls again
    Ps begin = from;
    std::size_t taken = 0; // packets in it
    const Ps round_up = empty_poll - 1;
    while (end < limit && ready < limit && next < last) {
        Ps poll = end;
        if (kFew || ready > end) {
            const auto away =
                static_cast<std::uint64_t>(std::max(ready + round_up - end, round_up));
            const auto skipped =
                static_cast<std::uint64_t>((static_cast<UInt128>(away) * reciprocal) >> 64);
            poll = end + static_cast<Ps>(skipped) * empty_poll;
        }
        if (poll >= limit) {
            begin = end;
            end = poll;
            taken = 0;
            break;
        }
        if (kFew && next[kFewest] > poll) {
            // Nobody can predict how many have come, so nothing branches; and the next burst waits
            // for when this one ends and which packet comes after it, so these are computed as the
            // number is, not from it.
            const bool second = next[1] <= poll;
            const bool third = next[2] <= poll;
            const bool fourth = next[3] <= poll;
            taken = std::size_t{1} + second + third + fourth;
            end =
                poll + one + only_if(second, two) + (only_if(third, three) + only_if(fourth, four));
            ready = next[1] + only_if(second, next[2] - next[1]) +
                    (only_if(third, next[3] - next[2]) + only_if(fourth, next[4] - next[3]));
            std::fill_n(slot, kFewest, end); // the next burst overwrites what is too much
        } else {
            std::size_t n = come(next, poll);
            for (std::size_t more = n; more == kWide && n < most_; n += more) {
                more = come(next + n, poll);
            }
            if (n >= most_) { // full, or more than the ring takes: not for this loop
                break;
            }
            taken = n;
            end = poll + service[n];
            ready = next[n];
            const PsLanes all = PsLanes{} + end;
            std::memcpy(slot, &all, sizeof all);
            for (std::size_t i = kLanes; i < n; i += kLanes) {
                std::memcpy(slot + i, &all, sizeof all);
            }
        }
        begin = poll;
        ++sizes[taken];
        slot += taken;
        next += taken;
    }
    now = end;
    step_start = begin;
    in_hand = taken;
    const auto served = static_cast<std::size_t>(next - first);
    handed_on = served - taken;
    count(first, served, sizes, end - from, fresh);
    input.head = input.tail = input.unseen = input.head + served;
    return served > 0 || end != from;
}

// What follows from when packets came and were handed on, and from how many bursts had how many.
void FreshBursts::count(const Ps *ready, std::size_t served, const Sizes &sizes, Ps time,
                        FreshCounts &fresh)
{
    Ps waited = 0; // and served
    for (std::size_t i = 0; i < served; ++i) {
        waited += handed_[i] - ready[i];
    }
    Ps all_busy = 0;
    std::uint64_t all_bursts = 0;
    std::size_t largest = 0;
    for (std::size_t n = 1; n < most_; ++n) {
        const Ps busy_with = static_cast<Ps>(sizes[n]) * service_[n];
        all_bursts += sizes[n];
        sizes_[n] += sizes[n];
        all_busy += busy_with;
        waited -= busy_with * static_cast<Ps>(n);
        largest = sizes[n] > 0 ? n : largest;
    }
    bursts += all_bursts;
    busy += all_busy;
    polling += time - all_busy;
    fresh.packets += served;
    fresh.max = std::max(fresh.max, largest);
    fresh.waited += waited;
}

} // namespace planecast::sim
