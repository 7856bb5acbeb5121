// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "inline_functions.h"

namespace
{

// One after the other the prefixes fill the address space: no gap, no overlap, and none left over.
void expect_exact_cover(uint32_t count)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const test_prefix prefix = test_partition(count, i);
        ASSERT_EQ(prefix.address, next) << i << " of " << count;
        ASSERT_LE(prefix.depth, 32);
        next += 1ULL << (32 - prefix.depth);
    }
    ASSERT_EQ(next, 1ULL << 32) << count;
}

} // namespace

TEST(Partition, CoversExactly)
{
    for (uint32_t count = 1; count <= 1100; count++)
        expect_exact_cover(count);
    for (uint32_t bits = 11; bits <= 20; bits++) {
        for (const int offset : {-1, 0, 1})
            expect_exact_cover((1U << bits) + offset);
    }
    std::mt19937 random(1);
    for (int i = 0; i < 20; i++)
        expect_exact_cover(1 + random() % (1U << 20));
}

TEST(Partition, DepthsDifferByOneAtTheMost)
{
    for (uint32_t count = 1; count <= 300; count++) {
        const int first = test_partition(count, 0).depth;
        const int last = test_partition(count, count - 1).depth;
        EXPECT_TRUE(last == first || last == first + 1) << count;
    }
}

TEST(Partition, OneIsEverything)
{
    EXPECT_EQ(test_partition(1, 0).address, 0U);
    EXPECT_EQ(test_partition(1, 0).depth, 0);
}
