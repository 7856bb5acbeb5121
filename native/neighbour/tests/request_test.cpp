// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

extern "C" {
#include "request.h"
}

namespace
{

request parse(const std::string &text, work &found, std::string &said)
{
    std::string line = text; // reading takes it apart
    char error[160] = "";
    const request kind = request_parse(line.data(), &found, error, sizeof error);
    said = error;
    return kind;
}

TEST(Request, WorkWithItsKeys)
{
    work found{};
    std::string said;
    ASSERT_EQ(parse("walk bytes=1000001 width=4 lines_per_s=2e6\n", found, said), REQUEST_WORK);
    EXPECT_EQ(found.mode, WORK_WALK);
    EXPECT_EQ(found.bytes, 1000000U); // whole lines
    EXPECT_EQ(found.width, 4U);
    EXPECT_EQ(found.lines_per_s, 2e6);
    ASSERT_EQ(parse("stream write=1", found, said), REQUEST_WORK);
    EXPECT_TRUE(found.write);
    EXPECT_EQ(found.bytes, 1U << 20);
    EXPECT_EQ(parse("idle", found, said), REQUEST_WORK);
    EXPECT_EQ(parse("stats", found, said), REQUEST_STATS);
    EXPECT_EQ(parse("quit", found, said), REQUEST_QUIT);
}

TEST(Request, WhatIsWrongIsSaid)
{
    const std::pair<const char *, const char *> wrong[] = {
        {"", "empty request"},
        {"run", "'run' is none of idle, walk, stream, spin, stats, quit"},
        {"walk bytes", "'bytes' is not key=value"},
        {"walk bytes=12", "bytes: '12' is not from 4096 to 4294967296"},
        {"walk width=17", "width: '17' is not from 1 to 16"},
        {"walk width=x", "width: 'x' is not from 1 to 16"},
        {"walk write=1", "walk has no key write"},
        {"stream width=2", "stream has no key width"},
        {"spin bytes=8192", "spin has no key bytes"},
        {"stream lines_per_s=-1", "lines_per_s: '-1' is not from 0 (no limit) to 1e12"},
        {"stream write=2", "write: '2' is neither 0 nor 1"},
    };
    for (const auto &[line, sentence] : wrong) {
        work found{};
        std::string said;
        EXPECT_EQ(parse(line, found, said), REQUEST_WRONG) << line;
        EXPECT_EQ(said, sentence);
    }
}

} // namespace
