// Bursts of a core that keeps up: every poll takes all that has come since the last one, and that
// is less than a full burst.
//
// Most polls below saturation are such, and what they find is random, so a loop that asks packet by
// packet "has this one come?" mispredicts two or three branches a burst; at half load, with hardly
// more than a packet in a burst, that was most of the host's time. Here one pass goes over bursts
// and only computes: when each begins and ends. What becomes of the packets is a second pass, over
// all of them in a row.
#pragma once

#include "core_run.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace planecast::sim
{

class FreshBursts
{
  public:
    static constexpr std::size_t kPackets = 1024; // of a pass, about
    static constexpr std::size_t kLargest = 64;   // burst, and one less
    static constexpr std::size_t kInstants = kPackets + kLargest + 16;

    // For bursts below `most`; serve() writes when it has handed each packet on to
    // handed[kInstants].
    FreshBursts(TaskRun &task, std::size_t most, Ps *handed);

    // Whether serve() may be asked from here to `limit`: nothing waits, and sums stay below 2^63.
    bool possible(const QueueState &input, Ps from, Ps limit) const
    {
        return input.head == input.tail && input.tail == input.unseen && limit - from < longest_;
    }

    // From a poll at `from` on; ends at `limit`, before a full burst and after kPackets. The last
    // burst stays in service. False, and then nothing is done, when nothing happens before that.
    bool serve(QueueState &input, Ps from, Ps limit, FreshCounts &fresh);

    // What serve() leaves behind.
    Ps now = 0;                // the core's next action: the last burst's end, or a poll
    Ps step_start = 0;         // when its last step began
    std::size_t in_hand = 0;   // packets of the burst that ends then; 0: polls again
    std::size_t handed_on = 0; // packets before them
    // Over every serve().
    std::uint64_t bursts = 0;
    Ps polling = 0;
    Ps busy = 0;

  private:
    static constexpr std::uint64_t kFewPackets = 3; // of a burst, on average
    template <bool kFew> bool serve_by(QueueState &input, Ps from, Ps limit, FreshCounts &fresh);
    using Sizes = std::array<std::uint32_t, kLargest>; // bursts of so many
    void count(const Ps *ready, std::size_t served, const Sizes &sizes, Ps time,
               FreshCounts &fresh);

    const Ps *service_;
    std::uint64_t *sizes_;
    Ps *handed_;
    std::size_t most_;
    Ps empty_poll_;
    std::uint64_t reciprocal_; // ⌊2^64 / empty_poll⌋ + 1
    Ps longest_;               // pass
    bool few_;                 // packets a burst, so far
};

} // namespace planecast::sim
