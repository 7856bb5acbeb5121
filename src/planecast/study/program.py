"""Profile of a program of others for a study: counted once, traced at the ends of what is varied.

Counts and traces depend on the program, its traffic and what it was built with, and take from
seconds to a minute each: they are kept in the user's cache folder under a digest of these.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import Queue

import numpy as np

from planecast.cleanup import private_folder
from planecast.dataplanes.in_memory import portable, program_words
from planecast.dataplanes.meter import meter_library
from planecast.errors import InputError
from planecast.instruments.disk_cache import cache_folder, remembered
from planecast.instruments.memory_trace import PLUGIN
from planecast.instruments.side_by_side import worker_threads
from planecast.native import native_library
from planecast.scenario.draw import near_power_of_two
from planecast.scenario.model import Noun
from planecast.scenario.override import with_overrides
from planecast.scenario.points import keys_of, value_at
from planecast.scenario.scenario import Scenario
from planecast.study.buffer_rotation import rotations
from planecast.study.counted_program import count_program, map_of
from planecast.study.instructions import FEW_BURSTS
from planecast.study.traced_program import trace_once
from planecast.workload.counts import InstructionCounts
from planecast.workload.scenario_columns import NUMBERS
from planecast.workload.traced.coordinates import (
    FRAME,
    INSTRUCTIONS,
    ROTATION,
    Scale,
    bends,
    together,
)
from planecast.workload.traced.profile import TracedProfile
from planecast.workload.traced.program_profile import ProgramProfile, TracedPoint
from planecast.workload.traced.rotation import APART, Rotation, apart

Done = Callable[[int, int], None]

BURSTS = (4, 8, 16, 32)
"""Counted at least; larger ones only where a study has them, for many programs ask for 32."""
SECTIONS = ("traffic.", "dataplane.")
"""What a trace may depend on. Bursts are counted, and neighbours are the machine's."""
_UNTRACED = ("traffic.seed",)
STEP = 8.0
"""Ratio of neighbouring traced values at most: between them a line is drawn."""
SHARE = 0.25
"""And their distance at most where a key has a scale of its own, a share of packets."""


def profile_program(
    base: Scenario, scenarios: Sequence[Scenario], done: Done = lambda done, total: None
) -> ProgramProfile:
    """The profile of the base's program for keys as they vary over `scenarios`.

    Raises InputError for keys that are no numbers, and as `count_program` and `trace_once` do.
    """
    varied = varied_values([base, *scenarios])
    asked = {one.placement.burst for one in (base, *scenarios)}
    bursts = asked | {*BURSTS}
    rotation = _rotations(base, max(bursts)) if base.dataplane.kind == "command" else {}
    differing = apart(rotation, base.placement.burst, [*asked])
    burst_of_share = {rotation[burst].share: burst for burst in differing}
    plan = traced_points(base, varied, tuple(burst_of_share))
    cpus: Queue[int] = Queue()
    for cpu in sorted(os.sched_getaffinity(0)):
        cpus.put(cpu)

    def counted() -> InstructionCounts:
        with _on_one(base, cpus) as alone:
            return _counted(alone, tuple(sorted(bursts)))

    def traced(keys: Mapping[str, float]) -> TracedPoint:
        named = {key: value for key, value in keys.items() if key != ROTATION}
        with _on_one(with_overrides(base, named), cpus) as alone:
            made = _counted(alone, FEW_BURSTS) if FRAME in keys else None
            burst = burst_of_share.get(keys.get(ROTATION, -1.0), base.placement.burst)
            return TracedPoint(keys=dict(keys), trace=_traced(alone.in_bursts(burst)), counts=made)

    with worker_threads() as pool:
        whole = pool.submit(counted)
        started = [pool.submit(traced, keys) for keys in plan]
        done(0, len(plan) + 1)
        points = []
        for number, point in enumerate(started, 1):
            points.append(point.result())
            done(number, len(plan) + 1)
        counts = whole.result()
    done(len(plan) + 1, len(plan) + 1)
    at = {key: float(value_at(base, key)) for key in varied}
    if differing:
        at[ROTATION] = rotation[base.placement.burst].share
    some_rotate = any(one.share > APART for one in rotation.values())
    return ProgramProfile(
        subject=base.forwards,
        counts=counts,
        base=at,
        points=tuple(points),
        rotation=rotation if some_rotate else {},
    )


@contextmanager
def _on_one(scenario: Scenario, cpus: Queue[int]) -> Iterator[Scenario]:
    """The scenario on a CPU that no other count or trace has: they change nothing of each other."""
    cpu = cpus.get()
    try:
        yield scenario.model_copy(update={"placement": scenario.placement.on((cpu,))})
    finally:
        cpus.put(cpu)


def traced_points(
    base: Scenario, varied: Mapping[str, Sequence[float]], shares: Sequence[float] = ()
) -> list[dict[str, float]]:
    """The base, each key's values one at a time, those together that act together, and bursts with
    these `shares` of their buffers from the pool's ring."""
    alone = {key: _alone(base, key, varied) for key in varied}
    plan: list[dict[str, float]] = [{}]
    plan += [{key: value} for key, values in alone.items() for value in values]
    plan += [{ROTATION: share} for share in shares]
    for one, other in together(base.forwards):
        at = _bends(base, one, varied) if bends(base.forwards, one) == other else []
        pairs = itertools.product(_few(alone.get(one, ()), at), _few(alone.get(other, ())))
        plan += [{one: x, other: y} for x, y in pairs]
    return plan


def _alone(base: Scenario, key: str, varied: Mapping[str, Sequence[float]]) -> list[int]:
    """Traced values of a key but the base's, ascending."""
    scale = INSTRUCTIONS.get((base.forwards, key))
    wanted = traced_values(varied[key], scale, _bends(base, key, varied))
    found = dict.fromkeys(_possible(base, key, value) for value in wanted)
    return [value for value in found if value != value_at(base, key)]


def _bends(base: Scenario, key: str, varied: Mapping[str, Sequence[float]]) -> list[int]:
    """Values of a key at which its effect bends: the traced ones of another key."""
    other = bends(base.forwards, key)
    if other is None or other not in varied:
        return []
    return [int(value_at(base, other)), *_alone(base, other, varied)]


def _few(values: Sequence[int], at: Sequence[int] = ()) -> Sequence[int]:
    """The ends and, between them, those that are named, or the one in the middle."""
    between = [value for value in values if value in at] or values[len(values) // 2 :][:1]
    return list(dict.fromkeys([*values[:1], *between, *values[-1:]]))


def _possible(base: Scenario, key: str, value: float) -> int:
    """A value that a scenario may have, the nearest power of two where it takes no others."""
    try:
        with_overrides(base, {key: round(value)})
    except InputError:
        return near_power_of_two(round(value))
    return round(value)


def varied_values(scenarios: Sequence[Scenario]) -> dict[str, list[float]]:
    """Values of each key that a trace may depend on and that is not the same in all scenarios.

    Raises InputError for one that is no number, or whose numbers have no order.
    """
    found: dict[str, list[float]] = {}
    keys = dict.fromkeys(key for one in scenarios for key in keys_of(one))
    for key in keys:
        if not key.startswith(SECTIONS) or key in _UNTRACED:
            continue
        values = [value_at(one, key) for one in scenarios]
        if len(set(values)) == 1:
            continue
        if key not in NUMBERS or not all(isinstance(one, int) for one in values):
            raise InputError(
                "no trace leads from one value of it to another, so one study can't have several",
                key,
                "make a study of each of its values",
            )
        found[key] = [float(one) for one in values]
    return found


def traced_values(
    values: Sequence[float], scale: Scale | None = None, through: Sequence[float] = ()
) -> list[float]:
    """Lowest, highest, those that are to be `through`, and as many between as keep neighbours
    within `STEP`, and within `SHARE` on a scale of their own."""
    low, high = min(values), max(values)
    bend = next((float(value) for value in sorted(through) if low < value < high), None)
    if bend is not None:
        lower = traced_values([low, bend], scale)[:-1]
        return [*lower, *traced_values([bend, high], scale, through)]
    far = high / low > STEP * (1 + 1e-9)
    if scale is not None:
        ends = scale(np.array([low, high]))
        far = far or float(abs(ends[1] - ends[0])) > SHARE
    if not far:
        return [float(low), float(high)]
    middle = float(round(math.sqrt(low * high)))
    return [*traced_values([low, middle], scale)[:-1], *traced_values([middle, high], scale)]


def made_of(words: Sequence[str]) -> list[Path]:
    """The files that a program's command names, itself first, and the libraries that are loaded
    into it: a count is stale when one of them changes. DPDK's drivers are loaded by folder."""
    parts = [part for word in words for part in (word, word.partition("=")[2])]
    program = shutil.which(words[0]) or words[0]
    named = [Path(part) for part in (program, *parts) if part and Path(part).is_file()]
    done = subprocess.run(["ldd", program], check=False, capture_output=True, text=True)
    loaded = [Path(path) for path in re.findall(r"(/\S+) \(0x", done.stdout)]
    folders = {path.parent for path in loaded}
    drivers = [path for folder in folders for path in folder.glob("dpdk/pmds-*/*.so*")]
    return [path for path in dict.fromkeys([*named, *loaded, *drivers]) if path.is_file()]


@cache
def _content(file: Path, size: int, changed_ns: int) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def _digest(file: Path) -> bytes:
    """Of its content, read once while the file stays as it is."""
    found = file.stat()
    return _content(file.resolve(), found.st_size, found.st_mtime_ns)


def _traced(scenario: Scenario) -> TracedProfile:
    return remembered(_kept("traced", scenario), TracedProfile, lambda: trace_once(scenario))


def _counted(scenario: Scenario, bursts: tuple[int, ...]) -> InstructionCounts:
    kept = _kept(f"counted {bursts}", scenario)
    return remembered(kept, InstructionCounts, lambda: count_program(scenario, bursts, source=True))


class _Rotations(Noun):
    by_burst: dict[int, Rotation]


def _rotations(scenario: Scenario, most: int) -> dict[int, Rotation]:
    kept = _kept(f"rotations to {most}", scenario)
    return remembered(
        kept, _Rotations, lambda: _Rotations(by_burst=rotations(scenario, most))
    ).by_burst


def _kept(what: str, scenario: Scenario) -> Path:
    whole = hashlib.sha256()
    with private_folder() as folder:
        words = program_words(portable(scenario), Path(folder))
    files = [*made_of(words), meter_library(scenario.dataplane.kind), native_library(PLUGIN)]
    for digest in sorted({_digest(file) for file in files}):
        whole.update(digest)
    whole.update(what.encode())
    whole.update(map_of(scenario).model_dump_json().encode())
    whole.update(scenario.traffic.model_dump_json().encode())
    whole.update(scenario.dataplane.model_dump_json().encode())
    whole.update(str(scenario.placement.burst).encode())
    return cache_folder() / f"program-{whole.hexdigest()[:24]}.json"
