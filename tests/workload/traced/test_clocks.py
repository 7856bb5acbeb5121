"""Which stages a clock is of."""

from planecast.workload.traced.clocks import Timed, clocked_stages, timed


def test_the_program_is_all_that_the_ports_are_not() -> None:
    stages = ("source", "rx", "parse", "route", "tx", "other")
    assert clocked_stages("l3fwd", stages) == {
        "source": ("source",),
        "rx": ("rx",),
        "tx": ("tx",),
        "program": ("parse", "route", "other"),
    }
    assert "program" not in clocked_stages("testpmd io", ("source", "rx", "tx"))


def test_clocks_that_cut_through_stages_say_nothing() -> None:
    for subject in ("ovs", "ovs without EMC"):
        found = clocked_stages(subject, ("source", "rx", "classify", "tx"))
        assert found == {"source": ("source",)}


def test_clocks_that_cut_through_stages_are_together_of_all_of_them() -> None:
    source, joined = timed("ovs", ("source", "rx", "classify", "tx"))
    assert source == Timed(("source",), ("source",))
    assert joined == Timed(("rx", "program", "tx"), ("rx", "classify", "tx"))
    assert joined.name == "program"


def test_vpp_times_its_nodes_itself() -> None:
    found = clocked_stages("vpp ip4", ("source", "parse", "tx", "dispatch"))
    assert found == {"source": ("source", "dispatch"), "parse": ("parse",), "tx": ("tx",)}
