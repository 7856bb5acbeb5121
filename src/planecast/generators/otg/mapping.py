"""A configuration of the model as a whole: what the generator is started with for it.

The generator has two ports and sends between them in both directions, so all flows share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planecast.generators.config import GeneratorConfig, StreamConfig, config_text
from planecast.generators.otg.errors import OtgError
from planecast.generators.otg.node import Node
from planecast.generators.otg.packet import packet_keys
from planecast.generators.otg.ports import Port, eal_arguments, link_rates, ports_of
from planecast.generators.otg.size import sizes_of
from planecast.generators.otg.timing import COUNTED, timing_keys

FLOWS_MAX = 256
"""Streams of the generator, at most."""


@dataclass(frozen=True)
class Resources:
    """What the model doesn't say: which CPUs, and what percents are of without ``layer1``."""

    lcores: tuple[int, ...]
    """CPU that sends and receives in turn, or one for each."""
    main_cpu: int
    link_gbps: float = 10.0
    run: Mapping[str, object] = field(default_factory=dict)
    """Keys of the generator's ``[run]``."""


@dataclass(frozen=True)
class Flow:
    """What metrics have to know of a flow."""

    name: str
    stream: str
    """Its stream in the generator, whose names take no blanks and dots."""
    tx: str
    rx: str | None
    packets: int
    """Packets after which it ends; 0: it runs until it is stopped."""
    counted: bool
    """Whether the model says so many packets, and not a time: then none may be missing."""
    metrics: bool
    loss: bool
    latency: bool


@dataclass(frozen=True)
class Plan:
    """A configuration that can be run."""

    ports: tuple[Port, ...]
    flows: tuple[Flow, ...]
    config: GeneratorConfig | None
    """None without flows: then there is nothing to start."""
    eal_arguments: tuple[str, ...]
    warnings: tuple[str, ...]
    """What is done otherwise than the model says."""

    def text(self) -> str:
        """The INI file, with the words for EAL as a comment."""
        if self.config is None:
            return "; no flows, so there is nothing to start\n"
        return f"; -- {' '.join(self.eal_arguments)}\n{config_text(self.config)}"


def plan_of(document: Any, resources: Resources) -> Plan:
    """What is started for a ``Config``. Raises OtgError that names all that is unsupported."""
    problems: list[str] = []
    config = Node(document, "", problems)
    ports = ports_of(config)
    speeds = link_rates(config, ports)
    nodes = config.children("flows")
    if len(nodes) > FLOWS_MAX:
        config.refuse("flows", f"has {len(nodes)}; supported are up to {FLOWS_MAX}")
    flows, streams = [], []
    for number, node in enumerate(nodes[:FLOWS_MAX]):
        tx, rx = _tx_rx(node.child("tx_rx"), ports)
        link_gbps = speeds.get(tx, resources.link_gbps)
        flow, stream = _flow(node, f"{number:02x}", (tx, rx), link_gbps)
        flows.append(flow)
        streams.append(stream)
    streams = _with_directions(flows, nodes, streams)
    _different_names(flows, nodes)
    config.finish()
    if problems:
        raise OtgError(problems)
    chosen, words, numbers = _devices(flows, ports)
    generator = GeneratorConfig(
        tx=numbers.get(flows[0].tx) if flows else None,
        rx=numbers.get(flows[0].rx or "") if flows else None,
        link_gbps=speeds.get(flows[0].tx, resources.link_gbps) if flows else resources.link_gbps,
        lcores=resources.lcores,
        main_cpu=resources.main_cpu,
        streams=tuple(streams),
        run=resources.run,
    )
    return Plan(
        ports=tuple(ports.values()),
        flows=tuple(flows),
        config=generator if chosen else None,
        eal_arguments=tuple(words),
        warnings=_warnings(streams),
    )


def _devices(
    flows: list[Flow], ports: dict[str, Port]
) -> tuple[list[Port], list[str], dict[str, int]]:
    """The ports that flows use, EAL's words for them, and their numbers by name."""
    used = {flow.tx for flow in flows} | {flow.rx for flow in flows}
    chosen = [port for port in ports.values() if port.name in used]
    words, numbers = eal_arguments(chosen)
    return chosen, words, {port.name: n for port, n in zip(chosen, numbers, strict=True)}


def _flow(
    node: Node, stream: str, ports: tuple[str, str | None], link_gbps: float
) -> tuple[Flow, StreamConfig]:
    name = node.text("name")
    if not name:
        node.refuse("name", "is missing")
    sizes = sizes_of(node)
    keys: dict[str, object] = packet_keys(node)
    keys["sizes"] = sizes.text
    keys.update(timing_keys(node, sizes.mean_bytes, link_gbps))
    counted = bool(keys.pop(COUNTED, False))
    metrics = node.child("metrics")
    latency = metrics.child("latency")
    flow = Flow(
        name=name,
        stream=stream,
        tx=ports[0],
        rx=ports[1],
        packets=int(str(keys["packets"])),
        counted=counted,
        metrics=metrics.flag("enable"),
        loss=metrics.flag("loss"),
        latency=latency.flag("enable"),
    )
    if latency.text("mode", "store_forward") != "store_forward":
        latency.refuse("mode", "is supported as store_forward only")
    latency.finish()
    metrics.finish()
    node.finish()
    return flow, StreamConfig(stream, keys)


def _tx_rx(node: Node, ports: dict[str, Port]) -> tuple[str, str | None]:
    """Names of the ports that a flow is sent by and expected at."""
    if not node.choice("port", ("port",)):
        return "", None
    port = node.child("port")
    tx = port.text("tx_name")
    one, several = port.text("rx_name"), port.texts("rx_names")
    if len(several) > 1:
        port.refuse("rx_names", "is supported with one port")
    rx = one or next(iter(several), None)
    for key, name in (("tx_name", tx), ("rx_name" if one else "rx_names", rx)):
        if name is not None and name not in ports:
            port.refuse(key, f"there is no port '{name}'")
    port.finish()
    node.finish()
    return tx, rx


def _with_directions(
    flows: list[Flow], nodes: list[Node], streams: list[StreamConfig]
) -> list[StreamConfig]:
    """The streams, those that go the first flow's way in reverse marked so."""
    found = []
    for flow, node, stream in zip(flows, nodes, streams, strict=False):
        first = flows[0]
        keys = stream.keys
        if first.rx != first.tx and (flow.tx, flow.rx) == (first.rx, first.tx):
            keys = {**keys, "direction": "reverse"}
        elif (flow.tx, flow.rx) != (first.tx, first.rx):
            node.refuse(
                "tx_rx.port",
                f"goes from {flow.tx} to {flow.rx or 'nowhere'}, and the first flow from "
                f"{first.tx} to {first.rx or 'nowhere'}; the flows of a configuration go between "
                "two ports, in both directions: run a server for each pair",
            )
        found.append(StreamConfig(stream.name, keys))
    return found


def _different_names(flows: list[Flow], nodes: list[Node]) -> None:
    names: set[str] = set()
    for flow, node in zip(flows, nodes, strict=False):
        if flow.name in names:
            node.refuse("name", f"there are two flows '{flow.name}'")
        names.add(flow.name)


def _warnings(streams: list[StreamConfig]) -> tuple[str, ...]:
    if any(stream.keys.get("headers") != "ethernet" for stream in streams):
        return (
            "flows[].packet: UDP checksums are 0 (none), and IPv4 identifications carry our mark",
        )
    return ()
