// Estimates with intervals, from batch means: the run cut into intervals of equal length.
//
// When the list is full, neighbours are merged and the length doubles, so a run of any length takes
// the same memory, and batches grow long enough to be nearly independent.
#pragma once

#include "planecast/simulator/results.hpp"
#include "snapshot.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace planecast::sim
{

class Batches
{
  public:
    Batches(Ps start, Ps length, std::size_t at_most)
        : at_most_(at_most), length_(length), next_(later(start, length))
    {
    }

    Ps next() const { return next_; }
    void end_batch(const Snapshot &now, const Snapshot &previous);
    // Adds another thread's batches, cut at the same instants.
    void add(const Batches &other);

    std::size_t count() const { return batches_.size(); }

    using Reader = std::function<double(const Snapshot &)>;
    // Σ upper / Σ lower over the batches, with the interval of a ratio estimator.
    Estimate ratio(double confidence, const Reader &upper, const Reader &lower) const;
    // Σ of `what` a second.
    Estimate rate(double confidence, const Reader &what) const;

  private:
    std::size_t at_most_;
    Ps length_;
    Ps next_;
    std::vector<Snapshot> batches_; // differences
};

} // namespace planecast::sim
