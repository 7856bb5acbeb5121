/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of stack distances: each distance below 16 by itself, above that eight bins an octave.
 */
#ifndef PLANECAST_TRACE_HISTOGRAM_HPP
#define PLANECAST_TRACE_HISTOGRAM_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace planecast
{

constexpr uint64_t EXACT = 16;
constexpr unsigned SUB_BITS = 3;
constexpr size_t BINS = EXACT + (40 - 4) * (1u << SUB_BITS);

/* The bin of a distance below 2^40. */
inline size_t bin_of(uint64_t distance)
{
    if (distance < EXACT)
        return static_cast<size_t>(distance);
    const unsigned octave = std::bit_width(distance) - 1;
    const uint64_t part = (distance >> (octave - SUB_BITS)) & ((1u << SUB_BITS) - 1);
    return static_cast<size_t>(EXACT + (octave - 4) * (1u << SUB_BITS) + part);
}

/* The smallest distance of a bin. */
inline uint64_t bin_start(size_t bin)
{
    if (bin < EXACT)
        return bin;
    const size_t above = bin - EXACT;
    const unsigned octave = 4 + static_cast<unsigned>(above >> SUB_BITS);
    const uint64_t part = above & ((1u << SUB_BITS) - 1);
    return (1ull << octave) + (part << (octave - SUB_BITS));
}

struct Touches {
    uint64_t count = 0;
    uint64_t cold = 0; /* never touched before */
    std::array<uint64_t, BINS> bins{};
};

} // namespace planecast

#endif
