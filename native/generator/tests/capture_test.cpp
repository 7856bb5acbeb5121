// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern "C" {
#include "capture.h"
}

namespace
{

struct Times {
    uint32_t seconds, part;
};

class Capture : public testing::Test
{
  protected:
    Capture()
        : path(std::filesystem::temp_directory_path() /
               ("planecast-capture-" + std::to_string(getpid()) + ".pcap"))
    {
    }
    ~Capture() override { std::filesystem::remove(path); }

    void write(uint32_t magic, const std::vector<Times> &times, bool swapped = false,
               uint32_t captured = 60, size_t cut = 0)
    {
        std::string data;
        const auto put = [&](uint32_t value) {
            value = swapped ? __builtin_bswap32(value) : value;
            data.append(reinterpret_cast<const char *>(&value), sizeof value);
        };
        put(magic);
        for (int i = 0; i < 5; i++)
            put(0);
        for (const auto &time : times) {
            put(time.seconds);
            put(time.part);
            put(captured);
            put(captured);
            data.append(captured, 'x');
        }
        data.resize(data.size() - cut);
        std::ofstream(path, std::ios::binary) << data;
    }

    std::string refused()
    {
        capture found;
        char error[512] = "";
        EXPECT_FALSE(capture_read(path.c_str(), &found, error, sizeof error));
        EXPECT_EQ(found.gaps, nullptr);
        return error;
    }

    std::filesystem::path path;
};

} // namespace

TEST_F(Capture, MicrosecondsNanosecondsAndBothByteOrders)
{
    for (const bool swapped : {false, true}) {
        for (const uint32_t magic : {0xA1B2C3D4U, 0xA1B23C4DU}) {
            const double tick = magic == 0xA1B2C3D4U ? 1e-6 : 1e-9;
            write(magic,
                  {{1'700'000'000, 999'999},
                   {1'700'000'001, 4},
                   {1'700'000'001, 1},
                   {1'700'000'003, 1}},
                  swapped);
            capture found;
            char error[512];
            ASSERT_TRUE(capture_read(path.c_str(), &found, error, sizeof error)) << error;
            ASSERT_EQ(found.count, 4U);
            EXPECT_NEAR(found.gaps[0], 1 - 999'995 * tick, 1e-10);
            EXPECT_EQ(found.gaps[1], 0); // earlier than the one before
            EXPECT_NEAR(found.gaps[2], 2, 1e-9);
            EXPECT_NEAR(found.gaps[3], found.mean, 1e-12);
            EXPECT_NEAR(found.mean, (3 - 999'995 * tick) / 3, 1e-9);
            capture_close(&found);
        }
    }
}

TEST_F(Capture, WhatIsNoCaptureIsNamed)
{
    EXPECT_NE(refused().find("No such file"), std::string::npos);
    write(0x0A0D0D0A, {{1, 1}, {2, 2}});
    EXPECT_NE(refused().find("no classic pcap file"), std::string::npos);
    write(0xA1B2C3D4, {{1, 1}});
    EXPECT_NE(refused().find("has no two packets at different times"), std::string::npos);
    write(0xA1B2C3D4, {{1, 1}, {1, 1}});
    EXPECT_NE(refused().find("has no two packets"), std::string::npos);
    for (const size_t cut : {1U, 59U, 61U, 75U}) {
        write(0xA1B2C3D4, {{1, 1}, {2, 1}}, false, 60, cut);
        EXPECT_NE(refused().find("ends within a packet"), std::string::npos) << cut;
    }
}
