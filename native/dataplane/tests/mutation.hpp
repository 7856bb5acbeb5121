// SPDX-License-Identifier: Apache-2.0
//
// Packets of the profile, spoilt in every way that a random number generator finds.
#pragma once

#include <filesystem>

constexpr int mutated_packets = 100'000;

void write_mutated_packets(const std::filesystem::path &path);
