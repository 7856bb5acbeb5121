// Exponentials and logarithms in registers, against the library's.
#include "lane.hpp"

#include <gtest/gtest.h>

#include <cmath>

using planecast::model::exp_of;
using planecast::model::kGone;
using planecast::model::log_of;
using planecast::model::power_of;
using planecast::model::Vector;

namespace
{

Vector all(double of)
{
    return Vector{} + of;
}

TEST(Lane, AnExponentialIsExactOverTheWholeRange)
{
    for (double x = -700; x <= 700; x += 0.0371)
        ASSERT_NEAR(exp_of(all(x))[0] / std::exp(x), 1.0, 2e-13) << x;
    EXPECT_EQ(exp_of(all(0))[0], 1.0);
}

TEST(Lane, ALogarithmIsExactForSmallAndLargeNumbers)
{
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        ASSERT_NEAR(log_of(all(x))[0], std::log(x), 4e-16 * std::abs(std::log(x)) + 1e-16) << x;
    for (double x = 0.5; x < 2; x += 0.001) // about one, where it is small
        ASSERT_NEAR(log_of(all(x))[0], std::log(x), 4e-16) << x;
    EXPECT_EQ(log_of(all(1))[0], 0.0);
}

TEST(Lane, APowerOfAShareIsTheLibrarys)
{
    for (const double share : {1e-9, 0.01, 0.3, 0.99, 1.0})
        for (const double exponent : {0.2, 1.0, 5.5, 16.0})
            EXPECT_NEAR(power_of(all(share), all(exponent))[0] / std::pow(share, exponent), 1.0,
                        1e-12);
    EXPECT_LT(power_of(all(0), all(1e6))[0], std::exp(0.99 * -kGone)); // nothing, and a number
}

} // namespace
