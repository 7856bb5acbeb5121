"""Traffic: the packets that are offered."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from planecast.scenario.model import Bytes, Count, Noun
from planecast.scenario.workload import MAX_FLOWS


class Traffic(Noun):
    """Frames of one size over uniformly random flows, as fast as the data plane takes them."""

    frame_bytes: Annotated[Bytes, Field(ge=64, le=9000)] = 64
    """Length of a frame in bytes, with its checksum (FCS)."""
    flows: Annotated[Count, Field(ge=1, le=MAX_FLOWS)] = 65536
    """Flows that are active; each packet belongs to one of them, uniformly at random."""
    destination_step: str = "0.4.0.0"
    """What is added to the destination address from one packet to the next."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1
    """Seed of the random flows: the same seed gives the same packets."""

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
