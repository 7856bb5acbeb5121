// Random numbers: xoshiro256++ (Blackman & Vigna), seeded through splitmix64, one stream a purpose.
//
// Own code instead of <random>, whose distributions may differ between standard libraries. The
// laned variant steps eight generators at once; shifts, additions and exclusive ors vectorise on
// any machine.
#pragma once

#include "simd.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace planecast::sim
{

inline std::uint64_t splitmix(std::uint64_t &state)
{
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// A stream is named by the model's seed, what it is for and whose it is: no two share a sequence.
enum class Purpose : std::uint64_t { arrivals = 1, traffic, service, disturbance, device };

inline std::uint64_t stream_seed(std::uint64_t seed, Purpose purpose, std::uint64_t owner)
{
    std::uint64_t state = seed;
    state = splitmix(state) ^ (static_cast<std::uint64_t>(purpose) << 56) ^ owner;
    return splitmix(state);
}

class Random
{
  public:
    explicit Random(std::uint64_t seed)
    {
        for (auto &word : state_) {
            word = splitmix(seed);
        }
    }

    std::uint64_t bits()
    {
        std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // In (0, 1]: safe under a logarithm.
    double unit() { return 2.0 - std::bit_cast<double>((bits() >> 12) | 0x3ff0000000000000ULL); }

    // 0 … n−1, by multiplication; n < 2^32, so the bias is below 2^-32.
    std::uint32_t below(std::uint32_t n)
    {
        return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32);
    }

  private:
    std::array<std::uint64_t, 4> state_;
};

class LanedRandom
{
  public:
    explicit LanedRandom(std::uint64_t seed)
    {
        for (auto &row : state_) {
            for (auto &word : row) {
                word = splitmix(seed);
            }
        }
    }

    // Fills out[0 … count−1], count a multiple of kLanes, with −log of uniforms in (0, 1].
    void exponentials(double *out, std::size_t count);

  private:
    using Row = std::array<std::uint64_t, kLanes>;
    std::array<Row, 4> state_;
};

} // namespace planecast::sim
