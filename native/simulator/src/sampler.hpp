// Draws from a Distribution.
#pragma once

#include "planecast/simulator/distribution_model.hpp"
#include "random.hpp"

#include <cstdint>
#include <vector>

namespace planecast::sim
{

// Weighted choice in constant time: Vose's alias method.
class Alias
{
  public:
    Alias() = default;
    explicit Alias(const std::vector<double> &weights);

    std::uint32_t pick(Random &random) const
    {
        auto n = static_cast<std::uint32_t>(threshold_.size());
        std::uint32_t i = random.below(n);
        return random.unit() <= threshold_[i] ? i : other_[i];
    }
    bool empty() const { return threshold_.empty(); }

  private:
    std::vector<double> threshold_;
    std::vector<std::uint32_t> other_;
};

class Sampler
{
  public:
    Sampler() = default;
    explicit Sampler(const Distribution &distribution);

    bool constant() const { return kind_ == DistributionKind::constant; }
    double mean() const { return mean_; }
    double draw(Random &random) const { return constant() ? mean_ : draw_random(random); }

  private:
    double draw_random(Random &random) const;

    DistributionKind kind_ = DistributionKind::constant;
    double mean_ = 0;
    double mu_ = 0; // lognormal: of the logarithm
    double sigma_ = 0;
};

} // namespace planecast::sim
