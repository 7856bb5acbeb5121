// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

extern "C" {
#include "../config.h"
}

namespace
{

struct Read {
    bool fine;
    std::string error;
    struct config config;
};

Read read(const std::string &text)
{
    const auto path = std::filesystem::temp_directory_path() /
                      ("planecast-config-test-" + std::to_string(getpid()) + ".ini");
    std::ofstream(path, std::ios::binary) << text;
    Read read{};
    std::array<char, 1024> error{};
    config_defaults(&read.config);
    read.fine = config_read(path.c_str(), &read.config, error.data(), error.size());
    read.error = error.data();
    std::filesystem::remove(path);
    return read;
}

std::string keys_text()
{
    std::array<char, 8192> text{};
    FILE *file = fmemopen(text.data(), text.size(), "w");
    config_print_keys(file);
    fclose(file);
    return text.data();
}

} // namespace

TEST(Config, Defaults)
{
    const struct config config = read("").config;
    EXPECT_EQ(config.acl_rules, 4096U);
    EXPECT_EQ(config.flows, 65536U);
    EXPECT_EQ(config.active_flows, 65536U);
    EXPECT_EQ(config.meter_rate, 1'250'000'000U);
    EXPECT_EQ(config.destination_step, 0x00040000U);
    EXPECT_EQ(config.dscp.count, 8U);
    EXPECT_EQ(config.dscp.value[7], 46);
    EXPECT_EQ(config.rx.count, 1U);
    EXPECT_EQ(config.rx.port[0], PORT_INTERNAL);
    EXPECT_EQ(config.pipeline.length, 5);
    EXPECT_EQ(config.lcores.count, 1U);
    EXPECT_TRUE(config.police_red);
    EXPECT_FALSE(config.telemetry);
}

TEST(Config, EveryKeyIsPrintedWithItsDefault)
{
    const Read printed = read(keys_text());
    EXPECT_TRUE(printed.fine) << printed.error;
    struct config defaults;
    config_defaults(&defaults);
    EXPECT_EQ(std::memcmp(&printed.config, &defaults, sizeof defaults), 0);
}

TEST(Config, EveryTypeIsRead)
{
    const Read found = read("[tables]\nmeter_rate = 1000000000000\npolice_red=off\n"
                            "[pipeline]\nstages = key,route\n"
                            "[traffic]\ndestination_step = 1.2.3.4\ndscp = 63\nflows=1\n"
                            "[ports]\nrx = 31,internal\ntx = 0,0\n"
                            "[machine]\nlcores = 8,0-3\npage_size = 2MiB\n");
    ASSERT_TRUE(found.fine) << found.error;
    const struct config &config = found.config;
    EXPECT_EQ(config.meter_rate, 1'000'000'000'000U);
    EXPECT_FALSE(config.police_red);
    EXPECT_EQ(config.pipeline.length, 2);
    EXPECT_EQ(config.destination_step, 0x01020304U);
    EXPECT_EQ(config.dscp.count, 1U);
    EXPECT_EQ(config.rx.count, 2U);
    EXPECT_EQ(config.rx.port[0], 31);
    EXPECT_EQ(config.rx.port[1], PORT_INTERNAL);
    EXPECT_EQ(config.lcores.count, 5U);
    EXPECT_EQ(config.lcores.cpu[0], 8);
    EXPECT_EQ(config.lcores.cpu[4], 3);
    EXPECT_EQ(config.page_size, PAGES_2MIB);
}

TEST(Config, StagesAreTheFunctionsWhereverItStands)
{
    const Read found = read("[pipeline]\nstages = none\nfunction = l2patch\n");
    ASSERT_TRUE(found.fine) << found.error;
    EXPECT_EQ(found.config.function, FUNCTION_L2PATCH);
    EXPECT_EQ(found.config.pipeline.length, 0);
    EXPECT_NE(
        read("[pipeline]\nstages = acl\nfunction = l2patch\n")
            .error.find(":2: stages: l2patch has no stage 'acl'; it takes all, none or some of "
                        "none"),
        std::string::npos);
    EXPECT_NE(read("[pipeline]\nfunction = l3\n").error.find(":2: function: 'l3' is not allowed"),
              std::string::npos);
}

TEST(Config, PortsComeInPairs)
{
    EXPECT_TRUE(read("[ports]\nrx = 0,1\ntx = 1,0\n").fine);
    EXPECT_NE(read("[ports]\nrx = 0,1\ntx = 1\n").error.find(":3: tx: 1 of them, but rx has 2"),
              std::string::npos);
    EXPECT_NE(read("[ports]\nrx = 0,\n").error.find(":2: rx: '0,' is not allowed"),
              std::string::npos);
    EXPECT_NE(read("[ports]\nrx=0,1\ntx=0,1\nrx_by_queue=off\n[machine]\nlcores=0-2\n")
                  .error.find(":4: rx_by_queue: 2 ports"),
              std::string::npos);
}

TEST(Config, ConflictsNameTheLineThatIsThere)
{
    EXPECT_NE(read("[tables]\n\nflows = 5").error.find(":3: flows: "), std::string::npos);
    EXPECT_NE(read("[tables]\nflows = 5\n[traffic]\nflows = 6").error.find(":4: flows: "),
              std::string::npos);
    EXPECT_NE(read("[pool]\nrx_ring = 48").error.find(":2: rx_ring: '48'"), std::string::npos);
}

// Whatever stands in the file: an answer, and a sentence when it is refused.
TEST(Config, AnyBytes)
{
    const std::string keys = keys_text();
    std::mt19937 random(1);
    for (int turn = 0; turn < 3000; turn++) {
        std::string text = keys;
        for (unsigned i = 0; i <= random() % 8; i++) {
            const size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, random() % 40);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 60));
                break;
            default:
                text.insert(at, std::to_string(random()));
            }
        }
        const Read found = read(text);
        EXPECT_EQ(found.fine, found.error.empty());
    }
}
