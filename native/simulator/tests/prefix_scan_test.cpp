#include "prefix_scan.hpp"

#include "random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace planecast::sim
{

namespace
{

// Rows of every length up to a few times eight: whole eights and what is left over.
constexpr std::size_t kLongest = 40;

std::vector<Ps> gaps(std::size_t count, Random &random)
{
    std::vector<Ps> result(count);
    std::generate(result.begin(), result.end(), [&] { return random.below(1000); });
    return result;
}

} // namespace

TEST(InOrder, AddsUpAsOneByOne)
{
    Random random(5);
    for (std::size_t count = 0; count <= kLongest; ++count) {
        std::vector<Ps> row = gaps(count, random);
        std::vector<Ps> expected = row;
        Ps last = 700;
        for (Ps &one : expected) {
            one = last += one;
        }
        EXPECT_EQ(add_up(row.data(), count, 700, row.data()), last);
        EXPECT_EQ(row, expected);
    }
}

TEST(InOrder, ServesAsOneByOne)
{
    Random random(6);
    // A server that always waits, that never does, one that is busy for long, and one of no time.
    for (Ps service : {100, 2000, 500, 0}) {
        for (Ps free : {0, 30000}) {
            for (std::size_t count = 0; count <= kLongest; ++count) {
                std::vector<Ps> row = gaps(count, random);
                add_up(row.data(), count, 0, row.data());
                std::vector<Ps> expected = row;
                Ps last = free;
                for (Ps &one : expected) {
                    one = last = std::max(one + 70, last) + service;
                }
                EXPECT_EQ(serve_in_order(row.data(), count, 70, free, service, row.data()), last);
                EXPECT_EQ(row, expected) << count << " of " << service << " from " << free;
            }
        }
    }
}

} // namespace planecast::sim
