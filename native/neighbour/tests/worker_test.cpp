// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

extern "C" {
#include "worker.h"
}

namespace
{

/* Until something was touched: machines are slow, not stuck. */
done wait_for_lines(worker &one)
{
    done found = worker_done(&one);
    while (found.lines == 0) {
        std::this_thread::yield();
        found = worker_done(&one);
    }
    return found;
}

TEST(Worker, DoesOneThingAfterAnother)
{
    static worker one;
    ASSERT_TRUE(worker_start(&one, -1));
    for (const work_mode mode : {WORK_WALK, WORK_SPIN, WORK_STREAM, WORK_WALK}) {
        work wanted{};
        wanted.mode = mode;
        wanted.bytes = 1U << 20;
        wanted.width = 4;
        wanted.write = true;
        ASSERT_TRUE(worker_do(&one, &wanted));
        EXPECT_GT(wait_for_lines(one).lines, 0U);
    }
    work idle{};
    ASSERT_TRUE(worker_do(&one, &idle));
    EXPECT_EQ(worker_done(&one).lines, 0U);
    worker_end(&one);
}

TEST(Worker, NeverExceedsItsRate)
{
    static worker one;
    ASSERT_TRUE(worker_start(&one, -1));
    work wanted{};
    wanted.mode = WORK_STREAM;
    wanted.bytes = 1U << 20;
    wanted.lines_per_s = 1e6;
    ASSERT_TRUE(worker_do(&one, &wanted));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const done found = worker_done(&one);
    // A batch more than is due, and a millisecond's worth when it was held up.
    EXPECT_LE(static_cast<double>(found.lines), found.seconds * 1e6 + 256 + 1000 + 256);
    worker_end(&one);
}

TEST(Worker, EndsWhileItIsIdle)
{
    static worker one;
    ASSERT_TRUE(worker_start(&one, -1));
    worker_end(&one);
}

} // namespace
