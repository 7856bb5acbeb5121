#include "planecast/simulator/toeplitz.hpp"

#include <gtest/gtest.h>

#include <array>

namespace planecast::sim
{

namespace
{

constexpr std::uint32_t ip(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return a << 24 | b << 16 | c << 8 | d;
}

std::uint32_t hash(std::uint32_t from, std::uint32_t to, std::uint32_t source, std::uint32_t port)
{
    std::array<std::uint8_t, 12> input;
    const std::array<std::uint32_t, 3> words{from, to, source << 16 | port};
    for (std::size_t byte = 0; byte < input.size(); ++byte) {
        input[byte] = static_cast<std::uint8_t>(words[byte / 4] >> (24 - 8 * (byte % 4)));
    }
    return toeplitz(input);
}

} // namespace

// Microsoft's "Verifying the RSS hash calculation", IPv4 with TCP.
TEST(Toeplitz, VerificationSuite)
{
    EXPECT_EQ(hash(ip(66, 9, 149, 187), ip(161, 142, 100, 80), 2794, 1766), 0x51ccc178U);
    EXPECT_EQ(hash(ip(199, 92, 111, 2), ip(65, 69, 140, 83), 14230, 4739), 0xc626b0eaU);
    EXPECT_EQ(hash(ip(24, 19, 198, 95), ip(12, 22, 207, 184), 12898, 38024), 0x5c2b394aU);
    EXPECT_EQ(hash(ip(38, 27, 205, 30), ip(209, 142, 163, 6), 48228, 2217), 0xafc7327fU);
    EXPECT_EQ(hash(ip(153, 39, 163, 191), ip(202, 188, 127, 2), 44251, 1303), 0x10e828a2U);
}

} // namespace planecast::sim
