#include "batches.hpp"

#include "elementary.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

Totals difference(const Totals &a, const Totals &b)
{
    Totals d = a;
    d.offered -= b.offered;
    d.forwarded -= b.forwarded;
    d.bytes -= b.bytes;
    d.dropped -= b.dropped;
    d.latency -= b.latency;
    for (std::size_t i = 0; i < d.bursts.size(); ++i) {
        d.bursts[i] -= b.bursts[i];
        d.packets[i] -= b.packets[i];
    }
    return d;
}

void add(Totals &to, const Totals &from)
{
    to.offered += from.offered;
    to.forwarded += from.forwarded;
    to.bytes += from.bytes;
    to.dropped += from.dropped;
    to.latency += from.latency;
    for (std::size_t i = 0; i < to.bursts.size(); ++i) {
        to.bursts[i] += from.bursts[i];
        to.packets[i] += from.packets[i];
    }
}

void Batches::end_batch(const Totals &now, const Totals &previous)
{
    batches_.push_back(difference(now, previous));
    if (batches_.size() == 2 * at_most_) {
        for (std::size_t i = 0; i < at_most_; ++i) {
            Totals merged = batches_[2 * i];
            sim::add(merged, batches_[2 * i + 1]);
            batches_[i] = std::move(merged);
        }
        batches_.resize(at_most_);
        length_ = later(length_, length_);
    }
    next_ = later(next_, length_);
}

void Batches::add(const Batches &other)
{
    for (std::size_t i = 0; i < std::min(batches_.size(), other.batches_.size()); ++i) {
        sim::add(batches_[i], other.batches_[i]);
    }
}

Estimate Batches::ratio(double confidence, const Reader &upper, const Reader &lower) const
{
    double uppers = 0;
    double lowers = 0;
    for (const Totals &batch : batches_) {
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
    for (const Totals &batch : batches_) {
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
    return ratio(confidence, what, [seconds](const Totals &) { return seconds; });
}

} // namespace planecast::sim
