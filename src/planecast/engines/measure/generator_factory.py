"""Who sends in a search: from a scenario to a generator, ours or one of others."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.dataplanes.dut import Dut
from planecast.dataplanes.ovs import THREADS
from planecast.dataplanes.port import Port, eal_words, generator_ports
from planecast.engines.measure.tx_pacing import LINK_GBPS, run_keys
from planecast.errors import InputError
from planecast.generators import Generator, GeneratorConfig
from planecast.generators.config import StreamConfig
from planecast.generators.load import LoadGenerator, ServerPlan
from planecast.generators.matching import matching_stream, plain_stream
from planecast.generators.otg_client import OtgGenerator
from planecast.generators.trex import TrexGenerator
from planecast.scenario.plain_flows import plain_flows
from planecast.scenario.scenario import Scenario

_PLAIN = ("macswap", "l2patch")
"""Functions of our data plane that forward what generators of others send: IPv4 without tags."""


def joined(
    cpu: int,
    stream: StreamConfig,
    drain_s: float,
    ports: Sequence[Port],
    rx_queues: int = 1,
) -> GeneratorConfig:
    """Our generator next to what it feeds: one stream, sent and received in turn by one CPU. It
    sends at the first end and receives at the second."""
    tx, rx = generator_ports(ports)[1]
    rings = {
        name: port.slots
        for name, word, port in zip(("tx_ring", "rx_ring"), (tx, rx), ports, strict=True)
        if isinstance(word, str)  # DPDK's drivers are asked by their devices' options
    }
    return GeneratorConfig(
        tx=tx,
        rx=rx,
        rx_queues=rx_queues,
        link_gbps=LINK_GBPS,
        lcores=(cpu,),
        main_cpu=cpu,
        streams=(stream,),
        run=run_keys(drain_s),
        pool=rings,
    )


def generator_of(scenario: Scenario, dut: Dut, cpu: int) -> LoadGenerator:
    """The scenario's generator around a data plane whose ports are known by now; ours runs on
    `cpu`.

    Raises InputError for packets that a generator of others isn't asked for, and for one that has
    no ports.
    """
    ports, kind = dut.ports, scenario.generator.kind
    if kind != "ours":
        if ports is not None and scenario.started.cabled:
            raise InputError(
                "virtual Ethernet is in a namespace that planecast's own generator alone enters",
                "dataplane.ports",
                "take another kind, or that generator",
            )
        words = None if ports is None else (ports[0].device(0), ports[1].device(1))
        return other_sender(scenario, words, dut.drain_s)
    if ports is None:
        raise InputError(
            "nothing is started, and planecast's own generator has no ports of its own",
            "dataplane.kind",
            "name another one (generator.kind: otg or trex, its server and ports)",
        )
    ours = scenario.dataplane.kind == "ours"
    stream = matching_stream(scenario) if ours else plain_stream(scenario)
    # Each thread of a switch sends into a queue of its own.
    queues = THREADS if scenario.dataplane.kind == "ovs" and ports[1].kind == "memif" else 1
    config = joined(cpu, stream, dut.drain_s, ports, queues)
    return Generator(config, eal_words(generator_ports(ports)[0]), tuple(dut.before))


def other_sender(
    scenario: Scenario, locations: tuple[str, str] | None, drain_s: float
) -> LoadGenerator:
    """A generator of others; `locations` where the scenario names no ports, if there are any.

    Raises InputError without ports, or for packets that it isn't asked for.
    """
    wanted = scenario.generator
    if scenario.dataplane.kind == "ours" and scenario.forwards not in _PLAIN:
        raise InputError(
            f"{wanted.kind} is asked for IPv4 packets without tags, which {scenario.forwards} "
            "does not forward",
            "generator.kind",
            f"take planecast's own generator, or a workload.kind of {' or '.join(_PLAIN)}",
        )
    ports = wanted.ports or locations
    if ports is None:
        raise InputError(
            "nothing is started, so the generator has no ports",
            "generator.ports",
            "name two: where it sends, where it receives",
        )
    assert wanted.server is not None
    plan = ServerPlan(
        server=wanted.server,
        tx=ports[0],
        rx=ports[1],
        frame_bytes=scenario.traffic.frame_bytes,
        flows=scenario.traffic.flows,
        packets=plain_flows(scenario),
        drain_s=drain_s,
    )
    return TrexGenerator(plan) if wanted.kind == "trex" else OtgGenerator(plan)
