// Receive side scaling: the Toeplitz hash of a packet's addresses and ports with Microsoft's key,
// bit by bit as the NIC's datasheet defines it.
//
// Checked against the verification suite that Microsoft publishes with the definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace planecast::sim
{

inline constexpr std::size_t kMostHashedBytes = 36; // that the key of 40 bytes is long enough for

// Of so many bytes at most: source and destination address, source and destination port.
std::uint32_t toeplitz(std::span<const std::uint8_t> input);

} // namespace planecast::sim
