// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "inline_functions.h"
#include "test_pool.hpp"

TEST(Ring, GivesBackTheOldestInOrder)
{
    TestPool test;
    for (const uint32_t size : {32U, 64U, 128U}) {
        test_ring *ring = test_ring_open(size, test.pool);
        ASSERT_NE(ring, nullptr);
        EXPECT_EQ(rte_mempool_in_use_count(test.pool), size);
        std::deque<rte_mbuf *> model; // unknown until the first ones were exchanged
        std::mt19937 random(size);
        for (int turn = 0; turn < 200; turn++) {
            const auto count = static_cast<uint16_t>(random() % 257);
            std::vector<rte_mbuf *> in(count), out(count);
            test.take(in.data(), count);
            test_ring_exchange(ring, in.data(), out.data(), count);
            model.insert(model.end(), in.begin(), in.end());
            // The ring holds `size`: of what was put in, all but the last `size` came out by now.
            for (auto it = out.rbegin(); it != out.rend() && model.size() > size; ++it) {
                const size_t surplus = model.size() - size;
                ASSERT_EQ(*it, model[surplus - 1]);
                model.erase(model.begin() + static_cast<std::ptrdiff_t>(surplus) - 1);
            }
            for (rte_mbuf *mbuf : out)
                rte_mempool_put(test.pool, mbuf);
        }
        test_ring_close(ring, test.pool);
    }
}

TEST(Ring, NothingIsLostWhenThePoolHasNotEnough)
{
    TestPool test;
    EXPECT_EQ(test_ring_open(2048, test.pool), nullptr);
    EXPECT_EQ(rte_mempool_avail_count(test.pool), TestPool::buffers);
}
