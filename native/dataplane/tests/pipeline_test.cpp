// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

extern "C" {
#include "../network_function.h"
}

namespace
{

bool parse(const std::string &text, pipeline &pipeline)
{
    std::array<char, 256> error{};
    const bool fine = pipeline_parse(&functions[FUNCTION_VPE_UPSTREAM], text.c_str(), &pipeline,
                                     error.data(), error.size());
    EXPECT_EQ(fine, error[0] == '\0') << error.data();
    return fine;
}

} // namespace

// All orders of all subsets, 326 of them: fine exactly when in order and with what each needs.
TEST(Pipeline, EveryArrangement)
{
    const std::vector<std::string> names = {"acl", "key", "classify", "actions", "route"};
    int right = 0, arrangements = 0;
    std::vector<int> order;
    const auto extend = [&](const auto &self) -> void {
        std::string text;
        bool sorted = true, key = false, fine = true;
        for (size_t i = 0; i < order.size(); i++) {
            text += (i > 0 ? "," : "") + names[order[i]];
            sorted = sorted && (i == 0 || order[i - 1] < order[i]);
            fine = fine && (order[i] < 2 || key);
            key = key || order[i] == 1;
        }
        struct pipeline pipeline {
        };
        const bool taken = parse(order.empty() ? "none" : text, pipeline);
        EXPECT_EQ(taken, sorted && fine) << text;
        if (taken) {
            ASSERT_EQ(pipeline.length, order.size());
            for (size_t i = 0; i < order.size(); i++)
                EXPECT_EQ(pipeline.order[i], order[i]);
        }
        arrangements++;
        right += taken ? 1 : 0;
        for (int id = 0; id < static_cast<int>(names.size()); id++) {
            if (std::find(order.begin(), order.end(), id) != order.end())
                continue;
            order.push_back(id);
            self(self);
            order.pop_back();
        }
    };
    extend(extend);
    EXPECT_EQ(arrangements, 326);
    EXPECT_EQ(right, 18); // with or without acl: without key none, with it any of 8 subsets
}

TEST(Pipeline, WhatIsNoName)
{
    struct pipeline pipeline {
    };
    for (const char *text : {"", ",", "acl,", ",acl", "acl,,key", "ACL", "acl key", " acl", "ac",
                             "acll", "none,acl", "acl,none", "acl,acl"})
        EXPECT_FALSE(parse(text, pipeline)) << text;
}

// Every name is a stage's that is registered, and all of a function's stages in order make a
// pipeline.
TEST(Pipeline, AllAreTheFunctionsOwn)
{
    for (const struct function &function : functions) {
        struct pipeline all {
        }, named{};
        std::array<char, 256> error{};
        std::string names;
        for (uint32_t i = 0; i < function_length(&function); i++) {
            const struct stage *stage = function_stage(&function, i);
            ASSERT_NE(stage, nullptr) << function.stages[i];
            names.append(i > 0 ? "," : "").append(stage->name);
        }
        EXPECT_TRUE(pipeline_parse(&function, "all", &all, error.data(), error.size()));
        if (names.empty())
            continue;
        EXPECT_TRUE(pipeline_parse(&function, names.c_str(), &named, error.data(), error.size()))
            << error.data();
        EXPECT_EQ(all.length, named.length);
        EXPECT_EQ(pipeline_chooses(&all), function.chooses);
    }
}

TEST(Pipeline, AnErrorThatDoesNotFitIsCut)
{
    struct pipeline pipeline {
    };
    std::array<char, 8> error{};
    EXPECT_FALSE(pipeline_parse(&functions[FUNCTION_VPE_UPSTREAM], std::string(5000, 'x').c_str(),
                                &pipeline, error.data(), 8));
    EXPECT_STREQ(error.data(), "vpe-ups");
}
