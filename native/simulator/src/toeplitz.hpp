// Receive side scaling: the Toeplitz hash of a 5-tuple, bit by bit as the NIC's datasheet defines
// it.
//
// Checked against the verification suite that Microsoft publishes with the definition.
#pragma once

#include <cstdint>
#include <vector>

namespace planecast::sim
{

struct FiveTuple {
    std::uint32_t source_ip;
    std::uint32_t destination_ip;
    std::uint16_t source_port;
    std::uint16_t destination_port;
};

// An empty key is Microsoft's.
std::uint32_t toeplitz(const FiveTuple &tuple, const std::vector<std::uint64_t> &key);

} // namespace planecast::sim
