// The instants at which a source hands frames to the wire, a batch at a time.
#pragma once

#include "planecast/simulator/traffic_model.hpp"
#include "random.hpp"
#include "sampler.hpp"
#include "time.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace planecast::sim
{

class ArrivalProcess
{
  public:
    static constexpr std::size_t kBatch = 256;

    ArrivalProcess(const Arrivals &model, std::uint64_t seed);

    // The next instants, never going back. Empty when there are no more.
    std::span<const Ps> next_batch();

  private:
    std::size_t fill_constant();
    std::size_t fill_poisson();
    std::size_t fill_on_off();
    std::size_t fill_timestamps();

    const Arrivals &model_;
    Random random_;
    LanedRandom laned_;
    Sampler burst_;
    std::array<Ps, kBatch> times_{};
    std::array<double, kBatch> gaps_{};

    // The last instant: picoseconds and a 64-bit fraction, so that equal spacing never drifts.
    Ps now_ = 0;
    std::uint64_t fraction_ = 0;
    Ps period_ = 0;
    std::uint64_t period_fraction_ = 0;
    double mean_gap_ = 0; // picoseconds
    bool started_ = false;
    std::uint64_t left_ = 0; // packets of the current on-off burst
    double burst_gap_ = 0;   // picoseconds from one packet of a burst to the next
    std::size_t next_ = 0;   // timestamps
    Ps base_ = 0;            // timestamps: start of this repetition
};

} // namespace planecast::sim
