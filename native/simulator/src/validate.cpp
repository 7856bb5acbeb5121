// What a model must be: every field in its own range, names that exist, sums that aren't zero,
// lists that fit each other. The structs' own lists of fields lead through the model.
#include "paths_check.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>

namespace planecast::sim
{

namespace
{

struct Known {
    explicit Known(const Model &m)
        : model(m), nics(names_of(m.nics, "nics")), ports(names_of(m.ports, "ports")),
          cores(names_of(m.cores, "cores")), rings(names_of(m.rings, "rings")),
          accelerators(names_of(m.accelerators, "accelerators"))
    {
        names_of(m.sources, "sources");
        for (const Source &source : m.sources) {
            for (const FlowClass &one : source.classes) {
                classes.insert(one.name);
            }
        }
    }

    const Model &model;
    std::set<std::string> nics;
    std::set<std::string> ports;
    std::set<std::string> cores;
    std::set<std::string> rings;
    std::set<std::string> accelerators;
    std::set<std::string> classes;
};

std::string for_many(std::size_t count, const std::string &what, std::size_t others)
{
    return std::to_string(count) + what + " for " + std::to_string(others);
}

template <class Weighted> double weights_of(const std::vector<Weighted> &all)
{
    return std::accumulate(all.begin(), all.end(), 0.0,
                           [](double sum, const Weighted &one) { return sum + one.weight; });
}

// ---- What a struct must be beyond its fields' ranges; most need nothing.
template <class Owner> void check(const Owner &, const std::string &, const Known &) {}

void check(const FlowClass &c, const std::string &where, const Known &)
{
    require(!c.frames.empty(), where + ".frames", "at least one size is needed");
    require(weights_of(c.frames) > 0, where + ".frames", "all weights are 0");
}

void check(const Source &source, const std::string &where, const Known &known)
{
    require_name(known.ports, source.port, where + ".port", "port");
    require(!source.classes.empty(), where + ".classes", "at least one is needed");
    require(known.classes.size() <= 256, where + ".classes", "more than 256 classes in all");
    require(weights_of(source.classes) > 0, where + ".classes", "all weights are 0");
}

void check(const Arrivals &a, const std::string &where, const Known &)
{
    if (a.kind != ArrivalKind::timestamps) {
        require(a.rate_pps > 0, where + ".rate_pps", "must be more than 0");
        require(a.times_ns.empty() && a.frame_bytes.empty() && a.rss_hashes.empty(),
                where + ".times_ns", "only for the kind timestamps");
        require(a.kind != ArrivalKind::on_off || a.peak_pps == 0 || a.peak_pps >= a.rate_pps,
                where + ".peak_pps", "less than the mean rate");
        return;
    }
    require(!a.times_ns.empty(), where + ".times_ns", "at least one is needed");
    require(std::is_sorted(a.times_ns.begin(), a.times_ns.end()), where + ".times_ns",
            "goes back in time");
    require(!a.repeat || a.times_ns.back() + a.repeat_gap_ns >= 1e-3, where + ".repeat_gap_ns",
            "repetitions would take no time");
    for (const auto *list : {&a.frame_bytes, &a.rss_hashes}) {
        require(list->empty() || list->size() == a.times_ns.size(),
                where + (list == &a.frame_bytes ? ".frame_bytes" : ".rss_hashes"),
                for_many(list->size(), "", a.times_ns.size()) + " timestamps");
    }
}

void check(const Port &port, const std::string &where, const Known &known)
{
    if (!port.nic.empty()) {
        require_name(known.nics, port.nic, where + ".nic", "NIC");
    }
}

void check(const Core &core, const std::string &where, const Known &known)
{
    require(!core.tasks.empty(), where + ".tasks", "at least one is needed");
    names_of(core.tasks, where + ".tasks");
    if (!core.sibling.empty()) {
        require_name(known.cores, core.sibling, where + ".sibling", "core");
        require(core.sibling != core.name, where + ".sibling", "a core isn't its own sibling");
    }
}

void check(const Disturbance &d, const std::string &where, const Known &)
{
    require(d.lengths_ns.size() == d.starts_ns.size(), where + ".lengths_ns",
            for_many(d.lengths_ns.size(), " lengths", d.starts_ns.size()) + " starts");
    require(d.starts_ns.empty() || d.rate_per_second == 0, where + ".rate_per_second",
            "a recording has its own");
    require(std::is_sorted(d.starts_ns.begin(), d.starts_ns.end()), where + ".starts_ns",
            "goes back in time");
}

void check(const Input &input, const std::string &where, const Known &known)
{
    if (input.kind == InputKind::ring) {
        require_name(known.rings, input.name, where + ".name", "ring");
    } else if (input.kind == InputKind::accelerator) {
        require_name(known.accelerators, input.name, where + ".name", "accelerator");
    } else {
        require_name(known.ports, input.name, where + ".name", "port");
        for (const Port &port : known.model.ports) {
            require(port.name != input.name || input.queue < port.rx_queues, where + ".queue",
                    std::to_string(input.queue) + ", but port " + port.name + " has " +
                        std::to_string(port.rx_queues));
        }
    }
}

void check(const Task &task, const std::string &where, const Known &)
{
    for (std::size_t i = 0; i < task.stages.size(); ++i) {
        std::size_t count = task.stages[i].cycles_by_burst.size();
        require(count == 0 || count == task.burst, item(where + ".stages", i) + ".cycles_by_burst",
                for_many(count, " values", task.burst) + " sizes of a burst");
    }
}

void check(const Drop &drop, const std::string &where, const Known &known)
{
    require(!drop.cause.empty(), where + ".cause", "must not be empty");
    if (!drop.flow_class.empty()) {
        require_name(known.classes, drop.flow_class, where + ".flow_class", "flow class");
    }
}

void check(const Stage &stage, const std::string &where, const Known &known)
{
    if (!stage.accelerator.empty()) {
        require_name(known.accelerators, stage.accelerator, where + ".accelerator", "accelerator");
    }
    const auto &meters = stage.policer_class_meters;
    require(meters.empty() || meters.size() == known.classes.size(),
            where + ".policer_class_meters",
            for_many(meters.size(), " numbers", known.classes.size()) + " classes");
    require(std::accumulate(meters.begin(), meters.end(), std::uint64_t{0}) <= 4194304,
            where + ".policer_class_meters", "more than 4194304 in all");
}

void check(const Output &output, const std::string &where, const Known &known)
{
    if (output.kind == OutputKind::none) {
        return;
    }
    const bool port = output.kind == OutputKind::port;
    const bool ring = output.kind == OutputKind::ring;
    require_name(port   ? known.ports
                 : ring ? known.rings
                        : known.accelerators,
                 output.to, where + ".to",
                 port   ? "port"
                 : ring ? "ring"
                        : "accelerator");
    require(output.buffer_packets == 0 || port, where + ".buffer_packets", "only for ports");
    require(output.buffer_packets == 0 || output.when_full == WhenFull::drop, where + ".when_full",
            "a buffered output can't wait");
}

void check(const Run &run, const std::string &where, const Known &known)
{
    require(run.warmup_ns < run.duration_ns, where + ".warmup_ns", "not shorter than the duration");
    // The list of samples is the one thing that grows with simulated time.
    double samples = run.series_interval_ns > 0 ? run.duration_ns / run.series_interval_ns : 0;
    std::size_t numbers = known.model.cores.size() + 6;
    for (const Core &core : known.model.cores) {
        numbers += core.tasks.size();
    }
    require(run.series_interval_ns == 0 ||
                (samples * static_cast<double>(numbers) <= 2e7 && run.series_interval_ns >= 1e-3),
            where + ".series_interval_ns", "too short: more than 20 million numbers in the series");
}

// ---- The walk: every field of every struct, then the struct.
template <class Owner> struct Walker {
    const Owner &owner;
    const std::string &path;
    const Known &known;

    template <class Member>
    void operator()(const char *name, Member Owner::*member, Range range, const char *) const
    {
        visit(owner.*member, path.empty() ? name : path + "." + name, range);
    }
    template <class Member>
    void operator()(const char *name, Member Owner::*member, const char *) const
    {
        visit(owner.*member, path.empty() ? name : path + "." + name, kAny);
    }

    // What a field is decides how it's checked.
    template <class Value>
    void visit(const Value &value, const std::string &where, Range range) const
    {
        if constexpr (std::is_same_v<Value, bool> || std::is_enum_v<Value> ||
                      std::is_same_v<Value, std::string>) {
            return;
        } else if constexpr (std::is_arithmetic_v<Value>) {
            auto number = static_cast<double>(value);
            if (!(number >= range.low && number <= range.high)) { // NaN isn't
                char text[120];
                std::snprintf(text, sizeof text, ": %.10g is outside %.10g … %.10g", number,
                              range.low, range.high);
                throw ModelError(where + text);
            }
        } else if constexpr (requires { value.size(); }) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                visit(value[i], item(where, i), range);
            }
        } else {
            Value::describe(Walker<Value>{value, where, known});
            check(value, where, known);
        }
    }
};

} // namespace

void validate(const Model &model)
{
    const Known known(model);
    Model::describe(Walker<Model>{model, "", known});
    require(!model.cores.empty(), "cores", "at least one is needed");
    check_paths(model);
}

} // namespace planecast::sim
