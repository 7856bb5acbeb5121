#include "sampler.hpp"

#include "portable_math.hpp"

#include <cmath>
#include <numeric>

namespace planecast::sim
{

Alias::Alias(const std::vector<double> &weights)
    : threshold_(weights.size()), other_(weights.size())
{
    double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
        threshold_[i] = weights[i] / total * static_cast<double>(weights.size());
        other_[i] = i;
        (threshold_[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
        std::uint32_t little = small.back();
        std::uint32_t much = large.back();
        small.pop_back();
        other_[little] = much;
        threshold_[much] -= 1 - threshold_[little];
        if (threshold_[much] < 1) {
            large.pop_back();
            small.push_back(much);
        }
    }
    for (std::uint32_t i : small) { // what rounding left over
        threshold_[i] = 1;
    }
}

Sampler::Sampler(const Distribution &d) : kind_(d.kind), mean_(d.mean)
{
    if (kind_ == DistributionKind::lognormal) {
        if (d.cv == 0 || d.mean == 0) {
            kind_ = DistributionKind::constant;
            return;
        }
        double variance = log_of(1 + d.cv * d.cv);
        sigma_ = std::sqrt(variance);
        mu_ = log_of(d.mean) - variance / 2;
    }
}

double Sampler::draw_random(Random &random) const
{
    switch (kind_) {
    case DistributionKind::exponential:
        return -mean_ * log_of(random.unit());
    case DistributionKind::lognormal:
        return exp_of(mu_ + sigma_ * normal_quantile(random.unit()));
    case DistributionKind::constant:
        break;
    }
    return mean_;
}

} // namespace planecast::sim
