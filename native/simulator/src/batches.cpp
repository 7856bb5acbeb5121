#include "batches.hpp"

#include "portable_math.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace planecast::sim
{

void Batches::end_batch(const Snapshot &now, const Snapshot &previous)
{
    batches_.push_back(now);
    batches_.back() -= previous;
    if (batches_.size() == 2 * at_most_) {
        for (std::size_t i = 0; i < at_most_; ++i) {
            batches_[2 * i] += batches_[2 * i + 1];
            std::swap(batches_[i], batches_[2 * i]);
        }
        batches_.resize(at_most_);
        length_ = later(length_, length_);
    }
    next_ = later(next_, length_);
}

void Batches::add(const Batches &other)
{
    for (std::size_t i = 0; i < std::min(batches_.size(), other.batches_.size()); ++i) {
        batches_[i] += other.batches_[i];
    }
}

Estimate Batches::ratio(double confidence, const Reader &upper, const Reader &lower) const
{
    double uppers = 0;
    double lowers = 0;
    for (const Snapshot &batch : batches_) {
        uppers += upper(batch);
        lowers += lower(batch);
    }
    Estimate estimate;
    estimate.samples = batches_.size();
    if (lowers <= 0) {
        return estimate;
    }
    double value = uppers / lowers;
    auto n = static_cast<double>(batches_.size());
    double squares = 0;
    for (const Snapshot &batch : batches_) {
        double residual = upper(batch) - value * lower(batch);
        squares += residual * residual;
    }
    double half = 0;
    if (batches_.size() > 1) {
        half =
            student_quantile(confidence, n - 1) * std::sqrt(squares / (n - 1) / n) / (lowers / n);
    }
    estimate.value = value;
    estimate.low = std::max(0.0, value - half); // nothing that is estimated can be negative
    estimate.high = value + half;
    return estimate;
}

Estimate Batches::rate(double confidence, const Reader &what) const
{
    double seconds = static_cast<double>(length_) * 1e-12;
    return ratio(confidence, what, [seconds](const Snapshot &) { return seconds; });
}

} // namespace planecast::sim
