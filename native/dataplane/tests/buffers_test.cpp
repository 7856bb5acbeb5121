// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <map>
#include <vector>

extern "C" rte_mempool *buffers_open(const char *name, uint32_t count, uint32_t cache,
                                     uint16_t room, int socket); // buffers.h, which is C

// Lines a page apart share one set of an L1 cache: no set may get more of a burst than its share.
TEST(Buffers, ABurstsHeadersAreSpreadOverTheSetsOfACache)
{
    constexpr unsigned count = 256, burst = 64, sets = 64, line = 64;
    rte_mempool *pool = buffers_open("spread", count, 0, 2176, 0);
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(rte_pktmbuf_data_room_size(pool), 2176);
    std::vector<rte_mbuf *> mbufs(burst);
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool, mbufs.data(), burst), 0);
    std::map<uintptr_t, unsigned> mbuf_sets, frame_sets;
    for (const rte_mbuf *mbuf : mbufs) {
        EXPECT_EQ(mbuf->buf_len, 2176);
        mbuf_sets[reinterpret_cast<uintptr_t>(mbuf) / line % sets]++;
        frame_sets[rte_pktmbuf_mtod(mbuf, uintptr_t) / line % sets]++;
    }
    for (const auto &of : {mbuf_sets, frame_sets}) {
        EXPECT_GE(of.size(), sets / 4);
        for (const auto &[set, lines] : of)
            EXPECT_LE(lines, 4U) << "set " << set;
    }
    rte_pktmbuf_free_bulk(mbufs.data(), burst);
    EXPECT_EQ(rte_mempool_avail_count(pool), count);
    rte_mempool_free(pool);
}

TEST(Buffers, WithoutMemoryThereIsNoPool)
{
    EXPECT_EQ(buffers_open("much", 1U << 24, 0, 2176, 0), nullptr);
    EXPECT_EQ(rte_mempool_lookup("much"), nullptr);
}
