// Simulated packets a second of host time, and how many times faster than the modelled hardware.
//
// The core is like the vPE upstream's on a 2.6 GHz server: a burst costs 120 cycles + 220 a packet,
// an empty poll 40; a 10 Gb/s-class port in front and behind, ring of 1,024, burst of 32, 64-byte
// frames, latency histogram on.
#include "planecast/simulator/simulate.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace
{

using namespace planecast::sim;

constexpr double kClockHz = 2.6e9;
constexpr double kBurstCycles = 120;
constexpr double kPacketCycles = 220;
constexpr double kCapacityPps = kClockHz / (kPacketCycles + kBurstCycles / 32);

// One port behind RSS for all cores (its wire then couples them when they send), or one each.
enum class Ports { shared, own };

Model poll_loops(std::size_t cores, double load, ArrivalKind kind, double packets, Ports ports)
{
    Model model;
    std::size_t port_count = ports == Ports::shared ? 1 : cores;
    for (std::size_t i = 0; i < port_count; ++i) {
        Port port;
        port.name = "port" + std::to_string(i);
        port.line_rate_bps = 100e9;
        port.rx_queues = cores / port_count;
        model.ports.push_back(port);
        Source source;
        source.name = "source" + std::to_string(i);
        source.port = port.name;
        source.arrivals.kind = kind;
        source.arrivals.rate_pps = load * kCapacityPps * static_cast<double>(port.rx_queues);
        source.classes[0].flows = 65536;
        model.sources.push_back(source);
    }
    for (std::size_t i = 0; i < cores; ++i) {
        Core core;
        core.name = "core" + std::to_string(i);
        core.clock_hz = kClockHz;
        Stage stage;
        stage.name = "vpe";
        stage.burst_cycles.mean = kBurstCycles;
        stage.packet_cycles.mean = kPacketCycles;
        Task task;
        task.name = "forward";
        std::string port = "port" + std::to_string(ports == Ports::shared ? 0 : i);
        task.input = {InputKind::port, port, ports == Ports::shared ? i : 0};
        task.stages.push_back(stage);
        task.output.kind = OutputKind::port;
        task.output.to = port;
        core.tasks.push_back(task);
        model.cores.push_back(core);
    }
    model.run.duration_ns = packets / (load * kCapacityPps * static_cast<double>(cores)) * 1e9;
    return model;
}

void simulate_poll_loops(benchmark::State &state, std::size_t cores, double load, ArrivalKind kind,
                         unsigned threads, Ports ports)
{
    Model model = poll_loops(cores, load, kind, 4e6, ports);
    model.run.threads = threads;
    double packets = 0;
    double simulated_s = 0;
    for (auto _ : state) {
        Results results = simulate(model);
        benchmark::DoNotOptimize(results.forwarded);
        packets += static_cast<double>(results.offered);
        simulated_s += results.simulated_ns * 1e-9;
    }
    state.counters["packets/s"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
    state.counters["times_real_time"] =
        benchmark::Counter(simulated_s, benchmark::Counter::kIsRate);
}

} // namespace

#define POLL_LOOP(name, ...)                                                                       \
    BENCHMARK_CAPTURE(simulate_poll_loops, name, __VA_ARGS__)                                      \
        ->Unit(benchmark::kMillisecond)                                                            \
        ->UseRealTime()
POLL_LOOP(90_load_poisson, 1, 0.9, ArrivalKind::poisson, 1, Ports::own);
POLL_LOOP(90_load_constant, 1, 0.9, ArrivalKind::constant, 1, Ports::own);
POLL_LOOP(50_load_poisson, 1, 0.5, ArrivalKind::poisson, 1, Ports::own);
POLL_LOOP(50_load_constant, 1, 0.5, ArrivalKind::constant, 1, Ports::own);
POLL_LOOP(overload_poisson, 1, 1.2, ArrivalKind::poisson, 1, Ports::own);
POLL_LOOP(4_cores_90_load_poisson, 4, 0.9, ArrivalKind::poisson, 1, Ports::own);
POLL_LOOP(4_cores_90_load_poisson_2_threads, 4, 0.9, ArrivalKind::poisson, 2, Ports::own);
POLL_LOOP(4_cores_one_port_90_load_poisson, 4, 0.9, ArrivalKind::poisson, 1, Ports::shared);

BENCHMARK_MAIN();
