// log, exp and the normal quantile from additions, multiplications and divisions alone.
//
// The C library's versions differ between machines by an ulp; with these, and without fused
// multiply-add (-ffp-contract=off), the same seed gives the same bytes everywhere. They are inline
// and free of branches, so that loops over arrays vectorise.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace planecast::sim
{

// Natural logarithm of a finite x ≥ 2^-1022. Relative error below 1e-15. `Real` and `Bits`: double
// and std::uint64_t, or lanes of them (which no function may return).
template <class Bits, class Real> inline void log_of(const Real &x, Real &result)
{
    constexpr double kLn2 = 0.6931471805599453094;
    constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdULL;
    constexpr double kTwo52 = 4503599627370496.0;
    // Write x = 2^e · m with m in [√½, √2).
    const Bits shifted = __builtin_bit_cast(Bits, x) - kSqrtHalf + (1023ULL << 52);
    // Exponent to double without an integer conversion, which SSE2 lacks for 64 bits.
    const Real exponent =
        __builtin_bit_cast(Real, (shifted >> 52) | std::bit_cast<std::uint64_t>(kTwo52)) -
        (kTwo52 + 1023.0);
    const Real m = __builtin_bit_cast(Real, (shifted & 0xfffffffffffffULL) + kSqrtHalf);
    // log m = 2·atanh s, s = (m−1)/(m+1), |s| < 0.1716.
    const Real s = (m - 1.0) / (m + 1.0);
    const Real z = s * s;
    Real series = z * (1.0 / 19) + 1.0 / 17;
    series = series * z + 1.0 / 15;
    series = series * z + 1.0 / 13;
    series = series * z + 1.0 / 11;
    series = series * z + 1.0 / 9;
    series = series * z + 1.0 / 7;
    series = series * z + 1.0 / 5;
    series = series * z + 1.0 / 3;
    series = series * z;
    result = exponent * kLn2 + (2.0 * s + 2.0 * s * series);
}

inline double log_of(double x)
{
    double result;
    log_of<std::uint64_t>(x, result);
    return result;
}

// e^x; 0 below −700, e^700 above 700.
inline double exp_of(double x)
{
    constexpr double kLn2 = 0.6931471805599453094;
    if (x < -700) {
        return 0;
    }
    x = x > 700 ? 700 : x;
    double k = std::floor(x / kLn2 + 0.5);
    double r = x - k * kLn2; // |r| < 0.35
    double sum = 1;
    for (int i = 14; i > 0; --i) {
        sum = 1 + sum * r / i;
    }
    auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
    return sum * std::bit_cast<double>(bits);
}

// The normal distribution's quantile; Acklam's rational approximation, relative error 1.2e-9.
double normal_quantile(double probability);

// Student's t quantile for a two-sided interval: P(|T| ≤ result) = confidence.
double student_quantile(double confidence, double freedom);

} // namespace planecast::sim
