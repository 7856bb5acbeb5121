// Where packets come from: when they are sent, how long they are, to which flows they belong.
#pragma once

#include "planecast/simulator/distribution_model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

enum class ArrivalKind { constant, poisson, on_off, timestamps };

// The instants at which a source hands frames to the wire. The wire then spaces them (Port).
struct Arrivals {
    ArrivalKind kind = ArrivalKind::constant;
    double rate_pps = 0;
    double offset_ns = 0;                   // of the first packet (constant) or of the process
    double peak_pps = 0;                    // on_off: rate inside a burst; 0: all at once
    Distribution burst_packets;             // on_off: packets of a burst
    bool random_gap = false;                // on_off: exponential gaps instead of equal ones
    std::vector<double> times_ns;           // timestamps: since the start, never going back
    std::vector<std::uint64_t> frame_bytes; // timestamps: one a packet, or none
    std::vector<std::uint64_t> rss_hashes;  // timestamps: one a packet, or none
    bool repeat = false;                    // timestamps: start again after the last one …
    double repeat_gap_ns = 0;               // … and this pause

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("kind", &Arrivals::kind, "constant, poisson, on_off or timestamps");
        visit("rate_pps", &Arrivals::rate_pps, kRate, "mean packets a second");
        visit("offset_ns", &Arrivals::offset_ns, kNanoseconds, "when the process starts");
        visit("peak_pps", &Arrivals::peak_pps, kRate, "on_off: rate in a burst, 0: all at once");
        visit("burst_packets", &Arrivals::burst_packets, "on_off: packets of a burst");
        visit("random_gap", &Arrivals::random_gap, "on_off: exponential gaps between bursts");
        visit("times_ns", &Arrivals::times_ns, kNanoseconds,
              "timestamps: when each packet is sent");
        visit("frame_bytes", &Arrivals::frame_bytes, Range{1, 65535}, "timestamps: frame sizes");
        visit("rss_hashes", &Arrivals::rss_hashes, Range{0, 4294967295.0},
              "timestamps: RSS hashes");
        visit("repeat", &Arrivals::repeat, "timestamps: start again after the last");
        visit("repeat_gap_ns", &Arrivals::repeat_gap_ns, kNanoseconds, "pause before a repetition");
    }
};

struct FrameSize {
    std::uint64_t bytes = 64; // with FCS, without preamble and gap
    double weight = 1;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("bytes", &FrameSize::bytes, Range{1, 65535}, "frame with FCS");
        visit("weight", &FrameSize::weight, Range{0, 1e12}, "how often");
    }
};

// Packets of one kind. Flow i has the addresses first + i and first + i·step, and all have the same
// ports; a packet's flow is drawn at random.
struct FlowClass {
    std::string name = "all";
    double weight = 1;
    std::vector<FrameSize> frames = {FrameSize{}};
    std::uint64_t flows = 1;
    double new_flows_per_second = 0;
    std::uint64_t source_ip = 0x0A000001;      // 10.0.0.1
    std::uint64_t destination_ip = 0xC6120001; // 198.18.0.1, RFC 2544's range
    std::uint64_t destination_ip_step = 0;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        constexpr Range kIp{0, 4294967295.0};
        visit("name", &FlowClass::name, "name in results");
        visit("weight", &FlowClass::weight, Range{0, 1e12}, "share of the source's packets");
        visit("frames", &FlowClass::frames, "frame sizes with their weights");
        visit("flows", &FlowClass::flows, Range{1, 16777216}, "active flows");
        visit("new_flows_per_second", &FlowClass::new_flows_per_second, kRate,
              "packets that open a flow, a second");
        visit("source_ip", &FlowClass::source_ip, kIp, "IPv4 address of flow 0");
        visit("destination_ip", &FlowClass::destination_ip, kIp, "IPv4 address of flow 0");
        visit("destination_ip_step", &FlowClass::destination_ip_step, kIp, "added a flow");
    }
};

struct Source {
    std::string name = "source";
    std::string port; // the port that receives its frames
    Arrivals arrivals;
    std::vector<FlowClass> classes = {FlowClass{}};

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Source::name, "name in results");
        visit("port", &Source::port, "the port that receives its frames");
        visit("arrivals", &Source::arrivals, "when frames are sent");
        visit("classes", &Source::classes, "kinds of packets");
    }
};

} // namespace planecast::sim
