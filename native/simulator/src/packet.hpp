// What the simulator knows of a packet: 24 bytes, copied from queue to queue.
#pragma once

#include "time.hpp"

#include <cstdint>

namespace planecast::sim
{

struct Packet {
    Ps born;  // last bit received by the port
    Ps ready; // when the queue that it is in shows it to the consumer
    std::uint32_t flow_hash;
    std::uint16_t frame_bytes;
    std::uint8_t flow_class; // index over all sources
    std::uint8_t opens_flow;
};
static_assert(sizeof(Packet) == 24);

} // namespace planecast::sim
