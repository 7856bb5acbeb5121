// Small models that tests start from.
#pragma once

#include "planecast/simulator/simulate.hpp"

#include <string>

namespace planecast::sim
{

inline Port plain_port(const std::string &name, std::uint64_t queues = 1, std::uint64_t ring = 1024)
{
    Port port;
    port.name = name;
    port.rx_queues = queues;
    port.rx_ring = ring;
    return port;
}

inline Source plain_source(const std::string &port, ArrivalKind kind, double rate_pps)
{
    Source source;
    source.name = "to " + port;
    source.port = port;
    source.arrivals.kind = kind;
    source.arrivals.rate_pps = rate_pps;
    return source;
}

inline Stage plain_stage(double burst_cycles, double packet_cycles)
{
    Stage stage;
    stage.name = "work";
    stage.burst_cycles.mean = burst_cycles;
    stage.packet_cycles.mean = packet_cycles;
    return stage;
}

// A core of 1 GHz (a cycle is a nanosecond) with one task from a port's queue out of the model.
inline Core plain_core(const std::string &name, Input input, double burst_cycles,
                       double packet_cycles)
{
    Task task;
    task.name = "task";
    task.input = std::move(input);
    task.stages.push_back(plain_stage(burst_cycles, packet_cycles));
    Core core;
    core.name = name;
    core.clock_hz = 1e9;
    core.tasks.push_back(std::move(task));
    return core;
}

inline Model one_core(ArrivalKind kind, double rate_pps, double burst_cycles, double packet_cycles)
{
    Model model;
    model.ports.push_back(plain_port("port"));
    model.sources.push_back(plain_source("port", kind, rate_pps));
    model.cores.push_back(
        plain_core("core", {InputKind::port, "port", 0}, burst_cycles, packet_cycles));
    return model;
}

inline std::uint64_t dropped_by(const Results &results, const std::string &cause)
{
    std::uint64_t packets = 0;
    for (const DropCount &drop : results.drops) {
        packets += drop.cause == cause ? drop.packets : 0;
    }
    return packets;
}

} // namespace planecast::sim
