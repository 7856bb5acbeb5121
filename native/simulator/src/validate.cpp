// What a model must be beyond each field's range: names that exist, sums that aren't zero, lists
// that fit each other.
#include "field_check.hpp"
#include "paths_check.hpp"
#include "require.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace planecast::sim
{

namespace
{

class Validator
{
  public:
    explicit Validator(const Model &model)
        : m_(model), nics_(names_of(model.nics, "nics")), ports_(names_of(model.ports, "ports")),
          cores_(names_of(model.cores, "cores")), rings_(names_of(model.rings, "rings")),
          accelerators_(names_of(model.accelerators, "accelerators"))
    {
    }

    void check()
    {
        names_of(m_.sources, "sources");
        require(!m_.cores.empty(), "cores", "at least one is needed");
        for (std::size_t i = 0; i < m_.sources.size(); ++i) {
            check_source(m_.sources[i], item("sources", i));
        }
        for (std::size_t i = 0; i < m_.ports.size(); ++i) {
            check_port(m_.ports[i], item("ports", i));
        }
        for (std::size_t i = 0; i < m_.accelerators.size(); ++i) {
            check_distribution(m_.accelerators[i].packet_ns,
                               item("accelerators", i) + ".packet_ns");
        }
        for (std::size_t i = 0; i < m_.cores.size(); ++i) {
            check_core(m_.cores[i], item("cores", i));
        }
        check_paths(m_);
        check_run();
    }

  private:
    void check_distribution(const Distribution &d, const std::string &where)
    {
        if (d.kind != DistributionKind::table) {
            return;
        }
        require(!d.values.empty(), where + ".values", "a table needs at least one");
        require(d.weights.empty() || d.weights.size() == d.values.size(), where + ".weights",
                std::to_string(d.weights.size()) + " weights for " +
                    std::to_string(d.values.size()) + " values");
        double sum = std::accumulate(d.weights.begin(), d.weights.end(), 0.0);
        require(d.weights.empty() || sum > 0, where + ".weights", "all are 0");
    }

    void check_source(const Source &source, const std::string &where)
    {
        require_name(ports_, source.port, where + ".port", "port");
        require(!source.classes.empty(), where + ".classes", "at least one is needed");
        double sum = 0;
        for (std::size_t i = 0; i < source.classes.size(); ++i) {
            const FlowClass &c = source.classes[i];
            std::string path = item(where + ".classes", i);
            sum += c.weight;
            classes_.insert(c.name);
            require(classes_.size() <= 256, where + ".classes", "more than 256 classes in all");
            require(!c.frames.empty(), path + ".frames", "at least one size is needed");
            double frames = 0;
            for (const FrameSize &frame : c.frames) {
                frames += frame.weight;
            }
            require(frames > 0, path + ".frames", "all weights are 0");
        }
        require(sum > 0, where + ".classes", "all weights are 0");
        check_arrivals(source.arrivals, where + ".arrivals");
    }

    void check_arrivals(const Arrivals &a, const std::string &where)
    {
        if (a.kind != ArrivalKind::timestamps) {
            require(a.rate_pps > 0, where + ".rate_pps", "must be more than 0");
            require(a.times_ns.empty() && a.frame_bytes.empty() && a.rss_hashes.empty(),
                    where + ".times_ns", "only for the kind timestamps");
            check_distribution(a.burst_packets, where + ".burst_packets");
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
                    std::to_string(list->size()) + " for " + std::to_string(a.times_ns.size()) +
                        " timestamps");
        }
    }

    void check_port(const Port &port, const std::string &where)
    {
        if (!port.nic.empty()) {
            require_name(nics_, port.nic, where + ".nic", "NIC");
        }
        require(port.rss_key.empty() || port.rss_key.size() == 40, where + ".rss_key",
                std::to_string(port.rss_key.size()) + " bytes instead of 40");
    }

    void check_core(const Core &core, const std::string &where)
    {
        require(!core.tasks.empty(), where + ".tasks", "at least one is needed");
        names_of(core.tasks, where + ".tasks");
        if (!core.sibling.empty()) {
            require_name(cores_, core.sibling, where + ".sibling", "core");
            require(core.sibling != core.name, where + ".sibling", "a core isn't its own sibling");
        }
        for (std::size_t i = 0; i < core.disturbances.size(); ++i) {
            check_disturbance(core.disturbances[i], item(where + ".disturbances", i));
        }
        for (std::size_t i = 0; i < core.tasks.size(); ++i) {
            check_task(core.tasks[i], item(where + ".tasks", i));
        }
    }

    void check_disturbance(const Disturbance &d, const std::string &where)
    {
        check_distribution(d.duration_ns, where + ".duration_ns");
        require(d.lengths_ns.size() == d.starts_ns.size(), where + ".lengths_ns",
                std::to_string(d.lengths_ns.size()) + " lengths for " +
                    std::to_string(d.starts_ns.size()) + " starts");
        require(d.starts_ns.empty() || d.rate_per_second == 0, where + ".rate_per_second",
                "a recording has its own");
        require(std::is_sorted(d.starts_ns.begin(), d.starts_ns.end()), where + ".starts_ns",
                "goes back in time");
    }

    void check_task(const Task &task, const std::string &where)
    {
        std::string input = where + ".input.name";
        switch (task.input.kind) {
        case InputKind::port:
            require_name(ports_, task.input.name, input, "port");
            for (const Port &port : m_.ports) {
                require(port.name != task.input.name || task.input.queue < port.rx_queues,
                        where + ".input.queue",
                        std::to_string(task.input.queue) + ", but port " + port.name + " has " +
                            std::to_string(port.rx_queues));
            }
            break;
        case InputKind::ring:
            require_name(rings_, task.input.name, input, "ring");
            break;
        case InputKind::accelerator:
            require_name(accelerators_, task.input.name, input, "accelerator");
            break;
        }
        for (std::size_t i = 0; i < task.stages.size(); ++i) {
            check_stage(task.stages[i], task.burst, item(where + ".stages", i));
        }
        check_output(task.output, where + ".output");
    }

    void check_stage(const Stage &stage, std::uint64_t burst, const std::string &where)
    {
        require(stage.cycles_by_burst.empty() || stage.cycles_by_burst.size() == burst,
                where + ".cycles_by_burst",
                std::to_string(stage.cycles_by_burst.size()) + " values for bursts of up to " +
                    std::to_string(burst));
        check_distribution(stage.burst_cycles, where + ".burst_cycles");
        check_distribution(stage.packet_cycles, where + ".packet_cycles");
        if (!stage.accelerator.empty()) {
            require_name(accelerators_, stage.accelerator, where + ".accelerator", "accelerator");
        }
        for (std::size_t i = 0; i < stage.drops.size(); ++i) {
            require(!stage.drops[i].cause.empty(), item(where + ".drops", i) + ".cause",
                    "must not be empty");
            if (!stage.drops[i].flow_class.empty()) {
                require_name(classes_, stage.drops[i].flow_class,
                             item(where + ".drops", i) + ".flow_class", "flow class");
            }
        }
        const auto &meters = stage.policer_class_meters;
        require(meters.empty() || meters.size() == classes_.size(), where + ".policer_class_meters",
                std::to_string(meters.size()) + " numbers for " + std::to_string(classes_.size()) +
                    " classes");
        require(std::accumulate(meters.begin(), meters.end(), std::uint64_t{0}) <= 4194304,
                where + ".policer_class_meters", "more than 4194304 in all");
    }

    void check_output(const Output &output, const std::string &where)
    {
        if (output.kind == OutputKind::none) {
            return;
        }
        require(!output.to.empty(), where + ".to", "at least one name is needed");
        require(output.to.size() == 1 || output.kind == OutputKind::ring, where + ".to",
                "only rings can be several");
        for (std::size_t i = 0; i < output.to.size(); ++i) {
            std::string path = item(where + ".to", i);
            if (output.kind == OutputKind::port) {
                require_name(ports_, output.to[i], path, "port");
            } else if (output.kind == OutputKind::ring) {
                require_name(rings_, output.to[i], path, "ring");
            } else {
                require_name(accelerators_, output.to[i], path, "accelerator");
            }
        }
        require(output.buffer_packets == 0 || output.kind == OutputKind::port,
                where + ".buffer_packets", "only for ports");
        require(output.buffer_packets == 0 || output.when_full == WhenFull::drop,
                where + ".when_full", "a buffered output can't wait");
    }

    void check_run()
    {
        const Run &run = m_.run;
        require(run.warmup_ns < run.duration_ns, "run.warmup_ns", "not shorter than the duration");
        // The list of samples is the one thing that grows with simulated time.
        double samples = run.series_interval_ns > 0 ? run.duration_ns / run.series_interval_ns : 0;
        std::size_t inputs = 0;
        for (const Core &core : m_.cores) {
            inputs += core.tasks.size();
        }
        double numbers = static_cast<double>(m_.cores.size() + inputs + 6);
        require(run.series_interval_ns == 0 ||
                    (samples * numbers <= 2e7 && run.series_interval_ns >= 1e-3),
                "run.series_interval_ns", "too short: more than 20 million numbers in the series");
    }

    const Model &m_;
    std::set<std::string> nics_;
    std::set<std::string> ports_;
    std::set<std::string> cores_;
    std::set<std::string> rings_;
    std::set<std::string> accelerators_;
    std::set<std::string> classes_;
};

} // namespace

void validate(const Model &model)
{
    check_fields(model);
    Validator(model).check();
}

} // namespace planecast::sim
