// SPDX-License-Identifier: Apache-2.0
//
// The firewall searches for a few packets more than a burst has: they must show nowhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

// What the rules look at: protocol, addresses, ports. A destination port above 1023 is denied.
void put_packet(uint8_t *frame, bool permitted, std::mt19937 &random)
{
    std::memset(frame, 0, 64);
    frame[31] = 17;
    for (int i = 35; i < 42; i++)
        frame[i] = static_cast<uint8_t>(random());
    frame[34] = 0;
    frame[42] = 4; // from port 1024 on
    frame[44] = permitted ? 3 : 4;
}

} // namespace

TEST(Acl, ABurstOfAnySizeDropsItsOwnDeniedPacketsAndNoOthers)
{
    TestPool test;
    struct config config;
    config_defaults(&config);
    config.acl_rules = 64;
    TestStages stages(config, {"acl"});
    auto burst = burst_of(FUNCTION_VPE_UPSTREAM);
    std::mt19937 random(1);
    for (uint16_t count = 0; count <= 70; count++) {
        for (const unsigned percent : {0U, 20U, 100U}) {
            std::vector<rte_mbuf *> kept;
            burst->count = count;
            burst->drop_count[DROP_ACL] = 0;
            test.take(burst->packet, count);
            for (uint16_t i = 0; i < count; i++) {
                burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
                // The first packet, which others are searched for with, is denied in every other.
                const bool denied =
                    i == 0 && percent == 20 ? count % 2 == 0 : random() % 100 < percent;
                put_packet(burst->frame[i], !denied, random);
                if (!denied)
                    kept.push_back(burst->packet[i]);
            }
            stages.run("acl", *burst);
            ASSERT_EQ(burst->count, kept.size()) << count << " packets";
            EXPECT_TRUE(std::equal(kept.begin(), kept.end(), burst->packet));
            EXPECT_EQ(burst->drop_count[DROP_ACL], count - kept.size());
            for (rte_mbuf *mbuf : kept)
                rte_pktmbuf_free(mbuf);
        }
    }
}
