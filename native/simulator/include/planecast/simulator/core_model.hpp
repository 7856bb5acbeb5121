// Cores: poll loops over tasks. A task polls one input, runs its stages, hands off to one output.
#pragma once

#include "planecast/simulator/distribution_model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

// A share of packets that ends in a stage (ACL, policer, table miss), with what such a packet
// costs.
struct Drop {
    std::string cause;
    double probability = 0;
    double extra_cycles = 0;     // on top of the stage's cost
    std::string flow_class = {}; // of these packets alone; empty: of all

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("cause", &Drop::cause, "name in the counts");
        visit("probability", &Drop::probability, kShare, "of a packet that reaches the stage");
        visit("extra_cycles", &Drop::extra_cycles, kCycles, "cost of dropping one");
        visit("flow_class", &Drop::flow_class, "of this class alone, empty: of all");
    }
};

// Cycles = burst + n·packet + by_burst[n] + new flows·new_flow + drops.
struct Stage {
    std::string name;
    Distribution burst_cycles;
    Distribution packet_cycles;
    std::vector<double> cycles_by_burst; // of a burst of n packets, n = 1 … the task's burst; none:
                                         // no more than those two
    double new_flow_cycles = 0;
    std::vector<Drop> drops;
    double policer_rate = 0;    // bytes a second of a token bucket; what exceeds it is dropped as
                                // "policer"; 0: none
    double policer_burst = 1e6; // bytes, of which a bucket is full in the beginning
    double policer_header_bytes = 0;  // of each frame that it doesn't count
    std::uint64_t policer_meters = 1; // buckets; a packet is of one of them, uniformly at random
    std::vector<std::uint64_t> policer_class_meters; // instead: buckets of each class of the
                                                     // model, in the order of their first mention
    std::string accelerator;                         // served by this device, the core waits for it

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Stage::name, "name in results");
        visit("burst_cycles", &Stage::burst_cycles, "cycles a burst");
        visit("packet_cycles", &Stage::packet_cycles, "cycles a packet");
        visit("cycles_by_burst", &Stage::cycles_by_burst, kCycles,
              "added for a burst of 1, 2, … packets");
        visit("new_flow_cycles", &Stage::new_flow_cycles, kCycles, "for a flow's first packet");
        visit("drops", &Stage::drops, "packets that end here");
        visit("policer_rate", &Stage::policer_rate, Range{0, 1e12}, "bytes a second, 0: none");
        visit("policer_burst", &Stage::policer_burst, Range{1, 1e12}, "bytes at most");
        visit("policer_header_bytes", &Stage::policer_header_bytes, Range{0, 9000},
              "of a frame, not counted");
        visit("policer_meters", &Stage::policer_meters, Range{1, 4194304},
              "buckets, one for each packet at random");
        visit("policer_class_meters", &Stage::policer_class_meters, Range{1, 4194304},
              "buckets of each class, instead");
        visit("accelerator", &Stage::accelerator, "device that the core waits for");
    }
};

enum class InputKind { port, ring, accelerator };
enum class OutputKind { none, port, ring, accelerator };
enum class WhenFull { drop, wait };

struct Input {
    InputKind kind = InputKind::port;
    std::string name;
    std::uint64_t queue = 0; // of a port

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("kind", &Input::kind, "port, ring or accelerator");
        visit("name", &Input::name, "which one");
        visit("queue", &Input::queue, Range{0, 1023}, "receive queue of a port");
    }
};

struct Output {
    OutputKind kind = OutputKind::none; // none: packets leave the model here, counted as forwarded
    std::string to;
    WhenFull when_full = WhenFull::drop;
    std::uint64_t buffer_packets = 0; // port: keep packets until there are so many; 0: send at once
    double drain_ns = 100000;         // … or until this timer flushes them

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("kind", &Output::kind, "none, port, ring or accelerator");
        visit("to", &Output::to, "which one");
        visit("when_full", &Output::when_full, "drop or wait");
        visit("buffer_packets", &Output::buffer_packets, Range{0, 4096}, "0: send at once");
        visit("drain_ns", &Output::drain_ns, Range{1, 1e12}, "flushes a partly filled buffer");
    }
};

struct Task {
    std::string name;
    Input input;
    std::uint64_t burst = 32;
    double empty_poll_cycles = 40;
    std::vector<Stage> stages;
    Output output;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Task::name, "name in results");
        visit("input", &Task::input, "what it polls");
        visit("burst", &Task::burst, Range{1, 4096}, "packets of a poll at most");
        visit("empty_poll_cycles", &Task::empty_poll_cycles, Range{1e-6, 1e9}, "finding nothing");
        visit("stages", &Task::stages, "what it does with packets");
        visit("output", &Task::output, "where they go");
    }
};

// What takes the core away: interrupts, preemption, the hypervisor.
struct Disturbance {
    std::string name;
    double rate_per_second = 0;
    bool periodic = false; // else Poisson
    Distribution duration_ns;
    std::vector<double> starts_ns = {};  // instead of all that: a recording, played once
    std::vector<double> lengths_ns = {}; // of each

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Disturbance::name, "name in results");
        visit("rate_per_second", &Disturbance::rate_per_second, Range{0, 1e9}, "how often");
        visit("periodic", &Disturbance::periodic, "equal spacing instead of Poisson");
        visit("duration_ns", &Disturbance::duration_ns, "for how long");
        visit("starts_ns", &Disturbance::starts_ns, kNanoseconds, "instead: when, as recorded");
        visit("lengths_ns", &Disturbance::lengths_ns, kNanoseconds, "and for how long each time");
    }
};

struct Core {
    std::string name;
    double clock_hz = 1e9;
    std::vector<Task> tasks;
    std::string sibling;            // the other hardware thread of the same core
    double sibling_busy_factor = 1; // service takes so many times longer while it works …
    double sibling_idle_factor = 1; // … and while it only polls
    std::vector<Disturbance> disturbances;

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Core::name, "name in results");
        visit("clock_hz", &Core::clock_hz, Range{1e6, 1e12}, "cycles a second");
        visit("tasks", &Core::tasks, "polled in turn");
        visit("sibling", &Core::sibling, "name of the SMT sibling");
        visit("sibling_busy_factor", &Core::sibling_busy_factor, Range{1, 100}, "while it works");
        visit("sibling_idle_factor", &Core::sibling_idle_factor, Range{1, 100}, "while it polls");
        visit("disturbances", &Core::disturbances, "what takes the core away");
    }
};

// A bounded queue between cores.
struct Ring {
    std::string name;
    std::uint64_t capacity = 1024;
    double handoff_ns = 0; // until the other core sees what was put in: the lines' transfer

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Ring::name, "what tasks call it");
        visit("capacity", &Ring::capacity, Range{1, 1048576}, "packets");
        visit("handoff_ns", &Ring::handoff_ns, Range{0, 1e9}, "until the consumer sees a packet");
    }
};

// A device that serves packets: synchronously as a stage, or look-aside as an output and an input.
struct Accelerator {
    std::string name;
    std::uint64_t servers = 1;
    Distribution packet_ns;
    double latency_ns = 0;      // added to each packet, overlaps with others
    std::uint64_t queue = 1024; // packets submitted and not fetched

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("name", &Accelerator::name, "what stages and outputs call it");
        visit("servers", &Accelerator::servers, Range{1, 256}, "engines that work in parallel");
        visit("packet_ns", &Accelerator::packet_ns, "of one engine for one packet");
        visit("latency_ns", &Accelerator::latency_ns, Range{0, 1e9}, "there and back");
        visit("queue", &Accelerator::queue, Range{1, 1048576}, "packets inside at most");
    }
};

} // namespace planecast::sim
