// SPDX-License-Identifier: Apache-2.0
//
// The words that EAL is started with.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

extern "C" {
#include "eal_arguments.h"
}

namespace
{

constexpr uint16_t cpus[] = {3, 5};

eal_request request()
{
    return {.program = "program",
            .main_cpu = 1,
            .lcore_cpu = cpus,
            .lcore_count = 2,
            .memory_mib = 64,
            .small_pages = false,
            .simd_bits = 0,
            .telemetry = false};
}

// The words; empty when they are refused, and why in `error`.
std::vector<std::string> words(const eal_request &asked, bool hugepages,
                               std::vector<std::string> extra = {}, std::string *error = nullptr)
{
    static struct eal_arguments arguments;
    char reason[256] = "";
    std::vector<char *> pointers;
    for (auto &word : extra)
        pointers.push_back(word.data());
    const bool fine =
        eal_arguments_make(&arguments, &asked, hugepages, 77, static_cast<int>(pointers.size()),
                           pointers.data(), reason, sizeof reason);
    if (error != nullptr)
        *error = reason;
    if (!fine)
        return {};
    return {arguments.word, arguments.word + arguments.count};
}

bool has(const std::vector<std::string> &all, const std::string &word)
{
    return std::find(all.begin(), all.end(), word) != all.end();
}

const std::string vhost = "--vdev=virtio_user0,path=a.sock,server=1";

} // namespace

TEST(EalArguments, NameLcoresMemoryAndPrefix)
{
    const auto all = words(request(), true);
    const std::vector<std::string> first = {"program", "--lcores",      "0@1,1@3,2@5", "-m",
                                            "64",      "--file-prefix", "planecast-77"};
    ASSERT_GE(all.size(), first.size());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
    EXPECT_TRUE(has(all, "--no-telemetry"));
    EXPECT_TRUE(has(all, "--no-pci"));
}

// A vhost-user back-end takes eight regions of memory: with a file for each page there are more.
TEST(EalArguments, HugepagesOfAVirtioUserPortLieInOneFile)
{
    EXPECT_TRUE(has(words(request(), true, {vhost}), "--single-file-segments"));
    EXPECT_FALSE(has(words(request(), true, {"--vdev=net_ring0"}), "--single-file-segments"));
    EXPECT_FALSE(has(words(request(), false, {vhost}), "--single-file-segments"));
}

TEST(EalArguments, WithoutHugepagesNothingOfThemIsAskedFor)
{
    const auto all = words(request(), false);
    EXPECT_TRUE(has(all, "--no-huge"));
    EXPECT_TRUE(has(all, "--no-shconf"));
    EXPECT_FALSE(has(all, "--in-memory"));
    EXPECT_FALSE(has(all, "--iova-mode=va"));
    EXPECT_FALSE(has(words(request(), true), "--no-huge"));
}

TEST(EalArguments, ANamedPciDeviceIsProbed)
{
    for (const std::string word : {"-a0000:18:00.0", "--allow=0000:18:00.0"}) {
        const auto all = words(request(), true, {word});
        EXPECT_FALSE(has(all, "--no-pci"));
        EXPECT_FALSE(has(all, "--iova-mode=va"));
        EXPECT_EQ(all.back(), word);
    }
}

TEST(EalArguments, VectorsAndTelemetryAreAskedForByRequest)
{
    auto asked = request();
    asked.simd_bits = 256;
    asked.telemetry = true;
    const auto all = words(asked, true);
    EXPECT_TRUE(has(all, "--force-max-simd-bitwidth=256"));
    EXPECT_FALSE(has(all, "--no-telemetry"));
}

TEST(EalArguments, TooManyWordsAreRefused)
{
    std::string error;
    EXPECT_TRUE(words(request(), true, std::vector<std::string>(200, "x"), &error).empty());
    EXPECT_NE(error.find("arguments after --"), std::string::npos);
}
