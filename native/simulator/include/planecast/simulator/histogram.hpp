// A latency histogram with HdrHistogram's layout: log-linear buckets, a fixed relative error.
//
// Values are whole nanoseconds. The index of a value is HdrHistogram's own (lowest value 1, the
// same significant digits), so counts convert one to one; tests do it both ways.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace planecast::sim
{

class Histogram
{
  public:
    explicit Histogram(unsigned digits = 3);

    // Inlined: runs once for each forwarded packet.
    void record(std::uint64_t value) { ++counts_[index(value)]; }
    // The same in two steps, of which a compiler makes vectors of the first: where a value below
    // 2^52 is counted, and to count there.
    std::uint64_t place(std::uint64_t value) const
    {
        // As a double, a number says itself which power of two it reaches.
        constexpr double kTwo52 = 4503599627370496.0;
        const double number =
            std::bit_cast<double>(value | sub_mask_ | std::bit_cast<std::uint64_t>(kTwo52)) -
            kTwo52;
        const std::uint64_t bucket =
            (std::bit_cast<std::uint64_t>(number) >> 52) - 1022 - sub_bits_;
        return (bucket << (sub_bits_ - 1)) + (value >> bucket);
    }
    void record_at(const std::uint64_t *places, std::size_t count)
    {
        std::uint64_t *const counts = counts_.data();
        for (std::size_t i = 0; i < count; ++i) {
            ++counts[places[i]];
        }
    }

    void add(const Histogram &other);
    void clear();

    // The highest value that is counted together with the one at this share of all (0 … 100).
    std::uint64_t percentile(double percent) const;
    std::uint64_t min() const;
    std::uint64_t max() const; // the highest value counted with the greatest
    std::uint64_t total() const;
    double mean() const; // of the middles of the buckets, as HdrHistogram has it

    struct Bar {
        std::uint64_t low;  // smallest value counted here
        std::uint64_t high; // largest
        std::uint64_t count;
    };
    std::vector<Bar> bars() const; // those with a count, upwards
    unsigned digits() const { return digits_; }

  private:
    std::size_t index(std::uint64_t value) const
    {
        // Which power of two above the first (linear) part, then the place within it.
        unsigned bucket =
            64U - static_cast<unsigned>(std::countl_zero(value | sub_mask_)) - sub_bits_;
        return (static_cast<std::size_t>(bucket) << (sub_bits_ - 1)) +
               static_cast<std::size_t>(value >> bucket);
    }
    std::uint64_t low(std::size_t index) const;
    std::uint64_t width(std::size_t index) const;

    unsigned digits_;
    unsigned sub_bits_;      // log2 of the values of the first part
    std::uint64_t sub_mask_; // its greatest value
    std::vector<std::uint64_t> counts_;
};

} // namespace planecast::sim
