#include "portable_math.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

TEST(Elementary, LogAgreesWithTheLibrary)
{
    for (double x = 1e-300; x < 1e300; x *= 1.7) {
        EXPECT_NEAR(log_of(x), std::log(x), 1e-14 * std::max(1.0, std::abs(std::log(x)))) << x;
    }
    for (double x = 0.5; x < 2; x += 1e-3) {
        EXPECT_NEAR(log_of(x), std::log(x), 2e-16) << x;
    }
    EXPECT_EQ(log_of(1), 0);
}

TEST(Elementary, ExpAgreesWithTheLibrary)
{
    for (double x = -690; x < 690; x += 0.37) {
        EXPECT_NEAR(exp_of(x) / std::exp(x), 1, 1e-12) << x;
    }
    EXPECT_EQ(exp_of(-1e9), 0);
    EXPECT_TRUE(std::isfinite(exp_of(1e9)));
}

TEST(Elementary, NormalQuantile)
{
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-8);
    EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-8);
    EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
}

TEST(Elementary, StudentQuantileOfTables)
{
    EXPECT_NEAR(student_quantile(0.95, 1), 12.7062, 1e-4);
    EXPECT_NEAR(student_quantile(0.95, 2), 4.302653, 1e-6);
    EXPECT_NEAR(student_quantile(0.99, 5), 4.032143, 1e-4);
    EXPECT_NEAR(student_quantile(0.95, 10), 2.228139, 1e-5);
    EXPECT_NEAR(student_quantile(0.99, 31), 2.744042, 1e-5);
    EXPECT_NEAR(student_quantile(0.95, 1e6), 1.959966, 1e-5);
}

} // namespace planecast::sim
