"""What VPP reports of itself: `show runtime`, `show interface` and `show clock verbose`.

Clocks of a node are TSC cycles a packet of that node, and a graph may pass a node several times:
the packets are those that the interfaces received. Time in the main loop between nodes is in no
node's clocks; with few packets it is much of the thread's time, at saturation next to none. So the
thread's clocks a packet come from the rate: clocks a second over packets a second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from planecast.errors import RunError
from planecast.results.estimate import Estimate

THREAD_CLOCKS = "thread clocks"
"""Name of an opinion: all TSC cycles of the thread that forwards, over its packets."""
CLOCKS = "clocks"
"""Name of an opinion: the TSC cycles of all nodes, over the packets."""
VECTORS = "vectors/call"
"""Name of an opinion: packets of a call of the node that takes most of them."""
NODE = "node "
"""Before a node's name in an opinion: its TSC cycles over the packets."""
_COLUMNS = ("Name", "State", "Calls", "Vectors", "Suspends", "Clocks", "Vectors/Call")
_RENAMED = {"Packet-Clocks": "Clocks"}
"""VPP 26.02 renamed a column."""
_INPUT_STATES = ("polling", "interrupt", "adaptive")
"""How the state of a node begins that takes packets from an interface."""
_RATE_IN = re.compile(r"vector rates in ([\d.e+-]+)")
_COUNTER = re.compile(r"(rx packets|tx packets|drops)\s+(\d+)\s*$")


@dataclass(frozen=True)
class NodeRuntime:
    """A graph node's row of ``show runtime``."""

    name: str
    state: str
    calls: int
    vectors: int
    """Packets, as often as they pass the node."""
    clocks: float
    """TSC cycles a packet; of a node without packets, a call."""
    vectors_per_call: float


@dataclass
class ThreadRuntime:
    """A thread's part of ``show runtime``."""

    name: str
    """Empty where VPP has one thread."""
    in_pps: float = 0.0
    """Packets a second from interfaces, since the last ``clear runtime``."""
    nodes: list[NodeRuntime] = field(default_factory=list)

    @property
    def inputs(self) -> list[NodeRuntime]:
        """Nodes that took packets from interfaces."""
        return [
            node for node in self.nodes if node.vectors and node.state.startswith(_INPUT_STATES)
        ]


def parse_runtime(text: str) -> list[ThreadRuntime]:
    """``show runtime``, thread by thread. Raises RunError for a table that isn't known."""
    threads = [ThreadRuntime("")]
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        rate = _RATE_IN.search(line)
        if words[:1] == ["Thread"] and len(words) > 1:
            threads.append(ThreadRuntime(words[2] if len(words) > 2 else words[1]))
        elif rate is not None:
            threads[-1].in_pps = float(rate[1])
        elif words[:2] == ["Name", "State"]:
            columns = _columns(words)
        elif columns and len(words) >= len(columns):
            with suppress(ValueError):  # a line of words, no row
                threads[-1].nodes.append(_node(columns, words))
    found = [thread for thread in threads if thread.nodes]
    if not found:
        raise RunError("this is no output of 'show runtime'", "VPP", "report VPP's version")
    return found


def parse_interfaces(text: str) -> dict[str, dict[str, int]]:
    """Counters of ``show interface`` by interface: rx packets, tx packets, drops. VPP leaves out
    those that are 0."""
    found: dict[str, dict[str, int]] = {}
    name = ""
    for line in text.splitlines():
        if line and not line[0].isspace():
            name = line.split()[0]
            found.setdefault(name, {})
        counter = _COUNTER.search(line)
        if counter is not None:
            found[name][counter[1]] = int(counter[2])
    return found


def parse_clock_hz(text: str) -> float | None:
    """Clocks a second, of ``show clock verbose``; None where VPP doesn't print them."""
    found = re.search(r"clocks/sec ([\d.]+)", text)
    return float(found[1]) if found else None


def opinion_of(
    threads: Sequence[ThreadRuntime], packets: int, clock_hz: float | None
) -> dict[str, Estimate]:
    """Cycles a packet of the thread that took most packets: in all, of its nodes together and of
    each, and the vectors of an input's call. `packets` is what the interfaces received."""
    busiest = max(threads, key=lambda thread: sum(node.vectors for node in thread.inputs))
    inputs = busiest.inputs
    if packets <= 0 or not inputs:
        return {}
    # Two inputs in one reply, a moment apart: what one thread of several took is its share.
    everything = sum(node.vectors for thread in threads for node in thread.inputs)
    taken = packets * sum(node.vectors for node in inputs) / everything

    def said(value: float, unit: str = "cycles/packet", samples: float = taken) -> Estimate:
        return Estimate(value=value, samples=round(samples), unit=unit, kind="measured")

    nodes = [node for node in busiest.nodes if node.vectors]
    by_node = {node.name: node.clocks * node.vectors / taken for node in nodes}
    first = max(inputs, key=lambda node: node.vectors)
    found: dict[str, Estimate] = {}
    if clock_hz is not None and busiest.in_pps > 0:
        found[THREAD_CLOCKS] = said(clock_hz / busiest.in_pps)
    found[CLOCKS] = said(sum(by_node.values()))
    found[VECTORS] = said(first.vectors_per_call, "packets")
    for node in nodes:
        found[f"{NODE}{node.name}"] = said(by_node[node.name], samples=node.vectors)
    return found


def received(counters: Mapping[str, Mapping[str, int]], names: Sequence[str]) -> int:
    """Packets that these interfaces received."""
    return sum(counters.get(name, {}).get("rx packets", 0) for name in names)


def _columns(words: Sequence[str]) -> list[str]:
    """The header's columns. Raises RunError for one that is missing."""
    named = [_RENAMED.get(word, word) for word in words]
    missing = [name for name in _COLUMNS if name not in named]
    if missing:
        raise RunError(f"'show runtime' has no column {missing[0]}", "VPP", "report VPP's version")
    return [word for word in named if word in _COLUMNS]


def _node(columns: Sequence[str], words: Sequence[str]) -> NodeRuntime:
    """A row; the state may be of two words. Raises ValueError for what is no row."""
    values = len(columns) - 2
    row = dict(zip(columns, [words[0], " ".join(words[1:-values]), *words[-values:]], strict=True))
    return NodeRuntime(
        row["Name"],
        row["State"],
        int(row["Calls"]),
        int(row["Vectors"]),
        float(row["Clocks"]),
        float(row["Vectors/Call"]),
    )
