// A source at work: instants from its arrival process, and for each packet class, frame, flow.
#pragma once

#include "arrivals.hpp"
#include "packet.hpp"

#include <memory>
#include <span>
#include <vector>

namespace planecast::sim
{

class TrafficSource
{
  public:
    // `classes`: the numbers of its classes. `hashes`: whether anything downstream looks at flows;
    // without, none are drawn.
    TrafficSource(const Source &model, std::uint64_t seed, std::uint64_t index,
                  const std::vector<std::uint8_t> &classes, bool hashes);

    // The next packets, `born` holding the instant they are handed to the wire; the caller may
    // write to them. Empty: no more.
    std::span<Packet> next_batch();

    // Where every packet is like every other: the next instants alone, and what they all are.
    bool uniform() const { return same_; }
    std::span<const Ps> next_times() { return arrivals_.next_batch(); }
    const Packet &pattern() const { return packets_.front(); }

  private:
    struct ClassState {
        std::uint8_t index;
        std::vector<std::uint16_t> frames;
        Alias pick_frame;                  // empty when there is one
        std::vector<std::uint32_t> hashes; // RSS hash of each flow
        double opens;                      // probability that a packet is the first of a flow
    };
    void fill_given(std::size_t count);
    void fill_drawn(std::size_t count);

    const Source &model_;
    ArrivalProcess arrivals_;
    Random random_;
    std::vector<ClassState> classes_;
    Alias pick_class_;
    bool same_; // every packet is like every other
    std::uint64_t given_ = 0;
    std::vector<Packet> packets_;
};

} // namespace planecast::sim
