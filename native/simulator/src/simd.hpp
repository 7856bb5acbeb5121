// Eight 64-bit numbers side by side, as the compiler's own vector: one AVX-512 register, two of
// AVX2, four of SSE2. Loops that carry a number from one turn to the next no compiler finds vectors
// in, and others it unrolls before it looks for them.
//
// Integers alone, or doubles that are added, multiplied and divided lane by lane: the same bytes on
// any instruction set. No function takes or returns one: how would depend on the instruction set.
#pragma once

#include "time.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace planecast::sim
{

inline constexpr std::size_t kLanes = 8;

using BitLanes [[gnu::vector_size(8 * kLanes)]] = std::uint64_t;
using PsLanes [[gnu::vector_size(8 * kLanes)]] = Ps;
using DoubleLanes [[gnu::vector_size(8 * kLanes)]] = double;

} // namespace planecast::sim
