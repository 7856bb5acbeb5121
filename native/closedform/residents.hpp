// How long lines stay in a cache that several regions share, by Che's approximation, and which
// share of their touches it serves: src/planecast/engines/solve/cache.py says what is computed and
// why.
#pragma once

#include "sharing.hpp"

#include <cstddef>

namespace planecast::closedform
{

// The regions of many scenarios: region-major tables, a row a region and a column a scenario.
struct Residents {
    std::size_t regions;
    std::size_t scenarios;
    const bool *cyclic;     // by region: touched in order, not at random
    const double *lines;    // distinct lines; 0 where the region isn't used or can't be held
    const double *touches;  // touches a packet; 0 likewise
    const double *rates;    // touches of a line a packet, held or not
    const bool *out;        // where a region can't be held: it is served nothing
    const double *capacity; // lines that the cache has, by scenario
};

// The share of each region's touches that the cache serves, into `shares` (a table as above).
// `time`, packets that a line stays, by scenario, is read as a guess from below (0 will do, and the
// answer of a smaller cache will do better) and written; it is kForEver where everything fits.
void hit_shares(const Residents &residents, double *time, double *shares);

} // namespace planecast::closedform
