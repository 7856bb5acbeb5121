#include "random.hpp"

#include "portable_math.hpp"
#include "simd.hpp"

namespace planecast::sim
{

void LanedRandom::exponentials(double *out, std::size_t count)
{
    auto s0 = __builtin_bit_cast(BitLanes, state_[0]);
    auto s1 = __builtin_bit_cast(BitLanes, state_[1]);
    auto s2 = __builtin_bit_cast(BitLanes, state_[2]);
    auto s3 = __builtin_bit_cast(BitLanes, state_[3]);
    for (std::size_t base = 0; base < count; base += kLanes) {
        BitLanes sum = s0 + s3;
        BitLanes result = (sum << 23 | sum >> 41) + s0;
        BitLanes t = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= t;
        s3 = s3 << 45 | s3 >> 19;
        const DoubleLanes units =
            2.0 - __builtin_bit_cast(DoubleLanes, result >> 12 | 0x3ff0000000000000ULL);
        DoubleLanes logs;
        log_of<BitLanes>(units, logs);
        logs = -logs;
        std::memcpy(out + base, &logs, sizeof logs);
    }
    state_ = {__builtin_bit_cast(Row, s0), __builtin_bit_cast(Row, s1), __builtin_bit_cast(Row, s2),
              __builtin_bit_cast(Row, s3)};
}

} // namespace planecast::sim
