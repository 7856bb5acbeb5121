// How a model describes itself: every struct lists its fields once, with what they may hold.
//
// The list serves four readers: validation (the message names the field), the Python module (a
// property a field), the fuzzer (random values in and out of range) and a person. A field that
// isn't in the list doesn't exist for any of them, so it can't be forgotten in one.
#pragma once

namespace planecast::sim
{

// The allowed values of a number, both ends included.
struct Range {
    double low;
    double high;
};

inline constexpr Range kAny{-1e300, 1e300};
inline constexpr Range kCount{0, 1e15};
inline constexpr Range kCycles{0, 1e12};
inline constexpr Range kRate{0, 1e12};    // packets or events a second; 0 often means no limit
inline constexpr Range kBitRate{0, 1e15}; // bit/s
inline constexpr Range kNanoseconds{0, 2.6e15}; // 30 days, see time.hpp
inline constexpr Range kShare{0, 1};

} // namespace planecast::sim
