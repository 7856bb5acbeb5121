// SPDX-License-Identifier: Apache-2.0
//
// Starts EAL once; tests that need ports plug them in.
#include <gtest/gtest.h>
#include <rte_eal.h>
#include <sched.h>

#include <filesystem>
#include <string>
#include <vector>

namespace
{

unsigned cpus()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(1, &set) ? 2 : 1;
}

} // namespace

extern "C" bool unmap_open(); // unmap.h, which is C

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    // Two forwarding lcores, on CPUs of their own where there are two.
    const std::string lcores = cpus() > 1 ? "0@0,1@0,2@1" : "0@0,1@0,2@0";
    std::vector<std::string> words = {
        argv[0],    "--lcores", lcores, "--no-huge",      "--no-shconf",
        "--no-pci", "-m",       "256",  "--no-telemetry", "--log-level=lib.eal:error"};
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
