"""Topology from recorded trees of three kinds of machine."""

from __future__ import annotations

from pathlib import Path

from tests.host.trees import EPYC, VIRTUAL, XEON, write_tree

from planecast.host.root import Root
from planecast.host.topology import Topology, read_topology


def recorded(folder: Path, machine: object) -> Topology:
    return read_topology(Root(write_tree(folder, machine)))  # type: ignore[arg-type]


def test_a_xeon_with_priority_cores_and_rdt(tmp_path: Path) -> None:
    found = recorded(tmp_path, XEON)
    assert len(found.cores) == 40
    assert len(found.threads) == 80
    assert found.sockets == (0, 1)
    core = found.core_of(61)
    assert core is not None
    assert (core.threads, core.socket, core.node, core.llc) == ((21, 61), 1, 1, 1)
    assert (core.frequency.priority, core.frequency.base_mhz) == ("high", 2700)
    high = [c.first for c in found.cores if c.frequency.priority == "high" and c.socket == 1]
    assert high == [21, 26, 27, 33, 34, 36]
    assert core.isolated
    assert not found.cores[20].isolated
    assert found.caches[1].size_bytes == 28160 << 10
    l3 = found.rdt.l3
    assert l3 is not None
    assert (l3.mask, l3.least_bits, l3.shareable, l3.sparse) == (0x7FF, 1, 0x600, False)
    assert l3.domains == (0, 1)
    band = found.rdt.bandwidth
    assert band is not None
    assert (band.least, band.step, band.most, band.unit) == (10, 10, 100, "percent")
    assert found.rdt.classes == 16
    assert [(n.address, n.driver, n.node) for n in found.nics] == [
        ("0000:3b:00.0", "i40e", 0),
        ("0000:af:00.0", "i40e", 1),
    ]


def test_an_epyc_has_a_cache_for_four_cores_and_bandwidth_in_its_own_unit(tmp_path: Path) -> None:
    found = recorded(tmp_path, EPYC)
    assert len(found.caches) == 8
    assert found.caches[3].cpus == (12, 13, 14, 15, 44, 45, 46, 47)
    assert {core.llc for core in found.cores if core.first in (4, 5, 6, 7)} == {1}
    assert found.rdt.l3 is not None
    assert found.rdt.l3.sparse
    assert found.rdt.bandwidth is not None
    assert (found.rdt.bandwidth.unit, found.rdt.bandwidth.most) == ("1/8 GB/s", 2048)
    assert found.classes() == ("normal",)


def test_a_virtual_machine_has_neither(tmp_path: Path) -> None:
    found = recorded(tmp_path, VIRTUAL)
    assert [core.threads for core in found.cores] == [(0,), (1,)]
    assert found.rdt.supported == ()
    assert not found.rdt.mounted
    assert found.rdt.classes == 1
    assert found.cores[0].frequency.base_mhz == 0


def test_what_is_bound_is_reported(tmp_path: Path) -> None:
    task = "Name:\tpmd-c{0}\nPid:\t5{0}\nPPid:\t50\nCpus_allowed_list:\t{0}\n"
    free = "Name:\tshell\nPid:\t60\nPPid:\t50\nCpus_allowed_list:\t0-1\n"
    kernel = "Name:\tkworker/1:0\nPid:\t70\nPPid:\t2\nCpus_allowed_list:\t1\n"
    write_tree(tmp_path, VIRTUAL)
    for number, text in ((51, task.format(1)), (60, free), (70, kernel)):
        path = tmp_path / f"proc/{number}/task/{number}/status"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (bound,) = read_topology(Root(tmp_path)).pinned
    assert (bound.name, bound.cpus, bound.threads) == ("pmd-c1", (1,), 1)


def test_the_fingerprint_is_the_machines_and_not_its_state(tmp_path: Path) -> None:
    one = recorded(tmp_path / "one", XEON)
    (tmp_path / "one/sys/fs/resctrl/planecast").mkdir()
    (tmp_path / "one/sys/fs/resctrl/planecast/schemata").write_text("    L3:0=7ff;1=3\n")
    again = read_topology(Root(tmp_path / "one"))
    assert len(again.rdt.groups) == 2
    assert again.fingerprint == one.fingerprint
    assert recorded(tmp_path / "two", EPYC).fingerprint != one.fingerprint
