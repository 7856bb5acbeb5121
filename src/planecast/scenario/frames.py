"""Frame mixes: sizes and how often each comes, as a person writes them: ``64:7,594:4,1518:1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

SHORTEST_BYTES = 64
"""An Ethernet frame with FCS has so many bytes at least."""
LONGEST_BYTES = 9000
FCS_BYTES = 4
"""Frame check sequence: a frame's last bytes, in no buffer and no capture."""
WIRE_BYTES = 20
"""Preamble, start delimiter and gap that a frame takes on a link in addition to itself (IEEE
802.3)."""
MOST_SIZES = 64

IMIX = "64:7,594:4,1518:1"
"""The usual Internet mix: of twelve frames seven short ones, four middle ones, a long one."""

_PART = re.compile(r"([0-9]{1,5})(?::([0-9]{1,9}(?:\.[0-9]{1,4})?))?")


def line_rate_pps(link_gbps: float, frame_bytes: float) -> float:
    """Frames a second of a link, of so many bytes in the mean."""
    return link_gbps * 1e9 / (8 * (frame_bytes + WIRE_BYTES))


def mean_bytes(frames: Sequence[tuple[int, float]]) -> float:
    """Of sizes and their weights."""
    return sum(size * weight for size, weight in frames) / sum(weight for _, weight in frames)


def mix_frames(text: str) -> tuple[tuple[int, float], ...]:
    """(bytes, weight) of every size, as written; nothing for ``none``.

    Raises ValueError, saying what it got and what is allowed.
    """
    if text == "none":
        return ()
    found: dict[int, float] = {}
    for part in (IMIX if text == "imix" else text).split(","):
        match = _PART.fullmatch(part.strip())
        size = int(match[1]) if match else 0
        weight = float(match[2] or 1) if match else 0.0
        if not SHORTEST_BYTES <= size <= LONGEST_BYTES or weight <= 0:
            raise ValueError(
                f"got '{text}', which is not a mix such as {IMIX}: sizes from {SHORTEST_BYTES} to "
                f"{LONGEST_BYTES} bytes, each with a weight above 0"
            )
        if size in found:
            raise ValueError(f"got '{text}', in which {size} appears twice")
        found[size] = weight
    if len(found) > MOST_SIZES:
        raise ValueError(f"got {len(found)} sizes, which are more than {MOST_SIZES}")
    return tuple(found.items())


def _mix(value: Any) -> str:
    if value is None:
        return "none"
    if not isinstance(value, str):
        raise ValueError(f"got {value}, which is not a mix such as {IMIX}")
    frames = mix_frames(value.strip())
    # One spelling for each mix, so that equal traffic compares equal.
    return ",".join(f"{size}:{weight:.14g}" for size, weight in frames) or "none"


FrameMix = Annotated[str, BeforeValidator(_mix, json_schema_input_type=str)]
"""Frame sizes with weights, ``imix`` or ``none``."""
