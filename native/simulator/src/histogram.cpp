#include "planecast/simulator/histogram.hpp"

#include <algorithm>
#include <numeric>

namespace planecast::sim
{

namespace
{

// Smallest power of two that holds 2·10^digits values: the first part counts those one by one.
unsigned sub_bits(unsigned digits)
{
    std::uint64_t largest = 2;
    for (unsigned i = 0; i < digits; ++i) {
        largest *= 10;
    }
    return static_cast<unsigned>(std::bit_width(largest - 1));
}

} // namespace

Histogram::Histogram(unsigned digits)
    : digits_(digits), sub_bits_(sub_bits(digits)), sub_mask_((std::uint64_t{1} << sub_bits_) - 1),
      counts_(index((std::uint64_t{1} << 53) - 1) + 1) // 2^62 ps, the end of time, are less
{
}

void Histogram::add(const Histogram &other)
{
    std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(),
                   std::plus<>());
}

void Histogram::clear()
{
    std::fill(counts_.begin(), counts_.end(), 0);
}

std::uint64_t Histogram::low(std::size_t index) const
{
    std::size_t half = std::size_t{1} << (sub_bits_ - 1);
    std::size_t bucket = index < 2 * half ? 0 : index / half - 1;
    return static_cast<std::uint64_t>(index - bucket * half) << bucket;
}

std::uint64_t Histogram::width(std::size_t index) const
{
    std::size_t half = std::size_t{1} << (sub_bits_ - 1);
    return std::uint64_t{1} << (index < 2 * half ? 0 : index / half - 1);
}

std::uint64_t Histogram::total() const
{
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t Histogram::percentile(double percent) const
{
    auto all = total();
    double wanted = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(all);
    auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted + 0.5));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen >= rank) {
            return low(i) + width(i) - 1;
        }
    }
    return 0;
}

std::uint64_t Histogram::min() const
{
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] != 0) {
            return low(i);
        }
    }
    return 0;
}

std::uint64_t Histogram::max() const
{
    for (std::size_t i = counts_.size(); i-- > 0;) {
        if (counts_[i] != 0) {
            return low(i) + width(i) - 1;
        }
    }
    return 0;
}

double Histogram::mean() const
{
    double sum = 0;
    double all = 0;
    for (const Bar &bar : bars()) {
        sum += static_cast<double>(bar.count) *
               static_cast<double>(bar.low + (bar.high - bar.low + 1) / 2);
        all += static_cast<double>(bar.count);
    }
    return all > 0 ? sum / all : 0;
}

std::vector<Histogram::Bar> Histogram::bars() const
{
    std::vector<Bar> result;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] != 0) {
            result.push_back({low(i), low(i) + width(i) - 1, counts_[i]});
        }
    }
    return result;
}

} // namespace planecast::sim
