"""What counters of one run report about a packet: instructions, cycles, and lines by level.

Files name their events as their tools do; what is meant is found by name (`FAMILIES`). Ratios are
taken round by round, so that they have a spread. Misses and accesses of the last level are of one
family of events, because loads alone and all requests differ by what is prefetched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.instruments.recorded import Recording
from planecast.scenario.machine import Machine
from planecast.topdown.event_names import plain_name
from planecast.topdown.plausible import impossible_clock, impossible_count

Floats = NDArray[np.float64]

INSTRUCTIONS = ("inst_retired_any", "instructions", "ex_ret_instr", "inst")
CYCLES = ("cpu_clk_unhalted_thread", "cycles", "cpu_cycles", "ls_not_halted_cyc", "acyc")
REFERENCE = ("cpu_clk_unhalted_ref_tsc", "ref_cycles")
L2_HITS = ("mem_load_retired_l2_hit", "mem_load_uops_retired_l2_hit")
FAMILIES = (
    ("longest_lat_cache_reference", "longest_lat_cache_miss"),
    ("mem_load_retired_l2_miss", "mem_load_retired_l3_miss"),
    ("mem_load_uops_retired_l2_miss", "mem_load_uops_retired_l3_miss"),
    ("cache_references", "cache_misses"),
    ("llc_loads", "llc_load_misses"),
    ("l2miss", "l3miss"),
)
"""Accesses and misses of the last level, by falling preference."""
LATENCY = (
    "offcore_requests_outstanding_l3_miss_demand_data_rd",
    "offcore_requests_l3_miss_demand_data_rd",
)
"""Cycles that loads from memory were under way, and how many there were."""
_PCM = frozenset({"INST", "ACYC", "L2MISS", "L3MISS"})
_SCALED = "pcm"
"""Tools that print counts in millions of one kind or another: their ratios alone are facts."""
LEAST_RUNNING = 0.05
"""Counted less of the time than this, an event is none to divide by (`explain.counters`)."""


@dataclass(frozen=True)
class Condition:
    """What is known of a run in addition to its counters."""

    label: str
    """Its file."""
    packets: float | None = None
    """Forwarded while it counted."""
    pps: float | None = None
    """Packets a second."""
    core_ghz: float | None = None
    """Clock of the cores; None: by the reference cycles, else the machine's base clock."""
    llc_ways: int | None = None
    """Ways of the last level that they could fill; None: all."""
    cores: int = 1
    """Cores that forwarded, all of them counted."""
    places: frozenset[str] = frozenset()
    """CPUs or cores of the file; all when empty."""


@dataclass(frozen=True)
class CountedRun:
    """A run, by packet and instruction."""

    condition: Condition
    instructions: float
    """A packet."""
    ghz: float
    cpi: Floats
    """Core cycles an instruction, by round."""
    l2_hits: Floats | None
    """Lines an instruction that L2 served, by round."""
    asked: Floats | None
    """Lines an instruction that the last level was asked for."""
    misses: Floats
    """Lines an instruction from memory."""
    memory_ns: float | None
    """Latency of memory, where it was counted."""
    remarks: tuple[str, ...]


def counted_run(recording: Recording, condition: Condition, machine: Machine) -> CountedRun:
    """What a recording reports about a packet.

    Raises InputError for a column that is missing (instructions, cycles, misses of the last level),
    for counts that can't be, for a missing number of packets, and for a clock that no core has.
    """
    rows = _rounds(recording, condition)
    inst = _needed(rows, INSTRUCTIONS, "instructions", condition)
    cycles = _needed(rows, CYCLES, "core cycles", condition)
    asked, misses = _last_level(rows, condition)
    remarks = list(recording.remarks)
    ghz = _clock(rows, condition, machine, remarks)
    hits = _first(rows, L2_HITS)
    usable = np.isfinite(inst) & (inst > 0) & np.isfinite(cycles) & np.isfinite(misses)
    if not usable.any():
        raise InputError(
            "no round has instructions, cycles and misses together",
            condition.label,
            "count them in one group, as perf stat -e '{…}' does",
        )
    whole = float(cycles[usable].sum() / inst[usable].sum())
    return CountedRun(
        condition,
        _instructions(recording, condition, rows, whole, ghz=ghz),
        ghz,
        cycles[usable] / inst[usable],
        None if hits is None else hits[usable] / inst[usable],
        None if asked is None else asked[usable] / inst[usable],
        misses[usable] / inst[usable],
        _latency(rows, ghz),
        tuple(remarks),
    )


def _rounds(recording: Recording, condition: Condition) -> dict[str, Floats]:
    """Sums over places of every event, by plain name and round; NaN where one is missing."""
    found: dict[str, dict[float, float]] = defaultdict(lambda: defaultdict(float))
    there = {count.place for count in recording.counts}
    strange = condition.places - there
    if strange and recording.counts:
        has = ", ".join(sorted(place for place in there if place)[:8]) or "none"
        raise InputError(
            f"{', '.join(sorted(strange))} is not in the file", condition.label, f"it has {has}"
        )
    for count in recording.counts:
        if condition.places and count.place not in condition.places:
            continue
        if count.value is None or count.running < LEAST_RUNNING:
            found[plain_name(count.event)][count.round] = float("nan")
            continue
        why = impossible_count(count.value, float("inf"))
        if why:
            raise InputError(f"{count.event} {why}", condition.label, "record again")
        found[plain_name(count.event)][count.round] += count.value
    for reading in recording.readings:
        # pcm reports on the whole system; INST and ACYC of no less
        if recording.tool == _SCALED and reading.name in _PCM and reading.place == "System":
            value = float("nan") if reading.value is None else reading.value
            found[reading.name.lower()][reading.round] += value
    rounds = sorted({end for values in found.values() for end in values})
    return {
        name: np.array([values.get(end, float("nan")) for end in rounds])
        for name, values in found.items()
    }


def _first(rows: Mapping[str, Floats], names: tuple[str, ...]) -> Floats | None:
    """The first of these that was counted at all."""
    for name in names:
        values = rows.get(name)
        if values is not None and np.isfinite(values).any():
            return values
    return None


def _needed(
    rows: Mapping[str, Floats], names: tuple[str, ...], what: str, condition: Condition
) -> Floats:
    found = _first(rows, names)
    if found is None:
        raise InputError(
            f"{what} are missing",
            condition.label,
            f"count one of {', '.join(map(_spelled, names))}",
        )
    return found


def _last_level(rows: Mapping[str, Floats], condition: Condition) -> tuple[Floats | None, Floats]:
    for asked, misses in FAMILIES:
        found = _first(rows, (misses,))
        if found is not None:
            return _first(rows, (asked,)), found
    names = ", ".join(_spelled(misses) for _, misses in FAMILIES)
    raise InputError(
        "misses of the last level are missing", condition.label, f"count one of {names}"
    )


def _spelled(plain: str) -> str:
    """A name as perf writes it, where the plain one shows it."""
    found = re.sub(r"^(longest_lat_cache|inst_retired|mem_load_retired)_", r"\1.", plain)
    found = re.sub(r"^(mem_load_uops_retired|cpu_clk_unhalted)_", r"\1.", found)
    generic = {"cache_misses": "cache-misses", "llc_load_misses": "LLC-load-misses"}
    return generic.get(found, found.upper() if found.upper() in (*_PCM, "L3MISS") else found)


def _clock(
    rows: Mapping[str, Floats], condition: Condition, machine: Machine, remarks: list[str]
) -> float:
    base = machine.values.base_ghz.value
    if condition.core_ghz is not None:
        return condition.core_ghz
    reference, cycles = _first(rows, REFERENCE), _first(rows, CYCLES)
    if reference is None or cycles is None:
        remarks.append(f"the cores' clock is taken for the base clock, {base:g} GHz")
        return base
    both = np.isfinite(reference) & np.isfinite(cycles) & (reference > 0)
    ghz = float(cycles[both].sum() / reference[both].sum()) * base if both.any() else base
    why = impossible_clock(ghz * 1e9)
    if why:
        raise InputError(why, condition.label, "give it: core_ghz=2.1")
    return ghz


def _instructions(
    recording: Recording,
    condition: Condition,
    rows: Mapping[str, Floats],
    cpi: float,
    *,
    ghz: float,
) -> float:
    """Instructions a packet: counted over packets, or cycles a packet over cycles an instruction.

    A core that polls is never halted, so cycles a packet are its clock over its rate.
    """
    if condition.packets is not None:
        if recording.tool == _SCALED:
            raise InputError(
                "pcm prints counts in millions of one kind or another",
                condition.label,
                "give the rate instead of the packets: pps=3.9Mpps",
            )
        inst = _first(rows, INSTRUCTIONS)
        assert inst is not None
        # A round that wasn't counted is taken to be as the others.
        return float(np.nanmean(inst) * inst.size) / condition.packets
    if condition.pps is None:
        raise InputError(
            "the number of packets is missing",
            condition.label,
            f"--from {condition.label},pps=3.9Mpps or ,packets=39e6",
        )
    return condition.cores * ghz * 1e9 / condition.pps / cpi


def _latency(rows: Mapping[str, Floats], ghz: float) -> float | None:
    under_way, requests = (_first(rows, (name,)) for name in LATENCY)
    if under_way is None or requests is None:
        return None
    both = np.isfinite(under_way) & np.isfinite(requests) & (requests > 0)
    return float(under_way[both].sum() / requests[both].sum()) / ghz if both.any() else None
