// What a simulation answers: structs that can be read. Lists come out as tuples.
#include "bindings.hpp"

#include "planecast/simulator/simulate.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace planecast::sim;

namespace
{

template <class Item, class Owner> auto tuple_of(std::vector<Item> Owner::*member)
{
    return [member](const Owner &self) -> nb::typed<nb::tuple, Item, nb::ellipsis> {
        return nb::borrow<nb::typed<nb::tuple, Item, nb::ellipsis>>(
            nb::tuple(nb::cast(self.*member)));
    };
}

} // namespace

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
