// Counts what leaves the model: packets, bytes, latencies. One a group of cores.
#pragma once

#include "packet.hpp"
#include "planecast/simulator/histogram.hpp"

#include <cstdint>
#include <vector>

namespace planecast::sim
{

struct ClassCount {
    std::uint64_t forwarded = 0;
    Int128 latency = 0;
};

class Recorder
{
  public:
    Recorder(unsigned digits, std::size_t classes) : histogram(digits), by_class(classes) {}

    void forward(Ps born, Ps gone, std::uint16_t frame_bytes, std::uint8_t flow_class)
    {
        auto latency = static_cast<std::uint64_t>(gone - born);
        histogram.record(latency / 1000);
        ++forwarded;
        bytes += frame_bytes;
        latency_sum += latency;
        if (by_class.size() > 1) {
            ++by_class[flow_class].forwarded;
            by_class[flow_class].latency += latency;
        }
    }

    Histogram histogram; // since the warm-up; everything else since the start
    std::uint64_t forwarded = 0;
    std::uint64_t bytes = 0;
    Int128 latency_sum = 0; // picoseconds
    std::vector<ClassCount> by_class;
};

} // namespace planecast::sim
