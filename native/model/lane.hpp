// A number of each of some scenarios side by side, and the registers that it fills.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace planecast::model
{

inline constexpr std::size_t kLanes = 16; // scenarios that are iterated together: as many numbers
                                          // of each region as a first-level cache holds

inline constexpr double kGone = 600;         // exp(-600) is nothing, and no special case
inline constexpr double kLeastShare = 1e-12; // it has a logarithm

// As many lanes as one register of this machine has: sums of many terms stay in them. (GCC keeps a
// vector that is longer than a register in memory, stored in halves and read as a whole: a stall.)
#ifdef __AVX512F__
inline constexpr std::size_t kRegister = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kRegister = 32;
#else
inline constexpr std::size_t kRegister = 16;
#endif
using Vector [[gnu::vector_size(kRegister)]] = double;
inline constexpr std::size_t kWidth = kRegister / sizeof(double);
inline constexpr std::size_t kVectors = kLanes / kWidth;
static_assert(kLanes % kWidth == 0);

struct alignas(64) Lane : std::array<double, kLanes> {
    // The lanes of one of its registers.
    Vector part(std::size_t vector) const
    {
        Vector found;
        std::memcpy(&found, data() + vector * kWidth, sizeof(found));
        return found;
    }
    void set_part(std::size_t vector, const Vector &to)
    {
        std::memcpy(data() + vector * kWidth, &to, sizeof(to));
    }
};

// A number of each scenario, or one for all of them.
struct Row {
    Row(const double *of_each) : numbers(of_each) {}
    Row(double of_all) : every(of_all) {}

    const double *numbers = nullptr;
    double every = 0;
};

using Rows = std::vector<Row>; // one a region

// A row from `first` on, `count` of kLanes; the others get `rest`.
inline Lane lane_of(const Row &row, std::size_t first, std::size_t count, double rest)
{
    Lane found;
    if (count < kLanes)
        found.fill(rest);
    if (row.numbers == nullptr)
        std::fill_n(found.begin(), count, row.every);
    else
        std::memcpy(found.data(), row.numbers + first, count * sizeof(double));
    return found;
}

inline void store(const Lane &lane, double *row, std::size_t first, std::size_t count)
{
    std::memcpy(row + first, lane.data(), count * sizeof(double));
}

using Vectors = std::array<Vector, kVectors>; // a Lane in registers
inline constexpr Vector kZero{}, kOne = Vector{} + 1.0;

inline Vector least(const Vector &a, const Vector &b)
{
    return a < b ? a : b;
}
inline Vector most(const Vector &a, const Vector &b)
{
    return a > b ? a : b;
}

using HalfInts [[gnu::vector_size(kRegister / 2)]] = std::int32_t;
using Ints [[gnu::vector_size(kRegister)]] = std::int64_t;

template <typename To, typename From> To same_bits(const From &from)
{
    To found;
    static_assert(sizeof(found) == sizeof(from));
    std::memcpy(&found, &from, sizeof(found));
    return found;
}

// The exponential of numbers from -700 to 700, within some units in the last place: a power of two,
// and the series of what is left. (A call of the library takes three times as long.)
inline Vector exp_of(const Vector &of)
{
    constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.69314718055994531;
    const Vector twos = of * kLog2E;
    const HalfInts power = __builtin_convertvector(twos > 0.0 ? twos + 0.5 : twos - 0.5, HalfInts);
    const Vector left = of - __builtin_convertvector(power, Vector) * kLn2;
    Vector sum = kOne;
    for (int term = 11; term > 0; --term)
        sum = 1.0 + sum * left * (1.0 / term);
    return sum * same_bits<Vector>((__builtin_convertvector(power, Ints) + 1023) << 52);
}

// The natural logarithm of positive numbers, as exactly: by the series of (m - 1) / (m + 1), where
// m is what is left of a power of two.
inline Vector log_of(const Vector &of)
{
    constexpr double kLn2 = 0.69314718055994531;
    constexpr std::int64_t kMiddle = 0x3fe6a09e667f3bcd; // the square root of one half
    const Ints above = same_bits<Ints>(of) - kMiddle, power = above >> 52;
    const Vector left = same_bits<Vector>(same_bits<Ints>(of) - (power << 52));
    const Vector s = (left - 1.0) / (left + 1.0), square = s * s;
    Vector sum = kZero;
    for (int term = 19; term > 0; term -= 2)
        sum = sum * square + 2.0 / term;
    const Vector twos = __builtin_convertvector(__builtin_convertvector(power, HalfInts), Vector);
    return twos * kLn2 + s * sum;
}

// A share to the power of a positive number.
inline Vector power_of(const Vector &share, const Vector &exponent)
{
    const Vector logarithm = log_of(most(share, Vector{} + kLeastShare));
    return exp_of(most(exponent * logarithm, Vector{} - kGone));
}

} // namespace planecast::model
