// SPDX-License-Identifier: Apache-2.0
//
// When a receiver may say that nothing comes any more.
#include <gtest/gtest.h>

#include <vector>

#include "inline_functions.h"

namespace
{

constexpr uint64_t sending_ended = 1000, drain = 100;

bool idle(const std::vector<uint64_t> &turns)
{
    return test_receiver_idle(turns.data(), static_cast<uint32_t>(turns.size()), sending_ended,
                              drain);
}

} // namespace

TEST(Receiver, IsIdleWhenItLookedInVainLateEnough)
{
    EXPECT_TRUE(idle({1101, 1102}));
    EXPECT_TRUE(idle({900, 901, 5000, 5001}));
    EXPECT_FALSE(idle({1100, 5000}));
    EXPECT_FALSE(idle({}));
}

TEST(Receiver, IsNotIdleBeforeItLookedAtEveryQueue)
{
    EXPECT_FALSE(idle({5000}));
    EXPECT_FALSE(idle({900, 901, 5000}));
}

// It lost its CPU after the first queue: what came there since then it has not seen.
TEST(Receiver, ATimeWithoutACpuIsNoLook)
{
    EXPECT_FALSE(idle({900, 5000}));
}
