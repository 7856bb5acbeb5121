"""Who sends in a search: from a scenario to a generator, ours or one of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planecast.dataplanes.end import End, generator_ports
from planecast.engines.measure.pacing import LINK_GBPS, run_keys
from planecast.errors import InputError
from planecast.generators import Generator, GeneratorConfig
from planecast.generators.config import StreamConfig
from planecast.generators.load import LoadGenerator, ServerPlan
from planecast.generators.otg_client import OtgGenerator
from planecast.generators.trex import TrexGenerator
from planecast.scenario.scenario import Scenario

_PLAIN = ("macswap", "l2patch")
"""Functions of our data plane that forward what generators of others send: IPv4 without tags."""


@dataclass(frozen=True)
class EalWords:
    """How our generator is started beside its configuration."""

    arguments: Sequence[str]
    """EAL's."""
    before: Sequence[str] = ()
    """Words before its command, to run it in a network namespace."""


def joined(
    cpu: int,
    stream: StreamConfig,
    drain_s: float,
    ends: Sequence[End],
    rx_queues: int = 1,
) -> GeneratorConfig:
    """Our generator beside what it feeds: one stream, sent and received in turn by one CPU. It
    sends at the first end and receives at the second."""
    tx, rx = generator_ports(ends)[1]
    rings = {
        name: end.slots
        for name, port, end in zip(("tx_ring", "rx_ring"), (tx, rx), ends, strict=True)
        if isinstance(port, str)  # DPDK's drivers are asked by their devices' options
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


def sender(
    scenario: Scenario,
    config: GeneratorConfig,
    eal: EalWords,
    locations: tuple[str, str],
    drain_s: float,
) -> LoadGenerator:
    """The scenario's generator. `config` and `eal` are ours; `locations` are where it
    sends and receives as DPDK names them, for an OTG server of ours.

    Raises InputError for packets that a generator of others isn't asked for.
    """
    if scenario.generator.kind == "ours":
        return Generator(config, eal.arguments, eal.before)
    if scenario.started.cabled:
        raise InputError(
            "virtual Ethernet is in a namespace that planecast's own generator alone enters",
            "dataplane.ports",
            "take another kind, or that generator",
        )
    return other_sender(scenario, locations, drain_s)


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
        drain_s=drain_s,
    )
    return TrexGenerator(plan) if wanted.kind == "trex" else OtgGenerator(plan)
