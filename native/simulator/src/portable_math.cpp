#include "portable_math.hpp"

#include <array>

namespace planecast::sim
{

namespace
{

double polynomial(const double *coefficients, int count, double x)
{
    double sum = coefficients[0];
    for (int i = 1; i < count; ++i) {
        sum = sum * x + coefficients[i];
    }
    return sum;
}

} // namespace

double normal_quantile(double p)
{
    static constexpr std::array<double, 6> a = {-3.969683028665376e+01, 2.209460984245205e+02,
                                                -2.759285104469687e+02, 1.383577518672690e+02,
                                                -3.066479806614716e+01, 2.506628277459239e+00};
    static constexpr std::array<double, 6> b = {-5.447609879822406e+01, 1.615858368580409e+02,
                                                -1.556989798598866e+02, 6.680131188771972e+01,
                                                -1.328068155288572e+01, 1.0};
    static constexpr std::array<double, 6> c = {-7.784894002430293e-03, -3.223964580411365e-01,
                                                -2.400758277161838e+00, -2.549732539343734e+00,
                                                4.374664141464968e+00,  2.938163982698783e+00};
    static constexpr std::array<double, 5> d = {7.784695709041462e-03, 3.224671290700398e-01,
                                                2.445134137142996e+00, 3.754408661907416e+00, 1.0};
    constexpr double kTail = 0.02425;
    p = p < 1e-300 ? 1e-300 : p;
    p = p > 1 - 1e-16 ? 1 - 1e-16 : p;
    if (p < kTail || p > 1 - kTail) {
        double q = std::sqrt(-2 * log_of(p < kTail ? p : 1 - p));
        double x = polynomial(c.data(), 6, q) / polynomial(d.data(), 5, q);
        return p < kTail ? x : -x;
    }
    double q = p - 0.5;
    double r = q * q;
    return polynomial(a.data(), 6, r) * q / polynomial(b.data(), 6, r);
}

// Hill's expansion (CACM algorithm 396) in the form that R uses; exact for 1 and 2 degrees.
double student_quantile(double confidence, double freedom)
{
    double p = 1 - confidence; // both tails
    if (freedom < 1.5) {
        double angle = p * 1.57079632679489662;
        return std::cos(angle) / std::sin(angle);
    }
    if (freedom < 2.5) {
        return std::sqrt(2 / (p * (2 - p)) - 2);
    }
    double a = 1 / (freedom - 0.5);
    double b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * std::sqrt(a * 1.57079632679489662) * freedom;
    double y = exp_of(2 / freedom * log_of(d * p));
    if (y > 0.05 + a) {
        double x = normal_quantile(p / 2);
        y = x * x;
        if (freedom < 5) {
            c += 0.3 * (freedom - 4.5) * (x + 0.6);
        }
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = a * y * y;
        y = y > 0.1 ? exp_of(y) - 1 : y * (1 + y * (0.5 + y * (1.0 / 6 + y / 24)));
    } else {
        y = ((1 / (((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3) +
              0.5 / (freedom + 4)) *
                 y -
             1) *
                (freedom + 1) / (freedom + 2) +
            1 / y;
    }
    return std::sqrt(freedom * y);
}

} // namespace planecast::sim
