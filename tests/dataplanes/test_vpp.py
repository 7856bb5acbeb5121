"""VPP by contract: what it is asked, what its releases reply, and what is made of it.

The replies are files in the formats of VPP 19.04 to 26.02 (replies/README.md); an installed VPP is
asked, too.
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
from planecast.dataplanes.vpp_graph import graph_of
from planecast.dataplanes.vpp_runtime import (
    ThreadRuntime,
    opinion_of,
    parse_clock_hz,
    parse_interfaces,
    parse_runtime,
    received,
)
from planecast.dataplanes.vpp_stages import stage_of
from planecast.errors import InputError, MissingError, RunError
from planecast.generators.matching import plain_stream
from planecast.scenario import Scenario, load_scenario

PROGRAMS = Path(__file__).parent / "programs"
SCENARIOS = Path(__file__).parents[2] / "scenarios"
HZ = 2.6e9

REPLIES = Path(__file__).parent / "replies"
RELEASES = sorted(folder.name for folder in REPLIES.iterdir() if folder.is_dir())
WITH_TABLES = [release for release in RELEASES if (REPLIES / release / "errors.txt").exists()]
PACKETS = 128_000_000
"""That the interfaces of the files have received."""


def shown(release: str, *commands: str, before: bool = False) -> dict[str, str]:
    """What a release replies to commands, by the command; `before` its table is filled."""
    end = ".before.txt" if before else ".txt"
    files = {command: command.replace(" ", "-") + end for command in commands}
    return {command: (REPLIES / release / name).read_text() for command, name in files.items()}


def errors(release: str) -> list[tuple[str, str]]:
    """Commands that fail, and what a release replies."""
    lines = (REPLIES / release / "errors.txt").read_text().splitlines()
    return [(lines[i].removeprefix("> "), lines[i + 1]) for i in range(0, len(lines), 2)]


EVERY_ERROR = [(release, *error) for release in WITH_TABLES for error in errors(release)]


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


def test_the_patch_goes_both_ways(fake: Path) -> None:
    with _vpp(fake, "l2patch"):
        pass
    assert _commands(fake)[4:] == [
        "test l2patch rx memif1/0 tx memif2/0",
        "test l2patch rx memif2/0 tx memif1/0",
        "set interface state memif1/0 up",
        "set interface state memif2/0 up",
    ]


@pytest.mark.parametrize(("release", "command", "reply"), EVERY_ERROR)
def test_every_reply_is_read(fake: Path, release: str, command: str, reply: str) -> None:
    """vppctl ends with 0 whatever VPP says."""
    _way(fake, replies={command: reply} | shown(release, "show version"))
    graph = "l2patch" if "l2patch" in command else "l2xc"
    with pytest.raises(RunError) as caught, _vpp(fake, graph):
        pass
    assert reply in str(caught.value)
    assert f"VPP: {command}" in str(caught.value)


@pytest.mark.parametrize("release", RELEASES)
def test_the_version_is_what_it_replies(fake: Path, release: str) -> None:
    _way(fake, replies=shown(release, "show version"))
    with _vpp(fake) as vpp:
        assert vpp.version.startswith(f"vpp v{release}-release built by")


def filled(release: str, command: str) -> dict[str, Any]:
    """The replies of a release whose table is filled by the file of entries."""
    return {
        "replies": shown(release, command, before=True),
        "after": {"/entries": shown(release, command)},
    }


@pytest.mark.parametrize("release", WITH_TABLES)
def test_stations_that_are_there_and_a_name_that_is_replied(fake: Path, release: str) -> None:
    """A name is no error."""
    way = filled(release, "show l2fib")
    way["replies"] |= {"create interface memif": "memif1/0", "create bridge-d": "bridge-domain 1"}
    _way(fake, **way)
    with _vpp(fake, "l2bridge", {"stations": 64}, traffic={"flows": 32}):
        pass
    entries = (fake.parent / "own/entries").read_text().splitlines()
    assert entries[0] == "l2fib add 02:00:00:00:00:00 1 memif1/0"
    assert entries[-1] == "l2fib add 02:00:01:00:00:1f 1 memif2/0"
    assert "set interface l2 bridge memif2/0 1" in _commands(fake)
    (fake / "commands").unlink()
    with (
        pytest.raises(RunError, match="64 of 66 table entries are there"),
        _vpp(fake, "l2bridge", {"stations": 66}, traffic={"flows": 32}),
    ):
        pass


def test_a_bridge_is_not_to_flood(fake: Path) -> None:
    with pytest.raises(InputError) as caught:
        _vpp(fake, "l2bridge", {"stations": 64}, traffic={"flows": 33})
    assert str(caught.value) == (
        "dataplane.stations: 33 flows are active, but the bridge knows the stations of 32 and "
        "would flood the others; raise it to 66, two of each flow, or lower traffic.flows"
    )


GRAPHS = {
    "ip4": ("show ip fib summary", "ip route add 128.0.0.3/32 via 198.18.0.3 memif2/0"),
    "ip6": ("show ip6 fib summary", "ip route add 2001:db8:3::/48 via fd00:2::3 memif2/0"),
}


def _routes(graph: str, routes: int) -> dict[str, Any]:
    tables = {"routes": routes, "next_hops": 2} | ({"route_depth": 32} if graph == "ip4" else {})
    return {"tables": tables, "traffic": {"flows": 64, "destination_step": "0.0.0.1"}}


@pytest.mark.parametrize("release", WITH_TABLES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_routes_at_the_scenarios_size(fake: Path, release: str, graph: str) -> None:
    command, route = GRAPHS[graph]
    _way(fake, **filled(release, command))
    with _vpp(fake, graph, **_routes(graph, 64)):
        pass
    neighbours = (fake.parent / "own/neighbours").read_text().splitlines()
    assert len(neighbours) == 2
    assert neighbours[0].startswith("set ip neighbor memif2/0 ")
    assert neighbours[0].endswith(" 02:00:02:00:00:00 static")
    entries = (fake.parent / "own/entries").read_text().splitlines()
    assert len(entries) == 64
    assert route in entries


@pytest.mark.parametrize("graph", GRAPHS)
def test_vpps_own_entries_are_no_routes_of_ours(fake: Path, graph: str) -> None:
    """A release that reports no error of a file: two routes of 66 are missing, and VPP has more
    than two entries of its own."""
    way = filled("22.02", GRAPHS[graph][0])
    _way(fake, **way)
    with (
        pytest.raises(RunError, match="64 of 66 table entries are there"),
        _vpp(fake, graph, **_routes(graph, 66)),
    ):
        pass
    (fake / "commands").unlink()
    _way(fake, replies=way["replies"])
    with (
        pytest.raises(RunError, match="0 of 64 table entries are there"),
        _vpp(fake, graph, **_routes(graph, 64)),
    ):
        pass
    _way(fake, replies=way["replies"] | {"exec": "exec: CLI line error: "})
    with pytest.raises(RunError, match="CLI line error"), _vpp(fake, graph, **_routes(graph, 64)):
        pass


def test_a_route_that_vpp_has_already_adds_no_entry(fake: Path) -> None:
    """Sixteen base routes are 0.0.0.0/4 to 240.0.0.0/4; VPP has the last two."""
    scenario = _scenario(fake / "vpp", "ip4", {"routes": 32}, traffic={"flows": 64})
    graph = graph_of(scenario, ["memif1/0", "memif2/0"])
    assert len(graph.entries) == 32
    assert graph.count == 30


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


@pytest.mark.parametrize("release", RELEASES)
def test_the_threads_clocks_are_those_of_its_rate(fake: Path, release: str) -> None:
    """Nodes have 104.1 cycles of 200: the main loop has the rest, and a packet is one packet."""
    _way(fake, replies=shown(release, "show runtime", "show interface", "show clock verbose"))
    with _vpp(fake) as vpp:
        vpp.begin_opinion()
        found = vpp.opinion()
        assert vpp.counters() == {
            "memif1/0 rx packets": PACKETS,
            "memif1/0 drops": 96,
            "memif2/0 tx packets": PACKETS - 96,
        }
    assert found["thread clocks"].value == pytest.approx(200)
    assert found["clocks"].value == pytest.approx(45.9 + 7.5 + 39.5 + 11.2)
    assert found["clocks"].samples == PACKETS
    assert found["vectors/call"].value == 128
    assert found["node l2-patch"].value == 7.5
    assert "clear runtime; clear interfaces; show interface" in _commands(fake)


def test_a_release_that_reads_one_command_of_a_call(fake: Path) -> None:
    """Its interfaces are cleared, too: packets and cycles are of the same time."""
    first = shown("21.01", "show runtime", "show interface", "show clock verbose")
    before = first["show interface"].replace(str(PACKETS), str(3 * PACKETS))
    _way(
        fake,
        one_command=True,
        replies=first | {"show interface": before},
        after={"clear interfaces": {"show interface": first["show interface"]}},
    )
    with _vpp(fake) as vpp:
        vpp.begin_opinion()
        assert vpp.opinion()["clocks"].value == pytest.approx(45.9 + 7.5 + 39.5 + 11.2)
    assert _commands(fake)[-5:-1] == [
        "clear runtime",
        "clear interfaces",
        "show runtime",
        "show interface",
    ]


def test_a_node_that_is_passed_three_times_is_three_nodes_work() -> None:
    text = shown("24.02", "show runtime")["show runtime"]
    text += f"ip4-lookup active {3 * PACKETS // 128} {3 * PACKETS} 0 2.00e1 128.00\n"
    found = opinion_of(parse_runtime(text), PACKETS, None)
    assert found["node ip4-lookup"].value == pytest.approx(60)
    assert found["clocks"].value == pytest.approx(164.1)
    assert found["clocks"].samples == PACKETS
    assert "thread clocks" not in found


@pytest.mark.parametrize("release", WITH_TABLES)
def test_entries_of_its_tables_are_counted(release: str) -> None:
    commands = ("show ip fib summary", "show ip6 fib summary", "show l2fib")
    full, bare = shown(release, *commands), shown(release, *commands, before=True)
    assert [entries_in(bare[command]) for command in commands] == [7, 4, 0]
    assert [entries_in(full[command]) for command in commands] == [71, 68, 64]


def test_what_is_no_table_is_said() -> None:
    assert opinion_of([ThreadRuntime("x")], 5, HZ) == {}
    counters = parse_interfaces(shown("19.04", "show interface")["show interface"])
    assert received(counters, ["memif1/0", "memif2/0"]) == PACKETS
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
