// Many bursts of a core in one step of its loop.
//
// Most polls below saturation take all that has come since the last one, and that is less than a
// full burst. What they find is random, so a loop that asks packet by packet "has this one come?"
// mispredicts two or three branches a burst; at half load, with hardly more than a packet in a
// burst, that was most of the host's time. Here one pass goes over bursts and only computes: when
// each begins and ends. What becomes of the packets is a second pass, over all of them in a train.
#include "core_run.hpp"

#include "simd.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace planecast::sim
{

namespace
{

constexpr std::size_t kTrain = 1024;   // packets of a train, about
constexpr std::size_t kFewest = 4;     // packets a burst that are distinguished without a branch
constexpr std::size_t kFewPackets = 3; // of a burst on average, where it is worth doing so
constexpr std::size_t kWide = 16;      // the same with vectors
// Some thousand instants so far apart add up to less than 2^63.
constexpr Ps kFar = Ps{1} << 50;

static_assert(kWide <= PacketQueue::kBeyond);

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

// The same of as many as `most`, or some more.
std::size_t come_of(std::size_t most, const Ps *ready, Ps now)
{
    std::size_t count = come(ready, now);
    for (std::size_t more = count; more == kWide && count < most; count += more) {
        more = come(ready + count, now);
    }
    return count;
}

// Writes `end` for each packet of a burst, and some more.
void note(Ps *slot, std::size_t count, Ps end)
{
    const PsLanes all = PsLanes{} + end;
    std::size_t i = 0;
    do {
        std::memcpy(slot + i, &all, sizeof all);
        i += kLanes;
    } while (i < count);
}

// `value` or 0.
Ps only_if(bool condition, Ps value)
{
    return -static_cast<Ps>(condition) & value;
}

} // namespace

void CoreRun::connected(bool alone)
{
    const TaskRun &task = tasks.front();
    const Output &out = task.model.output;
    bool leaves =
        out.kind == OutputKind::none || (out.kind == OutputKind::port && out.buffer_packets == 0 &&
                                         out.when_full == WhenFull::drop);
    // x / poll by the reciprocal is exact for x below 2^64 / poll (Granlund and Montgomery, 1994).
    reciprocal_ = ~std::uint64_t{0} / static_cast<std::uint64_t>(task.empty_poll) + 1;
    largest_ = std::min({task.model.burst, task.input->capacity, kLargest});
    const auto service = task.service.begin();
    const Ps longest = *std::max_element(service, service + static_cast<std::ptrdiff_t>(largest_));
    if (alone && tasks.size() == 1 && task.plain && leaves && sibling == nullptr &&
        trace == nullptr && task.model.input.kind == InputKind::port && task.empty_poll > 1 &&
        task.empty_poll < Ps{1} << 31 && longest < kFar) {
        longest_train_ = std::min(kFar, static_cast<Ps>(reciprocal_ / 4));
        handed_.resize(kTrain + kLargest + kWide);
    }
}

// Bursts from now on, up to `limit`, a full burst or kTrain packets; the last one stays in service.
template <bool kFew> CoreRun::Train CoreRun::find_train(const TaskRun &task, Ps limit)
{
    const Ps *const first = task.input->unseen();
    const Ps *const last = first + kTrain;
    const Ps *next = first;
    // Copies: the compiler then knows that nothing below writes to them.
    const Ps *const service = task.service.data();
    const std::size_t most = largest_;
    const Ps empty_poll = task.empty_poll;
    const Ps round_up = empty_poll - 1;
    const std::uint64_t reciprocal = reciprocal_;
    const Ps one = service[1]; // what the first four packets of a burst add to its time
    const Ps two = kFew ? service[2] - service[1] : 0;
    const Ps three = kFew ? service[3] - service[2] : 0;
    const Ps four = kFew ? service[4] - service[3] : 0;
    Train train;
    Ps *slot = handed_.data();
    Ps ready = *next;
    Ps end = now_; // of the last burst, when the core polls again
    Ps begin = now_;
    std::size_t taken = 0; // packets in it
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
            const std::size_t n = come_of(most, next, poll);
            if (n >= most) { // full, or more than the ring takes: not for a train
                break;
            }
            taken = n;
            end = poll + service[n];
            ready = next[n];
            note(slot, n, end);
        }
        begin = poll;
        ++train.sizes[taken];
        slot += taken;
        next += taken;
    }
    train.begin = begin;
    train.end = end;
    train.in_hand = taken;
    train.packets = static_cast<std::size_t>(next - first);
    return train;
}

// What follows from when packets came and were handed on, and from how many bursts had how many.
bool CoreRun::serve_train(TaskRun &task, Turn &turn)
{
    const Ps limit = std::min(turn.limit, disturber_.next());
    if (limit - now_ >= longest_train_ || !task.input->nothing_waits()) {
        return false;
    }
    const Train train = few_ ? find_train<true>(task, limit) : find_train<false>(task, limit);
    if (train.packets == 0 && train.end == now_) {
        return false;
    }
    const Ps *const ready = task.input->unseen();
    Ps waited = 0; // and served
    for (std::size_t i = 0; i < train.packets; ++i) {
        waited += handed_[i] - ready[i];
    }
    Ps busy = 0;
    std::uint64_t bursts = 0;
    std::size_t largest = 0;
    for (std::size_t n = 1; n < largest_; ++n) {
        const Ps busy_with = static_cast<Ps>(train.sizes[n]) * task.service[n];
        bursts += train.sizes[n];
        task.burst_sizes[n] += train.sizes[n];
        busy += busy_with;
        waited -= busy_with * static_cast<Ps>(n);
        largest = train.sizes[n] > 0 ? n : largest;
    }
    const Ps polling = train.end - now_ - busy;
    turn.steps += bursts;
    task.bursts += bursts;
    task.packets += train.packets;
    few_ = largest_ > kFewest && task.packets < task.bursts * kFewPackets;
    task.empty_polls += static_cast<std::uint64_t>(polling / task.empty_poll);
    time_.busy += busy;
    time_.polling += polling;
    task.input->pass(train.packets, largest, waited);
    const std::size_t handed_over = train.packets - train.in_hand;
    task.input->each_in_row([&](const auto &packets) {
        task.output.deliver_row(packets, handed_.data(), handed_over, limit);
    });
    task.input->release(handed_over);
    task.input->show(train.in_hand);
    taken_ = alive_ = train.in_hand;
    stage_ = task.stages.size();
    now_ = train.end;
    if (train.in_hand > 0) {
        serving_since(train.begin);
    } else {
        note_step(train.begin, 0, &CoreTime::polling);
    }
    return true;
}

} // namespace planecast::sim
