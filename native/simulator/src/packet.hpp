// What the simulator knows of a packet: 16 bytes, copied from queue to queue.
#pragma once

#include "time.hpp"

#include <cstddef>
#include <cstdint>

namespace planecast::sim
{

struct Packet {
    Ps born; // last bit received by the port
    std::uint32_t flow_hash;
    std::uint16_t frame_bytes;
    std::uint8_t flow_class; // index over all sources
    std::uint8_t opens_flow;
};
static_assert(sizeof(Packet) == 16);

// Packets in a row that differ in nothing but when they came: known by the instants at which a ring
// showed them, each `latency` after its packet was born.
struct AlikePackets {
    Packet operator[](std::size_t i) const
    {
        Packet packet = pattern;
        packet.born = ready[i] - latency;
        return packet;
    }

    const Ps *ready;
    Ps latency;
    Packet pattern;
};

} // namespace planecast::sim
