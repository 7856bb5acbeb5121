// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <vector>

#include "inline_functions.h"
#include "test_pool.hpp"

// A model of the ring: a buffer that the pool gave is unknown until it is taken.
TEST(Ring, TheOldestComeFirstAndNoneIsLost)
{
    TestPool test;
    for (const uint32_t size : {32U, 64U, 128U}) {
        test_ring *ring = test_ring_open(size, test.pool);
        ASSERT_NE(ring, nullptr);
        EXPECT_EQ(rte_mempool_in_use_count(test.pool), size);
        std::deque<rte_mbuf *> model(size, nullptr);
        std::mt19937 random(size);
        for (int turn = 0; turn < 400; turn++) {
            const auto count = static_cast<uint16_t>(random() % 257);
            std::vector<rte_mbuf *> mbufs(count);
            std::vector<uint8_t *> frames(count);
            if (turn % 2 == 0) {
                test.take(mbufs.data(), count);
                test_ring_give(ring, test.pool, mbufs.data(), count);
                model.insert(model.end(), mbufs.begin(), mbufs.end());
                model.erase(model.begin(), model.begin() + count);
                EXPECT_EQ(rte_mempool_in_use_count(test.pool), size);
                continue;
            }
            ASSERT_EQ(test_ring_take(ring, test.pool, mbufs.data(), frames.data(), count), count);
            EXPECT_EQ(rte_mempool_in_use_count(test.pool), size + count);
            for (size_t i = 0; i < count; i++) {
                if (model.front() != nullptr) {
                    ASSERT_EQ(mbufs[i], model.front());
                }
                ASSERT_EQ(frames[i], rte_pktmbuf_mtod(mbufs[i], uint8_t *));
                model.pop_front();
                model.push_back(nullptr);
            }
            EXPECT_EQ(std::set<rte_mbuf *>(mbufs.begin(), mbufs.end()).size(), count);
            for (rte_mbuf *mbuf : mbufs)
                rte_mempool_put(test.pool, mbuf);
        }
        test_ring_close(ring, test.pool);
    }
}

// A pool with a cache of an lcore writes what that has before it knows that there is no more.
TEST(Ring, NothingIsTwiceWhenThePoolsCacheHasNotEnough)
{
    constexpr unsigned buffers = 255, size = 128;
    rte_mempool *pool = rte_pktmbuf_pool_create("cached", buffers, 64, 0, 2176, SOCKET_ID_ANY);
    ASSERT_NE(pool, nullptr);
    test_ring *ring = test_ring_open(size, pool);
    std::vector<rte_mbuf *> mbufs(buffers), rest(buffers);
    std::vector<uint8_t *> frames(buffers);
    // Of the 127 that are left, 20 stay in the pool, all of them in the cache.
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool, rest.data(), 127), 0);
    rte_mempool_put_bulk(pool, reinterpret_cast<void **>(rest.data()), 20);
    EXPECT_EQ(test_ring_take(ring, pool, mbufs.data(), frames.data(), 40), 0U);
    rte_mempool_put_bulk(pool, reinterpret_cast<void **>(&rest[20]), 107);
    EXPECT_EQ(test_ring_take(ring, pool, mbufs.data(), frames.data(), 127), 127U);
    rte_mempool_put_bulk(pool, reinterpret_cast<void **>(mbufs.data()), 127);
    test_ring_close(ring, pool);
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool, mbufs.data(), buffers), 0);
    EXPECT_EQ(std::set<rte_mbuf *>(mbufs.begin(), mbufs.end()).size(), buffers);
    rte_mempool_put_bulk(pool, reinterpret_cast<void **>(mbufs.data()), buffers);
    rte_mempool_free(pool);
}

TEST(Ring, NothingIsLostWhenThePoolHasNotEnough)
{
    TestPool test;
    EXPECT_EQ(test_ring_open(2048, test.pool), nullptr);
    EXPECT_EQ(rte_mempool_avail_count(test.pool), TestPool::buffers);
    test_ring *ring = test_ring_open(512, test.pool);
    std::vector<rte_mbuf *> mbufs(520);
    std::vector<uint8_t *> frames(520);
    // 511 are left. The ring's last twelve places are one run, its first eight another.
    EXPECT_EQ(test_ring_take(ring, test.pool, mbufs.data(), frames.data(), 500), 500U);
    EXPECT_EQ(test_ring_take(ring, test.pool, mbufs.data() + 500, frames.data(), 12), 0U);
    rte_mempool_put(test.pool, mbufs[0]);
    EXPECT_EQ(test_ring_take(ring, test.pool, mbufs.data() + 500, frames.data(), 20), 12U);
    for (size_t i = 1; i < 512; i++)
        rte_mempool_put(test.pool, mbufs[i]);
    test_ring_close(ring, test.pool);
}
