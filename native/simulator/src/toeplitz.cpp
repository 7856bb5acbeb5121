#include "toeplitz.hpp"

#include <array>

namespace planecast::sim
{

namespace
{

constexpr std::array<std::uint8_t, 40> kMicrosoftKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

} // namespace

std::uint32_t toeplitz(const FiveTuple &tuple, const std::vector<std::uint64_t> &key)
{
    std::array<std::uint8_t, 12> input{};
    for (unsigned i = 0; i < 4; ++i) {
        input[i] = static_cast<std::uint8_t>(tuple.source_ip >> (24 - 8 * i));
        input[4 + i] = static_cast<std::uint8_t>(tuple.destination_ip >> (24 - 8 * i));
    }
    for (unsigned i = 0; i < 2; ++i) {
        input[8 + i] = static_cast<std::uint8_t>(tuple.source_port >> (8 - 8 * i));
        input[10 + i] = static_cast<std::uint8_t>(tuple.destination_port >> (8 - 8 * i));
    }
    auto key_byte = [&key](std::size_t i) -> std::uint64_t {
        return key.empty() ? kMicrosoftKey[i] : key[i];
    };
    // The window: 32 bits of the key under the current bit, 8 more behind them.
    std::uint64_t window = key_byte(0) << 24 | key_byte(1) << 16 | key_byte(2) << 8 | key_byte(3);
    std::uint32_t hash = 0;
    for (std::size_t byte = 0; byte < input.size(); ++byte) {
        window = window << 8 | key_byte(byte + 4);
        for (unsigned bit = 0; bit < 8; ++bit) {
            if ((input[byte] & (0x80U >> bit)) != 0) {
                hash ^= static_cast<std::uint32_t>(window >> (8 - bit));
            }
        }
    }
    return hash;
}

} // namespace planecast::sim
