// SPDX-License-Identifier: Apache-2.0
//
// Lcores on two sockets: packet buffers are on the socket of the lcore that uses them.
#include <gtest/gtest.h>

#include <array>
#include <string>

extern "C" {
#include "../config.h"
}
#include "inline_functions.h"

namespace
{

// The error, or empty.
std::string opened(int sockets, test_sockets &found)
{
    struct config config;
    std::array<char, 256> error{};
    config_defaults(&config);
    config.function = FUNCTION_MACSWAP;
    config.mbufs = 4096;
    config.lcores.count = 2;
    config.lcores.cpu[0] = 0;
    config.lcores.cpu[1] = 1;
    const bool fine = test_open_on_sockets(&config, sockets, &found, error.data(), error.size());
    EXPECT_EQ(fine, error[0] == '\0');
    return error.data();
}

} // namespace

TEST(Sockets, AnLcoresBuffersAreOnItsSocket)
{
    test_sockets found{};
    const std::string error = opened(2, found);
    EXPECT_EQ(found.count, 2U);
    if (error.empty())
        EXPECT_EQ(found.pool[1], 1);
    else // EAL has no heap for a socket that this host does not have
        EXPECT_EQ(error, "no memory on socket 1 for the 4096 packet buffers of an lcore");
}

TEST(Sockets, OnOneSocketAllAre)
{
    test_sockets found{};
    EXPECT_EQ(opened(1, found), "");
    EXPECT_EQ(found.count, 1U);
    EXPECT_EQ(found.pool[0], 0);
    EXPECT_EQ(found.pool[1], 0);
}
