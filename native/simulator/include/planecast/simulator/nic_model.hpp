// The network card: what its ports, its packet engine and its PCIe link let through.
#pragma once

#include "planecast/simulator/describe.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

// One direction's data rate of a PCIe link and what a packet costs on it. The formulas are in
// pcie.hpp.
struct Pcie {
    double raw_bps = 0;                    // after line coding; 0: no limit
    std::uint64_t max_payload_bytes = 256; // MPS
    std::uint64_t max_read_bytes = 512;    // MRRS
    double control_every_bytes = 203;      // an 8-byte ACK and an 8-byte flow-control update in so
                                           // many bytes: gen3 x8 then gives 57.9 Gb/s
    std::uint64_t descriptor_bytes = 16;
    std::uint64_t descriptors_at_once = 4; // written back or fetched in one transaction

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("raw_bps", &Pcie::raw_bps, kBitRate, "bit/s of a direction, 0: no limit");
        visit("max_payload_bytes", &Pcie::max_payload_bytes, Range{1, 4096}, "MPS");
        visit("max_read_bytes", &Pcie::max_read_bytes, Range{1, 4096}, "MRRS");
        visit("control_every_bytes", &Pcie::control_every_bytes, Range{64, 1e9},
              "bytes an ACK and a flow-control DLLP");
        visit("descriptor_bytes", &Pcie::descriptor_bytes, Range{0, 4096}, "of one packet");
        visit("descriptors_at_once", &Pcie::descriptors_at_once, Range{1, 1024}, "a transaction");
    }
};

// The packet engine that ports share. A port that names none has one of its own, without limits.
struct Nic {
    std::string name;
    double rx_limit_pps = 0;
    double tx_limit_pps = 0;
    std::uint64_t rx_fifo_packets = 512; // the card's own buffer in front of its engine
    double rx_latency_ns = 0;            // from the last bit to a visible descriptor
    double tx_latency_ns = 0;            // from the engine to the first bit
    Pcie pcie;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Nic::name, "what ports call it");
        visit("rx_limit_pps", &Nic::rx_limit_pps, kRate, "packets a second received, 0: no limit");
        visit("tx_limit_pps", &Nic::tx_limit_pps, kRate, "packets a second sent, 0: no limit");
        visit("rx_fifo_packets", &Nic::rx_fifo_packets, Range{1, 1e6}, "buffer before the engine");
        visit("rx_latency_ns", &Nic::rx_latency_ns, Range{0, 1e9}, "last bit to descriptor");
        visit("tx_latency_ns", &Nic::tx_latency_ns, Range{0, 1e9}, "added to each packet sent");
        visit("pcie", &Nic::pcie, "its PCIe link");
    }
};

struct Port {
    std::string name;
    std::string nic;                   // empty: one of its own
    double line_rate_bps = 0;          // 0: frames take no time on the wire
    std::uint64_t overhead_bytes = 20; // preamble 8 + gap 12
    double rx_limit_pps = 0;
    double tx_limit_pps = 0;
    std::uint64_t rx_queues = 1;
    std::uint64_t rx_ring = 1024; // descriptors a queue
    std::uint64_t tx_ring = 1024;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Port::name, "what sources, tasks and outputs call it");
        visit("nic", &Port::nic, "the card it sits on, empty: one of its own");
        visit("line_rate_bps", &Port::line_rate_bps, kBitRate, "0: frames take no time");
        visit("overhead_bytes", &Port::overhead_bytes, Range{0, 1024}, "preamble and gap");
        visit("rx_limit_pps", &Port::rx_limit_pps, kRate, "packets a second received, 0: no limit");
        visit("tx_limit_pps", &Port::tx_limit_pps, kRate, "packets a second sent, 0: no limit");
        visit("rx_queues", &Port::rx_queues, Range{1, 1024}, "receive queues");
        visit("rx_ring", &Port::rx_ring, Range{1, 1048576}, "descriptors of a receive queue");
        visit("tx_ring", &Port::tx_ring, Range{1, 1048576}, "descriptors of a transmit queue");
    }
};

} // namespace planecast::sim
