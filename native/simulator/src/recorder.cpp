#include "recorder.hpp"

namespace planecast::sim
{

void Recorder::record(const Ps *gone, const Ps *since, Ps more, std::size_t count)
{
    std::array<std::uint64_t, kBlock> places;
    Ps longest = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Ps latency = gone[i] - since[i] + more;
        longest = std::max(longest, latency);
        sum += static_cast<std::uint64_t>(latency);
        // ⌊x / 1000⌋ of 32 bits, which vectors can: their products are of 32 bits by 32.
        const std::uint64_t ps = static_cast<std::uint32_t>(latency);
        places[i] = histogram.place(ps * 274877907 >> 38);
    }
    if (longest < Ps{1} << 32) {
        latency_sum += static_cast<Int128>(sum);
        histogram.record_at(places.data(), count);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto latency = static_cast<std::uint64_t>(gone[i] - since[i] + more);
        latency_sum += latency;
        histogram.record(latency / 1000);
    }
}

} // namespace planecast::sim
