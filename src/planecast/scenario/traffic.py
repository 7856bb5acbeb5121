"""Traffic: the packets that are offered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from planecast.scenario.flow_class import (
    ClassTraffic,
    FlowClasses,
    classes_text,
    filled,
    flow_classes,
)
from planecast.scenario.frames import FrameMix, mix_frames
from planecast.scenario.model import Bytes, Count, Noun, OfferedRate
from planecast.scenario.shares import StageShares
from planecast.scenario.workload import MAX_FLOWS


class Traffic(Noun):
    """Frames over uniformly random flows, as fast as they are taken or at a rate."""

    frame_bytes: Annotated[Bytes, Field(ge=64, le=9000)] = 64
    """Length of a frame in bytes, with its checksum (FCS)."""
    frame_mix: FrameMix = "none"
    """Sizes and weights instead of one length, such as 64:7,594:4,1518:1, which imix stands for;
    sizes come at random. The simulator's alone."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Flows that are active; each packet belongs to one of them, uniformly at random."""
    destination_step: str = "0.4.0.0"
    """What is added to the destination address from one packet to the next."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1
    """Seed of the random flows: the same seed gives the same packets."""
    offered_pps: OfferedRate = None
    """Packets a second that come in, over all lcores; null: as fast as they are taken."""
    arrivals: Literal["constant", "poisson", "on_off", "pcap"] = "constant"
    """When packets come at an offered rate: at equal gaps; at random ones of a Poisson process; in
    bursts of ``burst_packets`` with pauses between; when those of the capture ``pcap`` came."""
    burst_packets: Annotated[Count, Field(ge=1, le=1_000_000)] = 32
    """on_off: packets of a burst."""
    burst_pps: OfferedRate = None
    """on_off: packets a second within a burst; null: they come all at once."""
    burst_gaps: Literal["constant", "poisson"] = "constant"
    """on_off: pauses between bursts: all equal, or random ones (exponential)."""
    pcap: str | None = None
    """pcap: the capture file. Its times, sizes and five-tuples are taken, again and again; an
    offered rate stretches its times. In a scenario file, relative to that file's folder."""
    new_flows_pps: Annotated[float, Field(ge=0, le=1e10)] = 0.0
    """Packets a second that open a flow: each costs ``workload.new_flow_cycles`` more."""

    dropped: StageShares = "none"
    """Share of the packets that reach a stage and are dropped there, such as acl:0.01,classify:5%:
    rules that deny, flows and routes that are missing, policers. The simulator's alone."""
    drop_cycles: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """TSC cycles that such a packet costs more in the stage that drops it."""
    classes: FlowClasses = "none"
    """Kinds of packets, each with its own share or rate, sizes, flows and DSCP, as a list such as
    [{name: voice, share: 20%, frame_bytes: 128, flows: 1024, dscp: 46}, {name: bulk, share: 80%}];
    keys that a class leaves out are those of the traffic. Results then are by class, too. The
    simulator's; the closed form uses shares and flows."""

    @property
    def frames(self) -> tuple[tuple[int, float], ...]:
        """Every frame size in bytes, and how often it comes, over all classes."""
        if self.classes == "none":
            return self._frames
        found: dict[int, float] = {}
        for one in self.by_class:
            whole = sum(weight for _, weight in one.frames)
            for size, weight in one.frames:
                found[size] = found.get(size, 0.0) + one.share * weight / whole
        return tuple(found.items())

    @property
    def _frames(self) -> tuple[tuple[int, float], ...]:
        return mix_frames(self.frame_mix) or ((self.frame_bytes, 1.0),)

    @property
    def by_class(self) -> tuple[ClassTraffic, ...]:
        """The classes; without any, one of all packets."""
        classes = flow_classes(self.classes)
        if not classes:
            return (ClassTraffic("all", 1.0, self._frames, self.flows, red=False),)
        return filled(classes, self._frames, self.flows)

    @property
    def active_flows(self) -> int:
        """Flows of all classes."""
        return sum(one.flows for one in self.by_class)

    @property
    def rated_classes(self) -> bool:
        """Whether each class has arrivals of its own."""
        return any(one.offered_pps is not None for one in flow_classes(self.classes))

    @property
    def at_a_rate(self) -> bool:
        """Whether packets come when they come, not as fast as they are taken."""
        return self.offered_pps is not None or self.arrivals == "pcap"

    @field_validator("destination_step")
    @classmethod
    def _dotted(cls, step: str) -> str:
        parts = step.split(".")
        if len(parts) != 4 or not all(
            part.isascii() and part.isdigit() and len(part) <= 3 and int(part) <= 255
            for part in parts
        ):
            raise ValueError(f"got '{step}', which is not an IPv4 step such as 0.4.0.0")
        return ".".join(str(int(part)) for part in parts)

    @model_validator(mode="before")
    @classmethod
    def _offered_by_classes(cls, data: Any) -> Any:
        # What classes offer together is what is offered.
        if not isinstance(data, Mapping) or data.get("offered_pps") is not None:
            return data
        total = _offered(data.get("classes"))
        return {**data, "offered_pps": total} if total else data

    @model_validator(mode="after")
    def _classes_fit(self) -> Self:
        total = _offered(self.classes)
        if total and not math.isclose(total, self.offered_pps or 0.0, rel_tol=1e-9):
            raise ValueError(
                f"classes offer {total:,.14g} packets a second together, but traffic.offered_pps "
                f"says {self.offered_pps:,.14g}; set it to that, or to null"
            )
        if self.classes != "none" and self.arrivals == "pcap":
            raise ValueError("a capture's packets are of one class; leave traffic.classes out")
        return self

    @model_validator(mode="after")
    def _arrivals_fit(self) -> Self:
        if self.arrivals == "pcap" and self.pcap is None:
            raise ValueError("arrivals is 'pcap', but no file is named; set traffic.pcap")
        if self.pcap is not None and self.arrivals != "pcap":
            raise ValueError(
                f"a pcap file is named, but arrivals is '{self.arrivals}'; set "
                "traffic.arrivals to pcap"
            )
        if self.arrivals != "constant" and not self.at_a_rate:
            raise ValueError(
                f"got arrivals '{self.arrivals}' without a rate; to simulate, set "
                "traffic.offered_pps too; a search or a curve offers loads of its own at equal "
                "gaps: leave traffic.arrivals out"
            )
        if self.arrivals == "pcap" and self.frame_mix != "none":
            raise ValueError("frames have the capture's own sizes; leave traffic.frame_mix out")
        if self.arrivals == "on_off" and (self.burst_pps or 1e10) < (self.offered_pps or 0):
            raise ValueError(
                f"bursts come at {self.burst_pps:g} packets a second, less than the "
                f"{self.offered_pps:g} offered; raise traffic.burst_pps"
            )
        return self


def _offered(classes: Any) -> float:
    """Packets a second of classes with rates; 0 for others, and for what is refused elsewhere."""
    try:
        text = classes_text(classes)
    except ValueError:
        return 0.0
    return sum(one.offered_pps or 0.0 for one in flow_classes(text))
