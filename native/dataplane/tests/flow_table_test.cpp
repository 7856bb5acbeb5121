// SPDX-License-Identifier: Apache-2.0
//
// Against a map of the standard library, whatever the signatures are.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <unordered_map>

#include "inline_functions.h"

namespace
{

using Keys = std::unordered_map<uint32_t, int32_t>;

// Fills a table with `count` keys whose signatures `sign` gives; every key is found, others aren't.
template <typename Sign> void check(uint32_t count, Sign sign)
{
    std::mt19937 random(count);
    Keys keys;
    test_flow_table *table = test_flow_table_open(count);
    ASSERT_NE(table, nullptr);
    for (uint32_t flow = 0; flow < count; flow++) {
        const uint32_t key = random() & 0xFFFFFF;
        if (keys.emplace(key, static_cast<int32_t>(flow)).second) {
            EXPECT_TRUE(test_flow_table_add(table, key, sign(key), static_cast<int32_t>(flow)));
        }
    }
    for (const auto &[key, flow] : keys)
        EXPECT_EQ(test_flow_table_find(table, key, sign(key)), flow);
    for (int i = 0; i < 1000; i++) {
        const uint32_t key = random() & 0xFFFFFF;
        if (keys.count(key) == 0) {
            EXPECT_EQ(test_flow_table_find(table, key, sign(key)), -1);
        }
    }
    test_flow_table_close(table);
}

} // namespace

TEST(FlowTable, FindsWhatIsThereAndNothingElse)
{
    for (const uint32_t count : {1U, 2U, 7U, 8U, 9U, 100U, 4096U, 5000U, 65536U})
        check(count, [](uint32_t key) { return test_flow_table_signature(key); });
}

// The data plane's own flows: their VLAN ids count up.
TEST(FlowTable, KeysThatCountUpSpreadAsIfByChance)
{
    for (const uint32_t count : {4096U, 65536U, 1048576U}) {
        test_flow_table *table = test_flow_table_open(count);
        ASSERT_NE(table, nullptr);
        for (uint32_t flow = 0; flow < count; flow++) {
            ASSERT_TRUE(test_flow_table_add(table, flow, test_flow_table_signature(flow),
                                            static_cast<int32_t>(flow)));
        }
        uint32_t going_on = 0;
        const uint32_t buckets = test_flow_table_buckets(table, &going_on);
        // Four keys a bucket in the mean: by Poisson's law more than seven in one of twenty.
        const double expected = 0.0511 * buckets;
        EXPECT_LT(going_on, expected + 4 * std::sqrt(expected)) << count;
        test_flow_table_close(table);
    }
}

TEST(FlowTable, AlsoWhenAllSignaturesAreOne)
{
    for (const uint32_t count : {1U, 4U, 5U, 8U, 9U, 3000U})
        check(count, [](uint32_t) { return 5U; });
}

TEST(FlowTable, AFullOneRefuses)
{
    test_flow_table *table = test_flow_table_open(7);
    ASSERT_NE(table, nullptr);
    uint32_t taken = 0;
    while (test_flow_table_add(table, taken, 0, static_cast<int32_t>(taken)) && taken < 1000)
        taken++;
    EXPECT_GE(taken, 7U);
    EXPECT_LT(taken, 1000U);
    for (uint32_t key = 0; key < taken; key++)
        EXPECT_EQ(test_flow_table_find(table, key, 0), static_cast<int32_t>(key));
    test_flow_table_close(table);
}
