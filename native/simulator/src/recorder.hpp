// Counts what leaves the model: packets, bytes, latencies. One a group of cores.
#pragma once

#include "packet.hpp"
#include "planecast/simulator/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planecast::sim
{

struct ClassCount {
    std::uint64_t offered = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t in_flight = 0;
    Int128 latency = 0;
};

class Recorder
{
  public:
    // With one class nothing is counted by class: it is all there is.
    Recorder(unsigned digits, std::size_t classes)
        : histogram(digits), by_class(classes > 1 ? classes : 0),
          histograms(by_class.size(), Histogram(digits))
    {
    }

    void forward(Ps born, Ps gone, std::uint16_t frame_bytes, std::uint8_t flow_class)
    {
        auto latency = static_cast<std::uint64_t>(gone - born);
        histogram.record(latency / 1000);
        ++forwarded;
        bytes += frame_bytes;
        latency_sum += latency;
        if (!by_class.empty()) {
            ++by_class[flow_class].forwarded;
            by_class[flow_class].latency += latency;
            histograms[flow_class].record(latency / 1000);
        }
    }

    // The same for packets in a row.
    void forward(const Packet *packets, const Ps *gone, std::size_t count)
    {
        if (!by_class.empty()) {
            for (std::size_t i = 0; i < count; ++i) {
                forward(packets[i].born, gone[i], packets[i].frame_bytes, packets[i].flow_class);
            }
            return;
        }
        std::uint64_t all_bytes = 0;
        UInt128 all_latency = 0;
        for (std::size_t i = 0; i < count; ++i) {
            auto latency = static_cast<std::uint64_t>(gone[i] - packets[i].born);
            histogram.record(latency / 1000);
            all_bytes += packets[i].frame_bytes;
            all_latency += latency;
        }
        forwarded += count;
        bytes += all_bytes;
        latency_sum += static_cast<Int128>(all_latency);
    }

    // Since the warm-up.
    void clear_histograms()
    {
        histogram.clear();
        for (Histogram &one : histograms) {
            one.clear();
        }
    }

    Histogram histogram; // since the warm-up, like those by class; everything else since the start
    std::uint64_t forwarded = 0;
    std::uint64_t bytes = 0;
    Int128 latency_sum = 0; // picoseconds
    std::vector<ClassCount> by_class;
    std::vector<Histogram> histograms; // by class
};

} // namespace planecast::sim
