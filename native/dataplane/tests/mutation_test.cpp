// SPDX-License-Identifier: Apache-2.0
#include "mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <vector>

extern "C" {
#include "../config.h"
}
#include "inline_functions.h"

namespace
{

using Frame = std::vector<uint8_t>;
using Random = std::mt19937;

constexpr uint32_t flows = 64;

uint32_t below(Random &random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

Frame good_frame(Random &random)
{
    const uint32_t size = 60 + (below(random, 4) == 0 ? below(random, 1455) : 0);
    Frame frame(size);
    const std::array<uint8_t, 32> headers = {2,    0,    0,    0, 0, 1,    2,    0, 0,  0, 0,
                                             2,    0x88, 0xA8, 0, 0, 0x81, 0x00, 0, 0,  8, 0,
                                             0x45, 0,    0,    0, 0, 0,    0,    0, 64, 17};
    std::copy(headers.begin(), headers.end(), frame.begin());
    frame[19] = static_cast<uint8_t>(below(random, flows));
    frame[23] = static_cast<uint8_t>(below(random, 64) << 2);
    frame[24] = static_cast<uint8_t>((size - 22) >> 8);
    frame[25] = static_cast<uint8_t>(size - 22);
    for (int i = 35; i < 42; i++)
        frame[i] = static_cast<uint8_t>(random());
    frame[42] = 4;
    return frame;
}

void mutate(Frame &frame, Random &random)
{
    constexpr std::array<uint8_t, 8> interesting = {0, 1, 0x44, 0x46, 0x7F, 0x80, 0xFE, 0xFF};
    const auto headers = static_cast<uint32_t>(std::min<size_t>(frame.size(), 50));
    switch (below(random, 8)) {
    case 0: // a bit or a few, anywhere in the headers
        for (uint32_t i = 0; i <= below(random, 4); i++)
            frame[below(random, headers)] ^= static_cast<uint8_t>(1U << below(random, 8));
        break;
    case 1:
        frame[below(random, headers)] = interesting[below(random, interesting.size())];
        break;
    case 2: // cut anywhere
        frame.resize(1 + below(random, static_cast<uint32_t>(frame.size())));
        break;
    case 3: // cut where the headers end
        frame.resize(std::min<size_t>(frame.size(), 40 + below(random, 20)));
        break;
    case 4: // longer than one buffer
        frame.resize(frame.size() + below(random, 7000), 0xAA);
        break;
    case 5: // the total length says anything
        if (frame.size() > 25) {
            frame[24] = interesting[below(random, interesting.size())];
            frame[25] = static_cast<uint8_t>(random());
        }
        break;
    case 6:
        if (frame.size() > 30)
            frame[30] = static_cast<uint8_t>(below(random, 3)); // TTL
        break;
    default:
        std::generate(frame.begin(), frame.end(), [&] { return static_cast<uint8_t>(random()); });
    }
}

template <typename Number> void put(std::ofstream &file, Number number)
{
    file.write(reinterpret_cast<const char *>(&number), sizeof number);
}

} // namespace

void write_mutated_packets(const std::filesystem::path &path)
{
    Random random(1);
    std::ofstream file(path, std::ios::binary);
    for (const uint32_t word : {0xA1B2C3D4U, 0x00040002U, 0U, 0U, 65535U, 1U})
        put(file, word);
    for (int i = 0; i < mutated_packets; i++) {
        Frame frame = good_frame(random);
        for (uint32_t mutations = below(random, 4); mutations > 0; mutations--)
            mutate(frame, random);
        const auto bytes = static_cast<uint32_t>(frame.size());
        for (const uint32_t word : {0U, 0U, bytes, bytes})
            put(file, word);
        file.write(reinterpret_cast<const char *>(frame.data()),
                   static_cast<std::streamsize>(bytes));
    }
}

// The sanitizers are the judge; the bytes behind a packet are poisoned (source.c).
TEST(Mutation, NoPacketHurts)
{
    struct config config;
    config_defaults(&config);
    config.rx.port[0] = config.tx.port[0] = 0;
    config.acl_rules = config.routes = flows;
    config.flows = config.active_flows = flows;
    config.mbufs = 4096;
    config.stage_clock = 1;
    config.lcore_cpu[0] = 0;
    test_counts counts{};
    std::array<char, 512> error{};
    ASSERT_TRUE(test_trial(&config, mutated_packets, 60, &counts, error.data(), error.size()))
        << error.data();
    EXPECT_TRUE(counts.conserved);
    EXPECT_EQ(counts.in, mutated_packets);
    EXPECT_GT(counts.out, mutated_packets / 10);
    for (const int cause : {DROP_HEADER, DROP_ACL, DROP_FLOW_MISS, DROP_POLICER, DROP_TTL})
        EXPECT_GT(counts.drops[cause], mutated_packets / 200) << drop_cause_name[cause];
    EXPECT_EQ(counts.drops[DROP_ROUTE_MISS], 0); // the routes cover all there is
}
