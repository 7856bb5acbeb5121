#include "random.hpp"

#include "elementary.hpp"

namespace planecast::sim
{

void LanedRandom::exponentials(double *out, std::size_t count)
{
    auto [s0, s1, s2, s3] = state_;
    for (std::size_t base = 0; base < count; base += kLanes) {
        for (std::size_t i = 0; i < kLanes; ++i) {
            std::uint64_t result = std::rotl(s0[i] + s3[i], 23) + s0[i];
            std::uint64_t t = s1[i] << 17;
            s2[i] ^= s0[i];
            s3[i] ^= s1[i];
            s1[i] ^= s2[i];
            s0[i] ^= s3[i];
            s2[i] ^= t;
            s3[i] = std::rotl(s3[i], 45);
            out[base + i] = 2.0 - std::bit_cast<double>((result >> 12) | 0x3ff0000000000000ULL);
        }
    }
    state_ = {s0, s1, s2, s3};
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = -log_of(out[i]);
    }
}

} // namespace planecast::sim
