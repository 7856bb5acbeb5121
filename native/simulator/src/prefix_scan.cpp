#include "prefix_scan.hpp"

#include "simd.hpp"

#include <algorithm>

namespace planecast::sim
{

Ps add_up(const Ps *gaps, std::size_t count, Ps from, Ps *out)
{
    constexpr PsLanes kNone{};
    PsLanes before = kNone + from; // the last eight's last, in every lane
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        PsLanes sum;
        std::memcpy(&sum, gaps + i, sizeof sum);
        sum += __builtin_shufflevector(sum, kNone, 8, 0, 1, 2, 3, 4, 5, 6);
        sum += __builtin_shufflevector(sum, kNone, 8, 8, 0, 1, 2, 3, 4, 5);
        sum += __builtin_shufflevector(sum, kNone, 8, 8, 8, 8, 0, 1, 2, 3);
        PsLanes all = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
        sum += before;
        before += all;
        std::memcpy(out + i, &sum, sizeof sum);
    }
    from = before[0];
    for (; i < count; ++i) {
        out[i] = from += gaps[i];
    }
    return from;
}

Ps serve_in_order(const Ps *in, std::size_t count, Ps delay, Ps free, Ps service, Ps *out)
{
    // Done is the latest over all before of their coming, and all services since. Counted from the
    // first of eight, so that their services are a row that never changes.
    const PsLanes services = PsLanes{0, 1, 2, 3, 4, 5, 6, 7} * service;
    const PsLanes coming = delay - services;
    const PsLanes done = services + service;
    const Ps all_services = static_cast<Ps>(kLanes) * service;
    PsLanes server = PsLanes{} + free;
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        PsLanes start;
        std::memcpy(&start, in + i, sizeof start);
        start += coming;
        PsLanes other = __builtin_shufflevector(start, start, 0, 0, 1, 2, 3, 4, 5, 6);
        start = start > other ? start : other;
        other = __builtin_shufflevector(start, start, 0, 1, 0, 1, 2, 3, 4, 5);
        start = start > other ? start : other;
        other = __builtin_shufflevector(start, start, 0, 1, 2, 3, 0, 1, 2, 3);
        start = start > other ? start : other;
        // What the next eight wait for is short: the latest of these, and the server.
        other = __builtin_shufflevector(start, start, 7, 7, 7, 7, 7, 7, 7, 7);
        start = start > server ? start : server;
        server = (other > server ? other : server) + all_services;
        start += done;
        std::memcpy(out + i, &start, sizeof start);
    }
    free = server[0];
    for (; i < count; ++i) {
        out[i] = free = std::max(in[i] + delay, free) + service;
    }
    return free;
}

} // namespace planecast::sim
