"""Traffic: the packets that are offered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from planecast.scenario.model import Bytes, Count, Noun
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
    """Frames of one size over uniformly random flows, as fast as they are taken or at a rate."""

    frame_bytes: Annotated[Bytes, Field(ge=64, le=9000)] = 64
    """Length of a frame in bytes, with its checksum (FCS)."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Flows that are active; each packet belongs to one of them, uniformly at random."""
    destination_step: str = "0.4.0.0"
    """What is added to the destination address from one packet to the next."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1
    """Seed of the random flows: the same seed gives the same packets."""
    offered_pps: OfferedRate = None
    """Packets a second that come in, over all lcores; null: as fast as they are taken."""
    arrivals: Literal["constant", "poisson"] = "constant"
    """Gaps between packets at an offered rate: all equal, or random ones of a Poisson process."""

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

    @field_validator("arrivals")
    @classmethod
    def _gaps_need_a_rate(cls, arrivals: str, info: ValidationInfo) -> str:
        rate = info.data.get("offered_pps", 1.0)  # absent when it was refused itself
        if arrivals != "constant" and rate is None:
            raise ValueError(
                f"got '{arrivals}', but packets come as fast as they are taken; set "
                "traffic.offered_pps"
            )
        return arrivals
