#include "traffic.hpp"

#include "planecast/simulator/toeplitz.hpp"

#include <algorithm>
#include <array>

namespace planecast::sim
{

namespace
{

// Of all flows.
constexpr std::uint64_t kPorts = std::uint64_t{1024} << 16 | 80;

std::vector<std::uint32_t> flow_hashes(const FlowClass &c)
{
    std::vector<std::uint32_t> hashes(c.flows);
    for (std::uint64_t i = 0; i < c.flows; ++i) {
        const std::array<std::uint64_t, 3> words{
            c.source_ip + i, c.destination_ip + i * c.destination_ip_step, kPorts};
        std::array<std::uint8_t, 12> tuple;
        for (std::size_t byte = 0; byte < tuple.size(); ++byte) {
            tuple[byte] = static_cast<std::uint8_t>(words[byte / 4] >> (24 - 8 * (byte % 4)));
        }
        hashes[i] = toeplitz(tuple);
    }
    return hashes;
}

} // namespace

TrafficSource::TrafficSource(const Source &model, std::uint64_t seed, std::uint64_t index,
                             const std::vector<std::uint8_t> &classes, bool hashes)
    : model_(model), arrivals_(model.arrivals, stream_seed(seed, Purpose::arrivals, index)),
      random_(stream_seed(seed, Purpose::traffic, index)), packets_(ArrivalProcess::kBatch)
{
    std::vector<double> weights;
    double total = 0;
    for (const FlowClass &c : model.classes) {
        weights.push_back(c.weight);
        total += c.weight;
    }
    for (const FlowClass &c : model.classes) {
        ClassState state{};
        state.index = classes[classes_.size()];
        std::vector<double> frame_weights;
        for (const FrameSize &frame : c.frames) {
            state.frames.push_back(static_cast<std::uint16_t>(frame.bytes));
            frame_weights.push_back(frame.weight);
        }
        if (state.frames.size() > 1) {
            state.pick_frame = Alias(frame_weights);
        }
        if (hashes) {
            state.hashes = flow_hashes(c);
        }
        double class_pps = model.arrivals.rate_pps * c.weight / total;
        state.opens = class_pps > 0 ? std::min(1.0, c.new_flows_per_second / class_pps) : 0;
        classes_.push_back(std::move(state));
    }
    if (classes_.size() > 1) {
        pick_class_ = Alias(weights);
    }
    const ClassState &only = classes_.front();
    same_ = classes_.size() == 1 && only.frames.size() == 1 && only.hashes.size() <= 1 &&
            only.opens == 0 && model.arrivals.frame_bytes.empty() &&
            model.arrivals.rss_hashes.empty();
    Packet first{0, only.hashes.empty() ? 0 : only.hashes[0], only.frames[0], only.index, 0};
    std::fill(packets_.begin(), packets_.end(), first);
}

std::span<Packet> TrafficSource::next_batch()
{
    std::span<const Ps> times = next_times();
    for (std::size_t i = 0; i < times.size(); ++i) {
        packets_[i].born = times[i];
    }
    if (!same_) {
        fill_drawn(times.size());
        fill_given(times.size());
    }
    given_ += times.size();
    return {packets_.data(), times.size()};
}

void TrafficSource::fill_drawn(std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        ClassState &c = classes_[pick_class_.empty() ? 0 : pick_class_.pick(random_)];
        Packet &packet = packets_[i];
        packet.flow_class = c.index;
        packet.frame_bytes = c.frames[c.pick_frame.empty() ? 0 : c.pick_frame.pick(random_)];
        packet.opens_flow = c.opens > 0 && random_.unit() <= c.opens ? 1 : 0;
        if (c.hashes.size() > 1) {
            packet.flow_hash = c.hashes[random_.below(static_cast<std::uint32_t>(c.hashes.size()))];
        } else {
            packet.flow_hash = c.hashes.empty() ? 0 : c.hashes[0];
        }
    }
}

// A capture knows its packets' sizes and hashes itself.
void TrafficSource::fill_given(std::size_t count)
{
    const auto &frames = model_.arrivals.frame_bytes;
    const auto &hashes = model_.arrivals.rss_hashes;
    for (std::size_t i = 0; i < count; ++i) {
        if (!frames.empty()) {
            packets_[i].frame_bytes =
                static_cast<std::uint16_t>(frames[(given_ + i) % frames.size()]);
        }
        if (!hashes.empty()) {
            packets_[i].flow_hash =
                static_cast<std::uint32_t>(hashes[(given_ + i) % hashes.size()]);
        }
    }
}

} // namespace planecast::sim
