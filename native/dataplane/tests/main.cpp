// SPDX-License-Identifier: Apache-2.0
//
// Starts EAL once; tests that need ports plug them in.
#include <gtest/gtest.h>
#include <rte_eal.h>

#include <filesystem>
#include <string>
#include <vector>

extern "C" bool unmap_open(); // unmap.h, which is C

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    std::vector<std::string> words = {
        argv[0],    "--lcores", "0@0,1@0", "--no-huge",      "--no-shconf",
        "--no-pci", "-m",       "256",     "--no-telemetry", "--log-level=lib.eal:error"};
    std::vector<char *> arguments;
    for (auto &word : words)
        arguments.push_back(word.data());
    int code = 1;
    if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) >= 0 && unmap_open()) {
        code = RUN_ALL_TESTS();
        const std::filesystem::path runtime = rte_eal_get_runtime_dir();
        rte_eal_cleanup();
        std::filesystem::remove_all(runtime);
    }
    return code;
}
