// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "inline_functions.h"

namespace
{

// RFC 1071 word by word, in network order: what the fast ways have to agree with.
uint16_t naive_checksum(const std::array<uint8_t, 20> &header)
{
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2) {
        sum += static_cast<uint32_t>(header[i] << 8 | header[i + 1]);
        if (sum > 0xFFFF)
            sum = (sum & 0xFFFF) + 1;
    }
    return static_cast<uint16_t>(~sum);
}

uint32_t crc32c(uint64_t key) // bit by bit, with the reflected polynomial, no inversions
{
    uint32_t crc = 0;
    for (int i = 0; i < 64; i++) {
        const bool bit = ((crc ^ (key >> i)) & 1) != 0;
        crc = crc >> 1 ^ (bit ? 0x82F63B78U : 0);
    }
    return crc;
}

} // namespace

TEST(Headers, FlowKeyThereAndBack)
{
    for (uint32_t flow = 0; flow < 1U << 24; flow += flow < 5000 ? 1 : 37) {
        const uint64_t key = test_flow_key_of(flow);
        ASSERT_EQ(test_flow_id_of(key), flow);
        ASSERT_EQ(key & ~test_flow_key_mask(), 0U);
    }
    EXPECT_EQ(test_flow_id_of(test_flow_key_of((1U << 24) - 1)), (1U << 24) - 1);
}

TEST(Headers, FlowKeyIsTheTagsInNetworkOrder)
{
    const uint64_t key = test_flow_key_of(0xABC123); // svlan 0xABC, cvlan 0x123
    std::array<uint8_t, 8> bytes{};
    std::memcpy(bytes.data(), &key, sizeof key);
    EXPECT_EQ(bytes, (std::array<uint8_t, 8>{0x0A, 0xBC, 0, 0, 0x01, 0x23, 0, 0}));
}

TEST(Headers, OtherBitsOfTheTagsAreNoPartOfAFlow)
{
    for (const uint32_t flow : {0U, 5U, 0xFFFFFFU})
        EXPECT_EQ(test_flow_id_of(test_flow_key_of(flow) | ~test_flow_key_mask()), flow);
}

TEST(Headers, SignatureIsCrc32c)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; i++) {
        const uint64_t key = random();
        EXPECT_EQ(test_crc_hash(key), crc32c(key));
    }
}

TEST(Headers, ChecksumFoldsAnySum)
{
    const auto naive = [](uint32_t sum) {
        while (sum > 0xFFFF)
            sum = (sum & 0xFFFF) + (sum >> 16);
        return static_cast<uint16_t>(~sum);
    };
    for (uint64_t sum = 0; sum <= UINT32_MAX; sum += sum < 200'000 ? 1 : 65'521)
        ASSERT_EQ(test_checksum_fold(static_cast<uint32_t>(sum)),
                  naive(static_cast<uint32_t>(sum)));
    for (const uint32_t sum : {0xFFFFU, 0xFFFF0000U, 0xFFFFFFFFU, 0x8000FFFFU, 0xFFFE0001U})
        ASSERT_EQ(test_checksum_fold(sum), naive(sum));
}

// All 65,536 checksums, each with a header that has it, against a checksum computed again.
TEST(Headers, AHopUpdatesEveryChecksumAsIfComputedAnew)
{
    std::mt19937 random(1);
    for (uint32_t id = 0; id <= 0xFFFF; id++) {
        std::array<uint8_t, 20> header = {0x45, 0, 0, 38};
        for (int i = 12; i < 20; i++)
            header[i] = static_cast<uint8_t>(random());
        header[4] = static_cast<uint8_t>(id >> 8);
        header[5] = static_cast<uint8_t>(id);
        header[8] = static_cast<uint8_t>(1 + random() % 255);
        header[9] = 17;
        const uint16_t before = naive_checksum(header);
        // A fixed rest and every id: the checksums take all values but 0xFFFF, which none has.
        header[10] = static_cast<uint8_t>(before >> 8);
        header[11] = static_cast<uint8_t>(before);
        uint16_t checksum = 0;
        std::memcpy(&checksum, &header[10], sizeof checksum);
        checksum = test_checksum_after_hop(checksum);
        std::array<uint8_t, 20> expected = header;
        expected[8]--;
        expected[10] = expected[11] = 0;
        const uint16_t after = naive_checksum(expected);
        expected[10] = static_cast<uint8_t>(after >> 8);
        expected[11] = static_cast<uint8_t>(after);
        header[8]--;
        std::memcpy(&header[10], &checksum, sizeof checksum);
        ASSERT_EQ(header, expected) << "checksum " << before;
    }
}

TEST(Headers, AHopAtTheCornersOfTheChecksum)
{
    const auto swap = [](uint32_t x) { return static_cast<uint16_t>(x << 8 | x >> 8); };
    const auto hop = [&](uint16_t checksum) {
        return swap(test_checksum_after_hop(swap(checksum)));
    };
    EXPECT_EQ(hop(0x0000), 0x0100U);
    EXPECT_EQ(hop(0xFE00), 0xFF00U);
    EXPECT_EQ(hop(0xFEFF), 0x0000U); // 0xFFFF is no checksum of a header
    EXPECT_EQ(hop(0xFF00), 0x0001U); // carried round
    EXPECT_EQ(hop(0xFFFE), 0x00FFU);
}
