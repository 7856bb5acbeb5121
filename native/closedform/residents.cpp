#include "residents.hpp"

#include <algorithm>

namespace planecast::closedform
{

void hit_shares(const Residents &residents, double *time, double *shares)
{
    Sharing sharing(residents.regions, residents.cyclic);
    for (std::size_t first = 0; first < residents.scenarios; first += kLanes) {
        const std::size_t count = std::min(kLanes, residents.scenarios - first);
        for (std::size_t region = 0; region < residents.regions; ++region) {
            const std::size_t row = region * residents.scenarios;
            sharing.lines[region] = lane_of(residents.lines + row, first, count, 0);
            sharing.touches[region] = lane_of(residents.touches + row, first, count, 0);
            sharing.rates[region] = lane_of(residents.rates + row, first, count, 0);
            const bool *out = residents.out + row + first;
            for (std::size_t i = 0; i < kLanes; ++i)
                sharing.out[region][i] = i < count && out[i] ? 1.0 : 0.0;
        }
        // Nothing is in the lanes that are left over, and it fits.
        Lane stays = lane_of(time, first, count, 0);
        sharing.find_time(lane_of(residents.capacity, first, count, 1), stays);
        store(stays, time, first, count);
        for (std::size_t region = 0; region < residents.regions; ++region) {
            Lane found;
            sharing.share(region, stays, found);
            store(found, shares + region * residents.scenarios, first, count);
        }
    }
}

} // namespace planecast::closedform
