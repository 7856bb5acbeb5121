"""VPP by contract: what it is asked, what its releases reply, and what is made of it.

The replies are written from the formats of VPP 19.04 to 26.06; an installed VPP is asked, too.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from planecast.dataplanes.dut_chain import DutChain
from planecast.dataplanes.port import Port
from planecast.dataplanes.vpp import Vpp, entries_in
from planecast.dataplanes.vpp_runtime import (
    ThreadRuntime,
    opinion_of,
    parse_clock_hz,
    parse_interfaces,
    parse_runtime,
    received,
)
from planecast.errors import InputError, MissingError, RunError
from planecast.explain.graph_nodes import stage_of
from planecast.generators.matching import plain_stream
from planecast.scenario import Scenario, load_scenario

PROGRAMS = Path(__file__).parent / "programs"
SCENARIOS = Path(__file__).parents[2] / "scenarios"
HZ = 2.6e9

HEADERS = {
    "19.04": (
        "Time 1.5, average vectors/node 128.00, last 128 main loops 0.00 per node 0.00",
        "Clocks",
    ),
    "24.02": ("Time 1.5, 10 sec internal node vector rate 128.00 loops/sec 40000.00", "Clocks"),
    "26.02": (
        "Time 1.5, 10 sec internal node vector rate 128.00 loops/sec 40000.00",
        "Packet-Clocks",
    ),
}
"""The line before the rates, and the clocks' column."""
PATCH = (("memif-input", "polling", 45.9), ("l2-patch", "active", 7.5))
OUT = (("memif2/0-tx", "active", 39.5), ("memif2/0-output", "active", 11.2))


def _row(name: str, state: str, vectors: int, clocks: float) -> str:
    calls = max(vectors // 128, 1)
    counts = f"{calls:>16}{vectors:>16}{0:>16}"
    return f"{name:<30}{state:^12}{counts}{f'{clocks:.2e}':^16}{f'{vectors / calls:.2f}':^16}"


def runtime(
    release: str, vectors: int, nodes: tuple[tuple[str, str, float], ...], pps: float
) -> str:
    """``show runtime`` of two threads; each node was passed by `vectors` packets."""
    time, column = HEADERS[release]
    names = ("Name", "State", "Calls", "Vectors", "Suspends", column, "Vectors/Call")
    head = "".join(f"{name:^16}" for name in names)

    def thread(number: int, name: str, rate: float, rows: list[str]) -> str:
        rates = f"  vector rates in {rate:.4e}, out {rate:.4e}, drop 0.0000e0, punt 0.0000e0"
        return "\n".join([f"Thread {number} {name} (lcore {number})", time, rates, head, *rows])

    waiting = f"{'fib-walk':<30}{'any wait':^12}{0:>16}{0:>16}{3:>16}{'1.05e3':^16}{'0.00':^16}"
    forwarding = [_row(name, state, vectors, clocks) for name, state, clocks in nodes]
    empty = _row("unix-epoll-input", "polling", 0, 500.0)
    return "\n---------------\n".join(
        (
            thread(0, "vpp_main", 0.0, [waiting]),
            thread(1, "vpp_wk_0", pps, [*forwarding, empty]),
        )
    )


def interfaces(packets: int) -> str:
    """``show interface`` after so many packets from the first to the second."""
    head = (
        "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter    Count"
    )
    rows = [head, f"{'local0':<32}{'0':^5}{'down':^10}{'0/0/0/0':^21}"]
    for number, way in ((1, "rx"), (2, "tx")):
        first = f"{f'memif{number}/0':<32}{number:^5}{'up':^10}{'9000/0/0/0':^21}"
        rows += [
            f"{first}{f'{way} packets':<16}{packets:>16}",
            f"{'':<68}{f'{way} bytes':<16}{60 * packets:>16}",
        ]
    return "\n".join(rows)


@pytest.fixture
def fake(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a VPP and a vppctl that are none."""
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    folder = short_folder / "bin"
    folder.mkdir()
    for name in ("vpp", "vppctl"):
        program = folder / name
        program.write_text(f"#!{sys.executable} -IS\n{(PROGRAMS / f'{name}.py').read_text()}")
        program.chmod(0o755)
    _way(folder)
    return folder


def _way(folder: Path, **way: Any) -> None:
    (folder / "vpp.json").write_text(json.dumps({"replies": {}, **way}))


def _scenario(
    program: Path | str, graph: str = "l2xc", tables: Mapping[str, Any] | None = None, **keys: Any
) -> Scenario:
    dataplane = {"kind": "vpp", "program": str(program), "graph": graph, **(tables or {})}
    data = {"name": "s", "dataplane": dataplane, "placement": {"cpus": 0}, **keys}
    return Scenario.model_validate(data)


def _vpp(
    fake: Path, graph: str = "l2xc", tables: Mapping[str, Any] | None = None, **keys: Any
) -> Vpp:
    folder = fake.parent / "own"
    folder.mkdir(exist_ok=True)
    sockets = ("in.sock", "out.sock")
    ports = [Port(kind="memif", address=name, ring=512, server=True) for name in sockets]
    return Vpp(_scenario(fake / "vpp", graph, tables, **keys), ports, folder, cpu=0, main_cpu=1)


def _commands(fake: Path) -> list[str]:
    """What was asked once it answered."""
    lines = (fake / "commands").read_text().splitlines()
    return [line for line in lines if line != "show version"]


def test_two_interfaces_of_one_id_are_cross_connected(fake: Path) -> None:
    with _vpp(fake) as vpp:
        vpp.check()
    start = "create interface memif id 0 socket-id"
    ring = "master rx-queues 1 tx-queues 1 ring-size 512 hw-addr 02:00:00:00:00:0"
    assert _commands(fake) == [
        "create memif socket id 1 filename in.sock",
        f"{start} 1 {ring}2",
        "create memif socket id 2 filename out.sock",
        f"{start} 2 {ring}3",
        "set interface l2 xconnect memif1/0 memif2/0",
        "set interface l2 xconnect memif2/0 memif1/0",
        "set interface state memif1/0 up",
        "set interface state memif2/0 up",
    ]
    text = (fake.parent / "own/startup.conf").read_text()
    assert "plugin default { disable } plugin memif_plugin.so { enable }" in text


def test_every_reply_is_read(fake: Path) -> None:
    """vppctl ends with 0 whatever VPP says."""
    errors = {
        "create interface memif": "create interface memif: Invalid argument (unknown socket id)",
        "set interface state memif2": "set interface state: unknown interface `memif2/0 up'",
        "set interface l2": "set interface l2 xconnect: unknown peer interface `memif2/0'",
        "create memif socket": "create memif socket: Entry already exists (entry already exists)",
        "create memif": "create: unknown input `memif socket id 1 filename in.sock'",
    }
    for command, reply in errors.items():
        _way(fake, replies={command: reply})
        with pytest.raises(RunError) as caught, _vpp(fake):
            pass
        assert reply in str(caught.value)
        assert f"VPP: {command}" in str(caught.value)


def test_a_name_that_is_replied_is_no_error(fake: Path) -> None:
    _way(
        fake,
        replies={
            "create interface memif": "memif1/0",
            "create bridge-domain": "bridge-domain 1",
            "show l2fib": "L2FIB total/learned entries: 64/0  Last scan time: 0.0000e0sec",
        },
    )
    with _vpp(fake, "l2bridge", {"stations": 64}, traffic={"flows": 32}):
        pass
    entries = (fake.parent / "own/entries").read_text().splitlines()
    assert entries[0] == "l2fib add 02:00:00:00:00:00 1 memif1/0"
    assert entries[-1] == "l2fib add 02:00:01:00:00:1f 1 memif2/0"
    assert "set interface l2 bridge memif2/0 1" in _commands(fake)


@pytest.mark.parametrize(
    ("graph", "shown", "route"),
    [
        ("ip4", "show ip fib summary", "ip route add 128.0.0.3/32 via 198.18.0.3 memif2/0"),
        ("ip6", "show ip6 fib summary", "ip route add 2001:db8:3::/48 via fd00:2::3 memif2/0"),
    ],
)
def test_routes_at_the_scenarios_size(fake: Path, graph: str, shown: str, route: str) -> None:
    tables = {"routes": 64, "next_hops": 2} | ({"route_depth": 32} if graph == "ip4" else {})
    keys = {"tables": tables, "traffic": {"flows": 64, "destination_step": "0.0.0.1"}}
    table = "    Prefix length         Count\n                   0               1\n"
    _way(fake, replies={shown: f"{table}                  32              66\n"})
    with _vpp(fake, graph, **keys):
        pass
    entries = (fake.parent / "own/entries").read_text().splitlines()
    assert len(entries) == 2 + 64
    assert entries[0].startswith("set ip neighbor memif2/0 ")
    assert entries[0].endswith(" 02:00:02:00:00:00 static")
    assert route in entries
    _way(fake, replies={shown: f"{table}                  32              20\n"})
    with (
        pytest.raises(RunError, match="21 of 64 table entries are there"),
        _vpp(fake, graph, **keys),
    ):
        pass
    _way(fake, replies={"exec": "exec: CLI line error: ip route add"})
    with pytest.raises(RunError, match="CLI line error"), _vpp(fake, graph, **keys):
        pass


def test_no_workload_is_forwarded_in_silence() -> None:
    for name in ("vpe-upstream", "ip4", "l2bridge"):
        with pytest.raises(InputError, match="workload does not apply to vpp"):
            load_scenario(SCENARIOS / f"{name}.yaml", {"dataplane.kind": "vpp"})
    with pytest.raises(InputError, match=r"graph does not apply to testpmd; .* set .* to vpp"):
        load_scenario(SCENARIOS / "testpmd-io.yaml", {"dataplane.graph": "ip4"})


def test_the_stream_has_the_tables_addresses() -> None:
    routed = load_scenario(SCENARIOS / "vpp-ip4.yaml")
    keys = plain_stream(routed).keys
    assert (keys["destination_ip"], keys["destination_ip_step"]) == ("128.0.0.0", "0.0.64.1")
    bridged = load_scenario(SCENARIOS / "vpp-l2bridge.yaml")
    assert plain_stream(bridged).keys["destination_mac"] == "02:00:01:00:00:00"
    six = Scenario.model_validate({"name": "six", "dataplane": {"kind": "vpp", "graph": "ip6"}})
    with pytest.raises(InputError, match="sends no IPv6"):
        plain_stream(six)


def test_vppctl_is_looked_for_next_to_the_program(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (fake / "vppctl").unlink()
    if shutil.which("vppctl"):
        pytest.skip("vppctl is installed")
    with pytest.raises(MissingError, match="no vppctl next to"), _vpp(fake):
        pass


def test_a_vpp_that_ends_has_last_words(fake: Path) -> None:
    _way(fake, ends="vlib_call_all_config_functions: unknown input")
    with pytest.raises(RunError, match="unknown input"), _vpp(fake):
        pass


@pytest.mark.parametrize("release", HEADERS)
def test_the_threads_clocks_are_those_of_its_rate(fake: Path, release: str) -> None:
    """Nodes have 104.1 cycles of 200: the main loop has the rest, and a packet is one packet."""
    packets = 128_000_000
    shown = {"show runtime": runtime(release, packets, (*PATCH, *OUT), 13e6)}
    shown |= {"show interface": interfaces(packets), "show clock verbose": f"clocks/sec {HZ:f}"}
    _way(fake, replies=shown)
    with _vpp(fake) as vpp:
        vpp.begin_opinion()
        found = vpp.opinion()
        assert vpp.counters() == {"memif1/0 rx packets": packets, "memif2/0 tx packets": packets}
    assert found["thread clocks"].value == pytest.approx(200)
    assert found["clocks"].value == pytest.approx(45.9 + 7.5 + 39.5 + 11.2)
    assert found["vectors/call"].value == 128
    assert found["node l2-patch"].value == 7.5
    assert "clear runtime; clear interfaces" in _commands(fake)


def test_a_node_that_is_passed_three_times_is_three_nodes_work() -> None:
    text = runtime("24.02", 1_000_000, (("memif-input", "polling", 50.0),), 1e6)
    text += "\n" + _row("ip4-lookup", "active", 3_000_000, 20.0)
    found = opinion_of(parse_runtime(text), 1_000_000, None)
    assert found["node ip4-lookup"].value == pytest.approx(60)
    assert found["clocks"].value == pytest.approx(110)
    assert found["clocks"].samples == 1_000_000
    assert "thread clocks" not in found


def test_what_is_no_table_is_said() -> None:
    assert opinion_of([ThreadRuntime("x")], 5, HZ) == {}
    assert received(parse_interfaces(interfaces(7)), ["memif1/0", "memif2/0"]) == 7
    assert parse_clock_hz("Time now 4.9, reftime 4.9, error .001, clocks/sec 2599284394.18") > 2e9  # type: ignore[operator]
    assert parse_clock_hz("Time now 4.9") is None
    assert entries_in("no l2fib entries") == 0
    with pytest.raises(RunError, match="no output of"):
        parse_runtime("hello")
    with pytest.raises(RunError, match="no column Clocks"):
        parse_runtime("Name State Calls Vectors Suspends Ticks Vectors/Call\n")


@pytest.mark.parametrize(
    ("node", "stage"),
    [
        ("memif-input", ("rx", "I/O")),
        ("memif2/0-tx", ("tx", "I/O")),
        ("memif2/0-output", ("tx", "I/O")),
        ("ethernet-input", ("parse", "processing")),
        ("l2-input", ("parse", "processing")),
        ("l2-learn", ("learn", "processing")),
        ("l2-output", ("forward", "processing")),
        ("ip4-lookup", ("next_hop", "processing")),
        ("ip6-rewrite", ("rewrite", "processing")),
        ("my-plugin", ("my-plugin", "processing")),
    ],
)
def test_nodes_belong_to_stages(node: str, stage: tuple[str, str]) -> None:
    assert stage_of(node) == stage


@pytest.fixture
def installed(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A VPP that is here: in PATH, or where PLANECAST_TEST_VPP says."""
    program = os.environ.get("PLANECAST_TEST_VPP") or shutil.which("vpp")
    if program is None:
        pytest.skip("VPP is not installed")
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    return program


@pytest.mark.parametrize("graph", ["l2xc", "l2patch", "l2bridge", "ip4", "ip6"])
def test_a_vpp_that_is_installed(installed: str, graph: str) -> None:
    """It takes every command, has the tables, and answers what it is asked about itself."""
    tables = {"l2bridge": {"stations": 4096}, "ip4": {"routes": 4096}, "ip6": {"routes": 4096}}
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("VPP's worker has a CPU of its own")
    keys = {"placement": {"cpus": str(cpus[1])}, "traffic": {"flows": 64}}
    scenario = _scenario(installed, graph, tables.get(graph), **keys)
    with DutChain(scenario, cpus[0]) as line:
        line.begin_opinion()
        line.check()
        assert line.opinion() == {}
        assert list(line.cpu_seconds()) == [cpus[1]]
