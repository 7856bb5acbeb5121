// Instants of a row of packets, each of which depends on the one before.
//
// Written out, that is a chain of additions and comparisons as long as the row. Here eight packets
// take three steps, whose results the next eight wait for: prefix sums and prefix maxima, as in
// every text on parallel algorithms.
#pragma once

#include "time.hpp"

#include <cstddef>

namespace planecast::sim
{

// out[i] = out[i − 1] + gaps[i], where out[−1] = from; returns the last. Nothing may overflow.
// `out` may be `gaps`.
Ps add_up(const Ps *gaps, std::size_t count, Ps from, Ps *out);

// One server, first come first served, each `service` long: when it is done with those that come at
// in[i] + delay, if it is free from `free` on; returns when it is free again. Nothing may overflow,
// nor may eight services. `out` may be `in`.
Ps serve_in_order(const Ps *in, std::size_t count, Ps delay, Ps free, Ps service, Ps *out);

} // namespace planecast::sim
