#include "planecast/simulator/toeplitz.hpp"

#include <array>

namespace planecast::sim
{

namespace
{

constexpr std::array<std::uint8_t, kMostHashedBytes + 4> kMicrosoftKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

} // namespace

std::uint32_t toeplitz(std::span<const std::uint8_t> input)
{
    // The window: 32 bits of the key under the current bit, 8 more behind them.
    std::uint64_t window = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        window = window << 8 | kMicrosoftKey[i];
    }
    std::uint32_t hash = 0;
    for (std::size_t byte = 0; byte < input.size(); ++byte) {
        window = window << 8 | kMicrosoftKey[byte + 4];
        for (unsigned bit = 0; bit < 8; ++bit) {
            if ((input[byte] & (0x80U >> bit)) != 0) {
                hash ^= static_cast<std::uint32_t>(window >> (8 - bit));
            }
        }
    }
    return hash;
}

} // namespace planecast::sim
