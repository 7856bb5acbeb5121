"""Traffic: the packets that are offered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from planecast.scenario.frames import FrameMix, mix_frames
from planecast.scenario.model import Bytes, Count, Noun
from planecast.scenario.shares import StageShares
from planecast.scenario.units import parse_rate_pps
from planecast.scenario.workload import MAX_FLOWS


def _rate(value: Any) -> Any:
    return parse_rate_pps(value) if isinstance(value, str) else value


OfferedRate = Annotated[
    float | None,
    Field(ge=1, le=1e10),
    BeforeValidator(_rate, json_schema_input_type=float | str | None),
]
"""Packets a second; a person may type ``14.88Mpps``."""


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

    @property
    def frames(self) -> tuple[tuple[int, float], ...]:
        """Every frame size in bytes, and how often it comes."""
        return mix_frames(self.frame_mix) or ((self.frame_bytes, 1.0),)

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
                f"got arrivals '{self.arrivals}', but packets come as fast as they are taken; set "
                "traffic.offered_pps"
            )
        if self.arrivals == "pcap" and self.frame_mix != "none":
            raise ValueError("frames have the capture's own sizes; leave traffic.frame_mix out")
        if self.arrivals == "on_off" and (self.burst_pps or 1e10) < (self.offered_pps or 0):
            raise ValueError(
                f"bursts come at {self.burst_pps:g} packets a second, less than the "
                f"{self.offered_pps:g} offered; raise traffic.burst_pps"
            )
        return self
