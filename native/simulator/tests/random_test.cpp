#include "random.hpp"
#include "sampler.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace planecast::sim
{

namespace
{

struct Moments {
    double mean;
    double deviation;
};

template <class Draw> Moments moments(Draw draw, int count = 400000)
{
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; ++i) {
        double x = draw();
        sum += x;
        squares += x * x;
    }
    double mean = sum / count;
    return {mean, std::sqrt(squares / count - mean * mean)};
}

} // namespace

// xoshiro256++'s reference output for the state 1, 2, 3, 4 begins 41943041, 58720359: with a seeded
// state the sequence is ours, and a change of it changes every result.
TEST(Random, SequenceIsPinned)
{
    Random random(1);
    EXPECT_EQ(random.bits(), 14971601782005023387ULL);
    EXPECT_EQ(random.bits(), 13781649495232077965ULL);
}

TEST(Random, StreamsDiffer)
{
    EXPECT_NE(stream_seed(1, Purpose::arrivals, 0), stream_seed(1, Purpose::service, 0));
    EXPECT_NE(stream_seed(1, Purpose::arrivals, 0), stream_seed(1, Purpose::arrivals, 1));
    EXPECT_NE(stream_seed(1, Purpose::arrivals, 0), stream_seed(2, Purpose::arrivals, 0));
}

TEST(Random, UnitIsUniformAndNeverZero)
{
    Random random(7);
    auto [mean, deviation] = moments([&] {
        double u = random.unit();
        EXPECT_GT(u, 0);
        EXPECT_LE(u, 1);
        return u;
    });
    EXPECT_NEAR(mean, 0.5, 0.002);
    EXPECT_NEAR(deviation, std::sqrt(1.0 / 12), 0.002);
}

TEST(Random, LanedExponentials)
{
    LanedRandom random(7);
    std::vector<double> gaps(256);
    std::size_t next = gaps.size();
    auto [mean, deviation] = moments([&] {
        if (next == gaps.size()) {
            random.exponentials(gaps.data(), gaps.size());
            next = 0;
        }
        return gaps[next++];
    });
    EXPECT_NEAR(mean, 1, 0.006);
    EXPECT_NEAR(deviation, 1, 0.012);
}

TEST(Sampler, MomentsOfEachKind)
{
    Random random(3);
    auto check = [&](Distribution model, double mean, double deviation) {
        Sampler sampler(model);
        EXPECT_NEAR(sampler.mean(), mean, 1e-9 * mean);
        auto m = moments([&] { return sampler.draw(random); });
        EXPECT_NEAR(m.mean, mean, 0.01 * mean);
        EXPECT_NEAR(m.deviation, deviation, 0.02 * deviation + 1e-3); // cancellation if constant
    };
    check({DistributionKind::constant, 5, 0}, 5, 0);
    check({DistributionKind::exponential, 20, 0}, 20, 20);
    check({DistributionKind::lognormal, 100, 0.5}, 100, 50);
}

} // namespace planecast::sim
