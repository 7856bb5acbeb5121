// SPDX-License-Identifier: Apache-2.0
//
// A pool of packet buffers that knows whether all came back.
#pragma once

#include <gtest/gtest.h>
#include <rte_mbuf.h>

struct TestPool {
    static constexpr unsigned buffers = 1023;

    TestPool() : pool(rte_pktmbuf_pool_create("test", buffers, 0, 0, 2176, SOCKET_ID_ANY)) {}
    ~TestPool()
    {
        EXPECT_EQ(rte_mempool_avail_count(pool), buffers);
        rte_mempool_free(pool);
    }
    TestPool(const TestPool &) = delete;
    TestPool &operator=(const TestPool &) = delete;

    // Nothing of nothing is an error to DPDK.
    void take(rte_mbuf **mbufs, unsigned count) const
    {
        if (count == 0)
            return;
        ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool, mbufs, count), 0);
    }

    rte_mempool *pool;
};
