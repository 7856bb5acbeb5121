"""Packet memory of DPDK programs of others, which run with --no-huge: pages, and how buffers lie.

``planecast-memory.so`` is loaded before a program that the meter (which does the same) isn't in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from planecast.dataplanes.port import Port
from planecast.native import native_library
from planecast.scenario.dataplanes.dpdk_memory import MemoryLayout

LIBRARY = "planecast-memory.so"

Pages = Literal["2MiB", "4KiB", "no-huge"]
"""2MiB: large pages, and buffers side by side. 4KiB: such buffers in the small pages of EAL.
no-huge: as DPDK has it."""


def pages_for(layout: MemoryLayout, ports: Sequence[Port] = ()) -> Pages:
    """Memory that others read stays the one of EAL, whose pages are small."""
    if layout == "no-huge":
        return "no-huge"
    return "4KiB" if any(port.shares_memory for port in ports) else "2MiB"


def pages_environment(pages: Pages) -> dict[str, str]:
    """What says to a library of ours how memory is to lie."""
    return {"PLANECAST_METER_PAGES": pages}


def memory_environment(pages: Pages) -> dict[str, str]:
    """What loads the library; empty where nothing is to change. Raises MissingError when it isn't
    built."""
    if pages == "no-huge":
        return {}
    return {"LD_PRELOAD": str(native_library(LIBRARY)), **pages_environment(pages)}


def env_words(given: Mapping[str, str]) -> list[str]:
    """Words before a command that give it these variables."""
    return ["env", *(f"{name}={value}" for name, value in given.items())] if given else []
