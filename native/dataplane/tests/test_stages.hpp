// SPDX-License-Identifier: Apache-2.0
//
// Stages of a function with tables and contexts of their own, as the data plane has them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>

extern "C" {
#include "../instance.h"
}

class TestStages
{
  public:
    // Opens these stages of the configured function, for its first chain.
    TestStages(const struct config &config, std::initializer_list<const char *> names)
        : function_(config_function(&config))
    {
        std::array<char, 256> error{};
        struct pipeline pipeline {
        };
        EXPECT_TRUE(pipeline_parse(function_, "all", &pipeline, error.data(), error.size()));
        const struct stage_use use = {&pipeline, 1, instances_.data(), 0};
        for (const char *name : names) {
            instance &one = at(name);
            EXPECT_TRUE(
                instance_open(instances_.data(), place(name), &config, error.data(), error.size()))
                << error.data();
            if (one.stage->prepare != nullptr)
                one.stage->prepare(one.context[0], &use);
        }
    }
    ~TestStages()
    {
        for (instance &one : instances_)
            instance_close(&one);
    }
    TestStages(const TestStages &) = delete;
    TestStages &operator=(const TestStages &) = delete;

    void run(const char *name, struct burst &burst)
    {
        at(name).stage->run(at(name).context[0], &burst);
    }
    void flush(const char *name, struct burst &burst)
    {
        at(name).stage->flush(at(name).context[0], &burst);
    }
    [[nodiscard]] uint64_t held(const char *name) { return instance_held(&at(name)); }
    template <typename Context> [[nodiscard]] Context *context(const char *name)
    {
        return static_cast<Context *>(at(name).context[0]);
    }

  private:
    [[nodiscard]] uint32_t place(const char *name) const
    {
        return static_cast<uint32_t>(function_find(function_, name, std::strlen(name)));
    }
    instance &at(const char *name) { return instances_.at(place(name)); }

    const struct function *function_;
    std::array<instance, STAGES_MAX> instances_{};
};

// An empty burst with a function's columns.
inline std::unique_ptr<struct burst> burst_of(function_id id)
{
    auto burst = std::make_unique<struct burst>();
    burst->columns = functions[id].columns;
    return burst;
}
