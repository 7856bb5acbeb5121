#include "random.hpp"

#include "elementary.hpp"

#include <cstring>

namespace planecast::sim
{

namespace
{

// A row of lanes as the compiler's own vector: a loop over eight lanes it unrolls before it looks
// for vectors, and then finds none. No function takes or returns one: how would depend on the
// instruction set.
using Lanes [[gnu::vector_size(sizeof(std::uint64_t) * LanedRandom::kLanes)]] = std::uint64_t;
using Units [[gnu::vector_size(sizeof(double) * LanedRandom::kLanes)]] = double;

} // namespace

void LanedRandom::exponentials(double *out, std::size_t count)
{
    auto s0 = __builtin_bit_cast(Lanes, state_[0]);
    auto s1 = __builtin_bit_cast(Lanes, state_[1]);
    auto s2 = __builtin_bit_cast(Lanes, state_[2]);
    auto s3 = __builtin_bit_cast(Lanes, state_[3]);
    for (std::size_t base = 0; base < count; base += kLanes) {
        Lanes sum = s0 + s3;
        Lanes result = (sum << 23 | sum >> 41) + s0;
        Lanes t = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= t;
        s3 = s3 << 45 | s3 >> 19;
        Units units = 2.0 - __builtin_bit_cast(Units, result >> 12 | 0x3ff0000000000000ULL);
        std::memcpy(out + base, &units, sizeof units);
    }
    state_ = {__builtin_bit_cast(Row, s0), __builtin_bit_cast(Row, s1), __builtin_bit_cast(Row, s2),
              __builtin_bit_cast(Row, s3)};
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = -log_of(out[i]);
    }
}

} // namespace planecast::sim
