#include "paths_check.hpp"

#include "require.hpp"

#include <functional>
#include <map>

namespace planecast::sim
{

namespace
{

using Edges = std::map<std::string, std::set<std::string>>;
using Consumers = std::map<std::string, std::string>; // queue → core

std::string input_key(const Input &input)
{
    switch (input.kind) {
    case InputKind::port:
        return "port " + input.name + " queue " + std::to_string(input.queue);
    case InputKind::ring:
        return "ring " + input.name;
    case InputKind::accelerator:
        break;
    }
    return "accelerator " + input.name;
}

// The queue that a task puts packets into; empty: none, for a port's isn't polled by us.
std::string output_key(const Output &output)
{
    return output.kind == OutputKind::ring          ? "ring " + output.to
           : output.kind == OutputKind::accelerator ? "accelerator " + output.to
                                                    : "";
}

// By queue the core that polls it.
Consumers consumers_of(const Model &model)
{
    Consumers consumers;
    for (std::size_t i = 0; i < model.cores.size(); ++i) {
        const Core &core = model.cores[i];
        for (std::size_t j = 0; j < core.tasks.size(); ++j) {
            std::string queue = input_key(core.tasks[j].input);
            require(consumers.try_emplace(queue, core.name).second,
                    item(item("cores", i) + ".tasks", j) + ".input.name",
                    queue + " is polled by another task already");
        }
    }
    return consumers;
}

// Everything that sources put packets into is polled.
void check_sources(const Model &model, const Consumers &consumers)
{
    for (std::size_t s = 0; s < model.sources.size(); ++s) {
        for (const Port &port : model.ports) {
            for (std::size_t q = 0; port.name == model.sources[s].port && q < port.rx_queues; ++q) {
                std::string key = input_key({InputKind::port, port.name, q});
                require(consumers.contains(key), item("sources", s) + ".port",
                        key + " is polled by no task");
            }
        }
    }
}

void refuse_cycle(const Edges &edges, const std::string &what)
{
    std::map<std::string, int> state; // 1: on the path, 2: done
    std::function<void(const std::string &)> visit = [&](const std::string &node) {
        state[node] = 1;
        auto out = edges.find(node);
        if (out != edges.end()) {
            for (const std::string &next : out->second) {
                require(state[next] != 1, "cores", what + " " + next);
                if (state[next] == 0) {
                    visit(next);
                }
            }
        }
        state[node] = 2;
    };
    for (const auto &[node, out] : edges) {
        if (state[node] == 0) {
            visit(node);
        }
    }
}

} // namespace

void check_paths(const Model &model)
{
    Consumers consumers = consumers_of(model);
    check_sources(model, consumers);
    Edges ways;
    Edges waits;
    for (const Core &core : model.cores) {
        for (const Task &task : core.tasks) {
            const std::string key = output_key(task.output);
            if (!key.empty()) {
                require(consumers.contains(key), "cores: " + core.name + "." + task.name,
                        "puts packets into " + key + ", which is polled by no task");
                ways[input_key(task.input)].insert(key);
                if (task.output.when_full == WhenFull::wait) {
                    waits[core.name].insert(consumers[key]);
                }
            }
        }
    }
    // A packet could go round without end in no time.
    refuse_cycle(ways, "packets go round in a circle through");
    // Cores that wait for each other's queues would wait for ever.
    refuse_cycle(waits, "when_full = wait: these cores can wait for each other:");
}

} // namespace planecast::sim
