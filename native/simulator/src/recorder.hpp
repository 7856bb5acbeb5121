// Counts what leaves the model: packets, bytes, latencies. One a group of cores.
#pragma once

#include "packet.hpp"
#include "planecast/simulator/histogram.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
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

    // The same for packets in a row: an array of Packet, or AlikePackets.
    template <class Row> void forward(const Row &packets, const Ps *gone, std::size_t count)
    {
        if (!by_class.empty()) {
            for (std::size_t i = 0; i < count; ++i) {
                const Packet packet = packets[i];
                forward(packet.born, gone[i], packet.frame_bytes, packet.flow_class);
            }
            return;
        }
        for (std::size_t base = 0; base < count; base += kBlock) {
            std::size_t n = std::min(kBlock, count - base);
            if constexpr (std::is_same_v<Row, AlikePackets>) {
                bytes += n * packets.pattern.frame_bytes;
                record(gone + base, packets.ready + base, packets.latency, n);
            } else {
                std::array<Ps, kBlock> born;
                for (std::size_t i = 0; i < n; ++i) {
                    const Packet &packet = packets[base + i];
                    born[i] = packet.born;
                    bytes += packet.frame_bytes;
                }
                record(gone + base, born.data(), 0, n);
            }
        }
        forwarded += count;
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

  private:
    static constexpr std::size_t kBlock = 64;
    // A block at most: latencies of gone[i] − since[i] + more.
    void record(const Ps *gone, const Ps *since, Ps more, std::size_t count);
};

} // namespace planecast::sim
