// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "../stages/kernel.h"
}
#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

kernel_node *link(std::vector<kernel_node> &nodes)
{
    for (size_t i = 0; i + 1 < nodes.size(); i++)
        nodes[i].next = &nodes[i + 1];
    return nodes.empty() ? nullptr : nodes.data();
}

std::array<uint32_t, NUMBERS> count(const std::string &text)
{
    std::array<uint32_t, NUMBERS> counts{};
    kernel_count_numbers(text.data(), static_cast<uint32_t>(text.size()), counts.data());
    return counts;
}

} // namespace

TEST(Kernel, SortsAnyListAndKeepsEqualsInOrder)
{
    std::mt19937 random(1);
    for (size_t length = 0; length < 200; length++) {
        std::vector<kernel_node> nodes(length);
        for (size_t i = 0; i < length; i++)
            nodes[i] = {nullptr, static_cast<int16_t>(static_cast<int>(random() % 21) - 10),
                        static_cast<uint16_t>(i)};
        size_t seen = 0;
        const kernel_node *before = nullptr;
        for (const kernel_node *at = kernel_sort(link(nodes)); at != nullptr; at = at->next) {
            if (before != nullptr) {
                EXPECT_TRUE(before->value < at->value ||
                            (before->value == at->value && before->tag < at->tag));
            }
            before = at;
            seen++;
        }
        EXPECT_EQ(seen, length);
    }
}

TEST(Kernel, ReversesAList)
{
    std::vector<kernel_node> nodes(5);
    for (uint16_t i = 0; i < 5; i++)
        nodes[i].tag = i;
    uint16_t wanted = 5;
    for (const kernel_node *at = kernel_reverse(link(nodes)); at != nullptr; at = at->next)
        EXPECT_EQ(at->tag, --wanted);
    EXPECT_EQ(wanted, 0);
}

TEST(Kernel, TellsNumbersByKind)
{
    using Counts = std::array<uint32_t, NUMBERS>;
    EXPECT_EQ(count(""), (Counts{1, 0, 0, 0, 0}));
    EXPECT_EQ(count("0,12,-7,+007"), (Counts{0, 4, 0, 0, 0}));
    EXPECT_EQ(count("0.5,-12.25,3.0"), (Counts{0, 0, 3, 0, 0}));
    EXPECT_EQ(count("0x0,0xbeef,-0x1"), (Counts{0, 0, 0, 3, 0}));
    EXPECT_EQ(count("-,1.,.5,0x,x1,1.2.3,1e5,0xG,--1, 1"), (Counts{0, 0, 0, 0, 10}));
    EXPECT_EQ(count(",,1,"), (Counts{3, 1, 0, 0, 0}));
}

TEST(Kernel, CrcIsThatOfIeee8023)
{
    // "123456789" has the well-known check value 0xCBF43926; its words come lowest byte first.
    const std::string text = "12345678";
    uint32_t crc = 0;
    for (size_t i = 0; i < text.size(); i += 4) {
        uint32_t word = 0;
        std::memcpy(&word, &text[i], 4);
        crc = kernel_crc(crc, word);
    }
    uint32_t last = ~crc ^ static_cast<uint32_t>('9');
    for (int bit = 0; bit < 8; bit++)
        last = last >> 1 ^ (0xEDB88320U & (0U - (last & 1U)));
    EXPECT_EQ(~last, 0xCBF43926U);
}

TEST(Kernel, AnIterationRepeatsAndDependsOnItsSeed)
{
    auto first = std::make_unique<kernel>(), second = std::make_unique<kernel>();
    std::set<uint32_t> crcs;
    for (uint32_t seed = 0; seed < 64; seed++) {
        const uint32_t crc = kernel_run(first.get(), seed);
        EXPECT_EQ(kernel_run(first.get(), seed), crc);
        std::memset(second.get(), 0x5A, sizeof *second);
        EXPECT_EQ(kernel_run(second.get(), seed), crc);
        crcs.insert(crc);
    }
    EXPECT_EQ(crcs.size(), 64);
    EXPECT_LT(sizeof(kernel), 4096U);
}

TEST(Compute, AWrongResultDropsThePacketAndIsCounted)
{
    TestPool test;
    struct config config;
    config_defaults(&config);
    config.function = FUNCTION_COMPUTE;
    TestStages stages(config, {"compute"});
    auto burst = burst_of(FUNCTION_COMPUTE);
    burst->count = burst->received = 40;
    test.take(burst->packet, burst->count);
    stages.run("compute", *burst);
    EXPECT_EQ(burst->count, 40);
    // Behind the kernel and the first seed are the results that are expected.
    stages.context<uint32_t>("compute")[sizeof(kernel) / 4 + 1 + 3] ^= 1;
    stages.run("compute", *burst);
    EXPECT_EQ(burst->count, 37); // numbers 3, 19 and 35
    EXPECT_EQ(burst->drop_count[DROP_COMPUTE], 3);
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
}
