// Simulated time: whole picoseconds in 63 bits.
//
// A cycle of a 3 GHz core is 333 ps, so nanoseconds would be too coarse. 2^62 ps are 53 days; a run
// lasts 30 at most (validated), and everything later than 2^62 − 1 is kept there as "never": two
// such times still add without overflow.
#pragma once

#include <cstdint>

namespace planecast::sim
{

using Ps = std::int64_t;
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

inline constexpr Ps kNever = (Ps{1} << 62) - 1;

inline Ps later(Ps time, Ps delay)
{
    Ps sum = time + delay;
    return sum < kNever ? sum : kNever;
}

// Sums of two instants or delays below this are instants: no later() is needed.
inline constexpr Ps kNear = kNever / 4;
// And so many delays below kNear / kNearRow, one after another, stay below it.
inline constexpr Ps kNearRow = 4096;

// Rounds; never negative; kNever for what doesn't fit.
inline Ps ps_from(double picoseconds)
{
    if (!(picoseconds > 0)) {
        return 0;
    }
    return picoseconds < static_cast<double>(kNever) ? static_cast<Ps>(picoseconds + 0.5) : kNever;
}

inline Ps ps_from_ns(double nanoseconds)
{
    return ps_from(nanoseconds * 1e3);
}

inline double ns_from(Ps time)
{
    return static_cast<double>(time) * 1e-3;
}

} // namespace planecast::sim
