// Cumulative counts of everything that is reported, at one instant: what an interval, a sample or
// the time after the warm-up held is the difference of two.
#pragma once

#include "time.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace planecast::sim
{

enum OfAll { kOffered, kForwarded, kBytes, kDropped, kInFlight, kLatency, kOfAll };
enum OfCore { kBusy, kPolling, kWaiting, kDisturbed, kBursts, kPackets, kOfCore };
enum OfQueue { kArea, kWaits, kLeft, kInside, kOfQueue };

struct Snapshot {
    Snapshot() = default;
    Snapshot(std::size_t core_count, std::size_t queue_count, std::size_t class_count)
        : cores(core_count), queues(queue_count), classes(class_count)
    {
    }

    std::array<Int128, kOfAll> all{}; // packets, bytes; kLatency: picoseconds of those forwarded
    std::vector<std::array<Int128, kOfCore>> cores;   // picoseconds; polls that found some, packets
    std::vector<std::array<Int128, kOfQueue>> queues; // picoseconds of packets; packets
    std::vector<std::array<Int128, kOfAll>> classes;  // without bytes and drops

    Snapshot &operator+=(const Snapshot &other) { return add(other, 1); }
    Snapshot &operator-=(const Snapshot &other) { return add(other, -1); }

  private:
    Snapshot &add(const Snapshot &other, int times)
    {
        auto add_row = [times](auto &to, const auto &from) {
            for (std::size_t i = 0; i < to.size(); ++i) {
                to[i] += times * from[i];
            }
        };
        auto add_rows = [add_row](auto &to, const auto &from) {
            for (std::size_t i = 0; i < to.size(); ++i) {
                add_row(to[i], from[i]);
            }
        };
        add_row(all, other.all);
        add_rows(cores, other.cores);
        add_rows(queues, other.queues);
        add_rows(classes, other.classes);
        return *this;
    }
};

} // namespace planecast::sim
