// What a simulation is asked: enums, and structs with keyword constructors. The structs' own lists
// of fields (describe.hpp) make the properties, so a field can't be missing here.
//
// Lists come out as tuples: they are copies, and appending to a copy would be lost without a word.
#include "bindings.hpp"

#include "planecast/simulator/simulate.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>

namespace nb = nanobind;
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

} // namespace

void bind_enums(nb::module_ &m)
{
    nb::enum_<DistributionKind>(m, "DistributionKind")
        .value("constant", DistributionKind::constant)
        .value("exponential", DistributionKind::exponential)
        .value("lognormal", DistributionKind::lognormal);
    nb::enum_<ArrivalKind>(m, "ArrivalKind")
        .value("constant", ArrivalKind::constant)
        .value("poisson", ArrivalKind::poisson)
        .value("on_off", ArrivalKind::on_off)
        .value("timestamps", ArrivalKind::timestamps);
    nb::enum_<InputKind>(m, "InputKind")
        .value("port", InputKind::port)
        .value("ring", InputKind::ring)
        .value("accelerator", InputKind::accelerator);
    nb::enum_<OutputKind>(m, "OutputKind")
        .value("none", OutputKind::none)
        .value("port", OutputKind::port)
        .value("ring", OutputKind::ring)
        .value("accelerator", OutputKind::accelerator);
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
