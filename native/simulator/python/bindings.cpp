// The simulator's Python module: structs with keyword constructors, simulate(),
// simulate_many(). The structs' own lists of fields (describe.hpp) make the properties, so a field
// can't be missing here.
//
// Lists come out as tuples: they are copies, and appending to a copy would be lost without a word.
#include "planecast/simulator/simulate.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <type_traits>

namespace nb = nanobind;
using namespace nb::literals;
using namespace planecast::sim;

namespace
{

template <class T> struct IsVector : std::false_type {
};
template <class T> struct IsVector<std::vector<T>> : std::true_type {
};

template <class Owner> struct Binder {
    nb::class_<Owner> &cls;

    template <class Member>
    void operator()(const char *name, Member Owner::*member, Range, const char *doc) const
    {
        bind(name, member, doc);
    }
    template <class Member>
    void operator()(const char *name, Member Owner::*member, const char *doc) const
    {
        bind(name, member, doc);
    }
    template <class Member>
    void bind(const char *name, Member Owner::*member, const char *doc) const
    {
        if constexpr (IsVector<Member>::value) {
            using Item = typename Member::value_type;
            cls.def_prop_rw(
                name,
                [member](const Owner &self) -> nb::typed<nb::tuple, Item, nb::ellipsis> {
                    return nb::borrow<nb::typed<nb::tuple, Item, nb::ellipsis>>(
                        nb::tuple(nb::cast(self.*member)));
                },
                [member](Owner &self, const Member &value) { self.*member = value; }, doc);
        } else {
            cls.def_rw(name, member, doc);
        }
    }
};

// What Python calls a field's type.
template <class Member> std::string python_type()
{
    if constexpr (std::is_same_v<Member, bool>) {
        return "bool";
    } else if constexpr (std::is_same_v<Member, double>) {
        return "float";
    } else if constexpr (std::is_integral_v<Member>) {
        return "int";
    } else if constexpr (std::is_same_v<Member, std::string>) {
        return "str";
    } else if constexpr (IsVector<Member>::value) {
        return "Sequence[" + python_type<typename Member::value_type>() + "]";
    } else {
        return nb::cast<std::string>(nb::type<Member>().attr("__name__"));
    }
}

// The constructor's signature, for the stub: type checkers then know every field.
template <class Owner> struct Signature {
    std::string &text;

    template <class Member>
    void operator()(const char *name, Member Owner::*, Range, const char *) const
    {
        text += std::string(", ") + name + ": " + python_type<Member>() + " = ...";
    }
    template <class Member> void operator()(const char *name, Member Owner::*, const char *) const
    {
        text += std::string(", ") + name + ": " + python_type<Member>() + " = ...";
    }
};

// Owner(field=value, …); an unknown field is an AttributeError, as for any attribute.
template <class Owner> void bind_struct(nb::module_ &m, const char *name, const char *doc)
{
    nb::class_<Owner> cls(m, name, doc);
    static std::string signature = "def __init__(self, *";
    Owner::describe(Signature<Owner>{signature});
    signature += ") -> None";
    cls.def(
        "__init__",
        [](nb::pointer_and_handle<Owner> self, const nb::kwargs &fields) {
            new (self.p) Owner();
            nb::inst_mark_ready(self.h); // so that the properties can be set
            for (auto [key, value] : fields) {
                nb::setattr(self.h, key, value);
            }
        },
        nb::sig(signature.c_str()));
    Owner::describe(Binder<Owner>{cls});
}

template <class Item, class Owner> auto tuple_of(std::vector<Item> Owner::*member)
{
    return [member](const Owner &self) -> nb::typed<nb::tuple, Item, nb::ellipsis> {
        return nb::borrow<nb::typed<nb::tuple, Item, nb::ellipsis>>(
            nb::tuple(nb::cast(self.*member)));
    };
}

// Calls `work` on another thread, without the GIL; looks for Ctrl-C a few times a second during
// that time.
template <class Work> auto interruptible(Work work)
{
    std::atomic<bool> cancel = false;
    std::promise<decltype(work(&cancel))> promise;
    auto result = promise.get_future();
    bool interrupted = false;
    {
        nb::gil_scoped_release release;
        std::jthread worker([&] {
            try {
                promise.set_value(work(&cancel));
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        });
        while (result.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
            nb::gil_scoped_acquire acquire;
            if (!cancel && PyErr_CheckSignals() != 0) {
                interrupted = true;
                cancel = true;
            }
        }
    }
    if (interrupted) {
        throw nb::python_error();
    }
    return result.get();
}

void bind_enums(nb::module_ &m)
{
    nb::enum_<DistributionKind>(m, "DistributionKind")
        .value("constant", DistributionKind::constant)
        .value("exponential", DistributionKind::exponential)
        .value("lognormal", DistributionKind::lognormal)
        .value("table", DistributionKind::table);
    nb::enum_<ArrivalKind>(m, "ArrivalKind")
        .value("constant", ArrivalKind::constant)
        .value("poisson", ArrivalKind::poisson)
        .value("on_off", ArrivalKind::on_off)
        .value("timestamps", ArrivalKind::timestamps);
    nb::enum_<FlowPick>(m, "FlowPick")
        .value("uniform", FlowPick::uniform)
        .value("cyclic", FlowPick::cyclic)
        .value("zipf", FlowPick::zipf);
    nb::enum_<InputKind>(m, "InputKind")
        .value("port", InputKind::port)
        .value("ring", InputKind::ring)
        .value("accelerator", InputKind::accelerator);
    nb::enum_<OutputKind>(m, "OutputKind")
        .value("none", OutputKind::none)
        .value("port", OutputKind::port)
        .value("ring", OutputKind::ring)
        .value("accelerator", OutputKind::accelerator);
    nb::enum_<FanOut>(m, "FanOut")
        .value("flow", FanOut::flow)
        .value("round_robin", FanOut::round_robin);
    nb::enum_<WhenFull>(m, "WhenFull").value("drop", WhenFull::drop).value("wait", WhenFull::wait);
    nb::enum_<PrecisionTarget>(m, "PrecisionTarget")
        .value("throughput", PrecisionTarget::throughput)
        .value("latency", PrecisionTarget::latency)
        .value("loss", PrecisionTarget::loss);
}

void bind_model(nb::module_ &m)
{
    bind_struct<Distribution>(m, "Distribution", "A random quantity.");
    bind_struct<Arrivals>(m, "Arrivals", "When a source hands frames to the wire.");
    bind_struct<FrameSize>(m, "FrameSize", "A frame size and how often it comes.");
    bind_struct<FlowClass>(m, "FlowClass", "Packets of one kind.");
    bind_struct<Source>(m, "Source", "Where packets come from.");
    bind_struct<Pcie>(m, "Pcie", "A PCIe link.");
    bind_struct<Nic>(m, "Nic", "The packet engine that ports share.");
    bind_struct<Port>(m, "Port", "A port: wire, RSS, descriptor rings.");
    bind_struct<Drop>(m, "Drop", "A share of packets that ends in a stage.");
    bind_struct<Stage>(m, "Stage", "What a core does with a burst.");
    bind_struct<Input>(m, "Input", "What a task polls.");
    bind_struct<Output>(m, "Output", "Where a task's packets go.");
    bind_struct<Task>(m, "Task", "An input, stages, an output.");
    bind_struct<Disturbance>(m, "Disturbance", "What takes a core away.");
    bind_struct<Core>(m, "Core", "A poll loop over tasks.");
    bind_struct<Ring>(m, "Ring", "A bounded queue between cores.");
    bind_struct<Accelerator>(m, "Accelerator", "A device that serves packets.");
    bind_struct<Run>(m, "Run", "How long, how precisely, what to record.");
    bind_struct<Model>(m, "Model", "A whole model.");
}

void bind_results(nb::module_ &m)
{
    nb::class_<Estimate>(m, "Estimate", "A value with its interval, from batch means.")
        .def_ro("value", &Estimate::value)
        .def_ro("low", &Estimate::low)
        .def_ro("high", &Estimate::high)
        .def_ro("samples", &Estimate::samples);
    nb::class_<DropCount>(m, "DropCount", "Packets that ended somewhere, and why.")
        .def_ro("cause", &DropCount::cause)
        .def_ro("where", &DropCount::where)
        .def_ro("packets", &DropCount::packets);
    nb::class_<QueueResult>(m, "QueueResult", "A queue's occupancy.")
        .def_ro("name", &QueueResult::name)
        .def_ro("capacity", &QueueResult::capacity)
        .def_ro("entered", &QueueResult::entered)
        .def_ro("left", &QueueResult::left)
        .def_ro("mean", &QueueResult::mean)
        .def_ro("max", &QueueResult::max)
        .def_ro("mean_wait_ns", &QueueResult::mean_wait_ns);
    nb::class_<StageResult>(m, "StageResult", "What a stage did.")
        .def_ro("name", &StageResult::name)
        .def_ro("packets", &StageResult::packets)
        .def_ro("bursts", &StageResult::bursts)
        .def_ro("cycles", &StageResult::cycles);
    nb::class_<TaskResult>(m, "TaskResult", "What a task did.")
        .def_ro("name", &TaskResult::name)
        .def_ro("bursts", &TaskResult::bursts)
        .def_ro("packets", &TaskResult::packets)
        .def_ro("empty_polls", &TaskResult::empty_polls)
        .def_prop_ro("burst_sizes", tuple_of(&TaskResult::burst_sizes))
        .def_prop_ro("stages", tuple_of(&TaskResult::stages));
    nb::class_<CoreResult>(m, "CoreResult", "Where a core's time went.")
        .def_ro("name", &CoreResult::name)
        .def_ro("busy", &CoreResult::busy)
        .def_ro("polling", &CoreResult::polling)
        .def_ro("waiting", &CoreResult::waiting)
        .def_ro("disturbed", &CoreResult::disturbed)
        .def_ro("vectors_per_call", &CoreResult::vectors_per_call)
        .def_prop_ro("tasks", tuple_of(&CoreResult::tasks));
    nb::class_<Sample>(m, "Sample", "One interval of the time series.")
        .def_ro("end_ns", &Sample::end_ns)
        .def_ro("offered", &Sample::offered)
        .def_ro("forwarded", &Sample::forwarded)
        .def_ro("dropped", &Sample::dropped)
        .def_ro("mean_latency_ns", &Sample::mean_latency_ns)
        .def_prop_ro("busy", tuple_of(&Sample::busy))
        .def_prop_ro("vectors", tuple_of(&Sample::vectors))
        .def_prop_ro("waiting", tuple_of(&Sample::waiting));
    nb::class_<Histogram::Bar>(m, "Bar", "A bucket of a histogram, its ends included.")
        .def_ro("low", &Histogram::Bar::low)
        .def_ro("high", &Histogram::Bar::high)
        .def_ro("count", &Histogram::Bar::count);
    nb::class_<Histogram>(m, "Histogram", "Latencies in nanoseconds, in HdrHistogram's layout.")
        .def("percentile", &Histogram::percentile, "percent"_a)
        .def_prop_ro("min", &Histogram::min)
        .def_prop_ro("max", &Histogram::max)
        .def_prop_ro("mean", &Histogram::mean)
        .def_prop_ro("total", &Histogram::total)
        .def_prop_ro("digits", &Histogram::digits)
        .def("bars",
             [](const Histogram &self) -> nb::typed<nb::tuple, Histogram::Bar, nb::ellipsis> {
                 return nb::borrow<nb::typed<nb::tuple, Histogram::Bar, nb::ellipsis>>(
                     nb::tuple(nb::cast(self.bars())));
             });
    nb::class_<ClassResult>(m, "ClassResult", "Packets of one class.")
        .def_ro("name", &ClassResult::name)
        .def_ro("offered", &ClassResult::offered)
        .def_ro("forwarded", &ClassResult::forwarded)
        .def_ro("dropped", &ClassResult::dropped)
        .def_ro("in_flight", &ClassResult::in_flight)
        .def_ro("offered_pps", &ClassResult::offered_pps)
        .def_ro("throughput_pps", &ClassResult::throughput_pps)
        .def_ro("loss_ratio", &ClassResult::loss_ratio)
        .def_ro("mean_latency_ns", &ClassResult::mean_latency_ns)
        .def_ro("latency", &ClassResult::latency);
    nb::class_<Results>(m, "Results", "What a run answers.")
        .def_ro("stopped_by", &Results::stopped_by)
        .def_ro("simulated_ns", &Results::simulated_ns)
        .def_ro("measured_ns", &Results::measured_ns)
        .def_ro("steps", &Results::steps)
        .def_ro("offered", &Results::offered)
        .def_ro("forwarded", &Results::forwarded)
        .def_ro("dropped", &Results::dropped)
        .def_ro("in_flight", &Results::in_flight)
        .def_prop_ro("drops", tuple_of(&Results::drops))
        .def_ro("offered_pps", &Results::offered_pps)
        .def_ro("throughput_pps", &Results::throughput_pps)
        .def_ro("throughput_bps", &Results::throughput_bps)
        .def_ro("loss_ratio", &Results::loss_ratio)
        .def_ro("mean_latency_ns", &Results::mean_latency_ns)
        .def_ro("latency", &Results::latency)
        .def_prop_ro("cores", tuple_of(&Results::cores))
        .def_prop_ro("queues", tuple_of(&Results::queues))
        .def_prop_ro("classes", tuple_of(&Results::classes))
        .def_prop_ro("series", tuple_of(&Results::series))
        .def_ro("trace_json", &Results::trace_json)
        .def_ro("trace_left_out", &Results::trace_left_out);
}

} // namespace

NB_MODULE(_simulator, m)
{
    m.doc() = "Discrete-event simulation of poll-mode packet processing, bursts as events.";
    m.attr("VERSION") = kSimulatorVersion;
    nb::exception<ModelError>(m, "ModelError", PyExc_ValueError);
    nb::exception<InvariantError>(m, "InvariantError", PyExc_AssertionError);
    bind_enums(m);
    bind_model(m);
    bind_results(m);
    m.def("validate", &validate, "model"_a, "Raises ModelError if the model can't be run.");
    m.def(
        "simulate",
        [](const Model &model) {
            Model copy = model; // another Python thread may change it during that time
            return interruptible(
                [&](const std::atomic<bool> *cancel) { return simulate(copy, cancel); });
        },
        "model"_a, "Runs a model; the GIL is free during that time and Ctrl-C stops it.");
    m.def(
        "simulate_many",
        [](const std::vector<Model> &models, unsigned threads) {
            return interruptible([&](const std::atomic<bool> *cancel) {
                return simulate_many(models, threads, cancel);
            });
        },
        "models"_a, "threads"_a = 1U,
        "Runs many models on so many threads; answers in their order.");
}
