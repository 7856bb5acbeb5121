// How long a frame of each size occupies a wire or a card's engine, as a table by bytes.
//
// An empty table means no time at all.
#pragma once

#include "planecast/simulator/nic_model.hpp"
#include "time.hpp"

#include <cstddef>
#include <vector>

namespace planecast::sim
{

// One packet of a rate limit; 0 for none.
Ps limit_period(double limit_pps);

std::vector<Ps> wire_times(const Port &port, std::size_t largest_frame);
// With the port's own packet-rate ceiling, which spaces what it sends.
std::vector<Ps> tx_wire_times(const Port &port, std::size_t largest_frame);
std::vector<Ps> rx_engine_times(const Nic &nic, std::size_t largest_frame);
std::vector<Ps> tx_engine_times(const Nic &nic, std::size_t largest_frame);

} // namespace planecast::sim
