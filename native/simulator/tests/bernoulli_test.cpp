#include "bernoulli.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

TEST(Bernoulli, HappensAsOftenAsItShould)
{
    for (double probability : {1e-3, 0.1, 0.5, 0.97}) {
        Bernoulli bernoulli(probability);
        Random random(11);
        double hits = 0;
        double all = 0;
        for (std::size_t count = 1; all < 2e6; count = count % 32 + 1) {
            bernoulli.each(count, random, [&](std::size_t i) {
                EXPECT_LT(i, count);
                ++hits;
            });
            all += static_cast<double>(count);
        }
        EXPECT_NEAR(hits / all, probability, 4 * std::sqrt(probability / all)) << probability;
    }
}

TEST(Bernoulli, NeverAndAlways)
{
    Random random(1);
    int hits = 0;
    Bernoulli(0).each(1000, random, [&](std::size_t) { ++hits; });
    EXPECT_EQ(hits, 0);
    Bernoulli always(1);
    always.each(7, random, [&](std::size_t) { ++hits; });
    always.each(3, random, [&](std::size_t) { ++hits; });
    EXPECT_EQ(hits, 10);
}

TEST(Bernoulli, TinyProbabilitiesDoNotOverflow)
{
    Random random(1);
    Bernoulli rare(1e-18);
    int hits = 0;
    for (int i = 0; i < 1000; ++i) {
        rare.each(4096, random, [&](std::size_t) { ++hits; });
    }
    EXPECT_EQ(hits, 0);
}

} // namespace planecast::sim
