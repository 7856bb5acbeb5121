#include "recorder.hpp"

namespace planecast::sim
{

void Recorder::record(const Ps *latencies, std::size_t count)
{
    Ps longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        longest = std::max(longest, latencies[i]);
    }
    if (longest < kNear / kNearRow) {
        Ps sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += latencies[i];
        }
        latency_sum += sum;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            latency_sum += latencies[i];
        }
    }
    if (longest >= Ps{1} << 32) {
        for (std::size_t i = 0; i < count; ++i) {
            histogram.record(static_cast<std::uint64_t>(latencies[i]) / 1000);
        }
        return;
    }
    std::array<std::uint64_t, kBlock> ns;
    for (std::size_t i = 0; i < count; ++i) {
        // ⌊x / 1000⌋ of 32 bits, which vectors can: their products are of 32 bits by 32.
        ns[i] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(latencies[i])) *
                    std::uint64_t{274877907} >> 38;
    }
    histogram.record(ns.data(), count);
}

} // namespace planecast::sim
