// SPDX-License-Identifier: Apache-2.0
//
// Starts EAL once, with a port that reads mutated packets (mutation_test.cpp writes them first).
#include <gtest/gtest.h>
#include <rte_eal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "mutation.hpp"

extern "C" bool unmap_open(); // unmap.h, which is C

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    const auto folder = std::filesystem::temp_directory_path() /
                        ("planecast-dataplane-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const auto packets = folder / "mutated.pcap";
    write_mutated_packets(packets);
    const std::string vdev =
        "net_pcap0,rx_pcap=" + packets.string() + ",tx_pcap=" + (folder / "out.pcap").string();
    std::vector<std::string> words = {
        argv[0], "--lcores", "0@0,1@0", "--no-huge", "--no-shconf",    "--no-pci",
        "-m",    "256",      "--vdev",  vdev,        "--no-telemetry", "--log-level=lib.eal:error"};
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
    std::filesystem::remove_all(folder);
    return code;
}
