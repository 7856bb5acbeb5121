// Something that befalls a packet with a fixed probability.
//
// Counts down to the next packet that it befalls (a geometric gap), so that rare things cost
// nothing for the packets between.
#pragma once

#include "portable_math.hpp"
#include "random.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace planecast::sim
{

class Bernoulli
{
  public:
    explicit Bernoulli(double probability = 0)
        : probability_(probability),
          scale_(probability > 0 && probability < 1 ? 1 / log_of_rest(probability) : 0)
    {
    }

    bool possible() const { return probability_ > 0; }

    // Calls hit(i) for each of the next `count` packets that it befalls, i from 0.
    template <class Hit> void each(std::size_t count, Random &random, Hit hit)
    {
        if (!possible()) {
            return;
        }
        if (next_ == kUnknown) {
            next_ = gap(random);
        }
        while (next_ < count) {
            hit(static_cast<std::size_t>(next_));
            next_ += 1 + gap(random);
        }
        next_ -= count;
    }

  private:
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    // log(1 − p), also where 1 − p would round.
    static double log_of_rest(double p)
    {
        return p < 1e-4 ? -p * (1 + p * (0.5 + p / 3)) : log_of(1 - p);
    }

    // Packets that are saved before the next one.
    std::uint64_t gap(Random &random) const
    {
        if (probability_ >= 1) {
            return 0;
        }
        double packets = std::floor(log_of(random.unit()) * scale_);
        return packets < 1e18 ? static_cast<std::uint64_t>(packets) : std::uint64_t{1} << 60;
    }

    double probability_;
    double scale_;
    std::uint64_t next_ = kUnknown;
};

} // namespace planecast::sim
