"""Instrument memory trace: re-use distances of a program's references to memory, by stage.

The program runs in QEMU's user-mode emulation (``qemu-x86_64``) with a plug-in of ours, which
follows one thread's references and keeps their stack distances by calling context: 10 to 20 million
references a second. What is found here is whose each context is.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from planecast.errors import MissingError, RunError
from planecast.instruments.elf import Elf
from planecast.native import how_to_build, native_library, peers_folder, set_up
from planecast.scenario.model import Noun
from planecast.workload.stage_map import Called, StageMap
from planecast.workload.traced.profile import DistanceBin, TouchHistogram, TracedStage, summed

PLUGIN = "planecast-trace.so"
TRACER = "QEMU's user-mode emulation"
INSTRUCTION_SET = "up to AVX2: QEMU does not emulate AVX-512"
UNPACKED = peers_folder() / "qemu-user"
"""Where this project's own set-up unpacks it."""
_EXACT, _SUB_BITS = 16, 3  # as in native/trace/histogram.hpp


class _Touches(Noun):
    count: int
    cold: int
    distances: dict[str, int]


class _Node(Noun):
    parent: int
    entry: int
    instructions: int
    prefetches: int
    mispredictions: int = 0
    loads: _Touches
    stores: _Touches
    pages: _Touches


class _Mapping(Noun):
    start: int
    end: int
    offset: int
    path: str


class Trace(Noun):
    """What the plug-in wrote."""

    lines: int
    """Distinct lines touched in all."""
    pages: int
    """Distinct pages of 4 KiB touched in all."""
    references: int
    """References followed in all."""
    mappings: list[_Mapping]
    nodes: list[_Node]


def trace_words(output: Path, given: Mapping[str, str]) -> list[str]:
    """Words before a program's command that trace it into `output`, with an environment of its own.

    Raises MissingError without the emulator or the plug-in.
    """
    plugin = native_library(PLUGIN)
    emulator, libraries = _emulator()
    words = ["env", f"LD_LIBRARY_PATH={libraries}"] if libraries else []
    words += [emulator, "-cpu", "max", "-plugin", f"{plugin},out={output}"]
    for name, value in given.items():
        words += ["-E", f"{name}={value}"]
    # The emulator's own libraries are none of the program's.
    return [*words, "-U", "LD_LIBRARY_PATH"] if libraries else words


def _emulator() -> tuple[str, str]:
    """Its path, and where its libraries are when it is unpacked only."""
    found = shutil.which("qemu-x86_64")
    if found is not None:
        return found, ""
    unpacked = UNPACKED / "usr/bin/qemu-x86_64"
    if os.access(unpacked, os.X_OK):
        folders = sorted(UNPACKED.glob("usr/lib/*-linux-*"))
        return str(unpacked), os.pathsep.join(map(str, folders))
    raise MissingError(
        "qemu-x86_64 is not installed, so memory can't be traced",
        "PATH",
        f"apt-get install qemu-user, or unpack it with {set_up('dev')}",
    )


def read_trace(output: Path) -> Trace:
    """Reads what the plug-in wrote. Raises RunError when it is not there or not readable."""
    try:
        return Trace.model_validate_json(output.read_bytes())
    except (OSError, ValidationError) as error:
        raise RunError(
            "QEMU's plug-in wrote no trace",
            what_to_do=f"build it again with {how_to_build()}; it needs QEMU 4.2 to 8.2",
        ) from error


def traced_stages(
    trace: Trace, stages: StageMap, packets: int, names: Mapping[Called, str] | None = None
) -> dict[str, TracedStage]:
    """Instructions and touches a packet by stage, in the map's order, ``other`` last; without what
    comes by time.

    `names` are those of functions without a symbol.
    """
    calls = [_called(trace.mappings, node.entry, names or {}) for node in trace.nodes]
    found: dict[str, list[TracedStage]] = defaultdict(list)
    for number, node in enumerate(trace.nodes):
        if node.instructions == node.loads.count == node.stores.count == 0:
            continue
        stack = [calls[above] for above in _stack(trace.nodes, number)]
        found[stages.stage_of(stack)].append(_stage(node, packets))
    kept = [name for name in found if name not in stages.by_time]
    return {name: summed(found[name]) for name in stages.in_order(kept)}


def _stack(nodes: Sequence[_Node], number: int) -> Iterable[int]:
    while number >= 0:
        yield number
        number = nodes[number].parent


def _called(mappings: Sequence[_Mapping], address: int, names: Mapping[Called, str]) -> Called:
    """The function that begins at an address of the process."""
    for mapping in mappings:
        if mapping.start <= address < mapping.end:
            path = Path(mapping.path)
            file = _elf(path)
            place = file.address_of(address - mapping.start + mapping.offset) if file else None
            if file is None or place is None:
                return Called(hex(address), path.name)
            call = Called(file.function_at(place), path.name)
            return call._replace(function=names.get(call, call.function))
    return Called(hex(address), "")


@cache
def _elf(path: Path) -> Elf | None:
    try:
        return Elf(path)
    except OSError:
        return None


def _stage(node: _Node, packets: int) -> TracedStage:
    return TracedStage(
        instructions_per_packet=node.instructions / packets,
        prefetches_per_packet=node.prefetches / packets,
        mispredictions_per_packet=node.mispredictions / packets,
        loads=_histogram(node.loads, packets),
        stores=_histogram(node.stores, packets),
        pages=_histogram(node.pages, packets),
    )


def _histogram(touches: _Touches, packets: int) -> TouchHistogram:
    return TouchHistogram(
        references_per_packet=touches.count / packets,
        bins=tuple(
            DistanceBin(int(start), _bin_end(int(start)), count / packets)
            for start, count in touches.distances.items()
        ),
        cold_per_packet=touches.cold / packets,
    )


def _bin_end(start: int) -> int:
    """Where the bin that starts here ends."""
    return start + (1 if start < _EXACT else 1 << (start.bit_length() - 1 - _SUB_BITS))
