"""Families: the results of a run that differ along one axis alone, so that a figure can show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from planecast.report.labels import unique
from planecast.results import Result
from planecast.scenario import SCENARIO_KEYS, Scenario, point_label, value_if_any


@dataclass(frozen=True)
class Axis:
    """Something that a study varies and that has an order."""

    name: str
    """Short name; it becomes part of an anchor in the page."""
    noun: str
    """What a caption calls it."""
    title: str
    """What stands under the axis, with its unit."""
    key: str
    """The scenario's key."""
    follows: tuple[str, ...] = ()
    """Keys that may change along with it: a larger flow count needs a larger flow table."""


FLOWS = Axis("flows", "flows", "active flows", "traffic.flows", ("workload.flows",))
BURST = Axis("burst", "burst", "burst, packets at most", "placement.burst")
FRAME = Axis("frame", "frame size", "frame with FCS, bytes", "traffic.frame_bytes")
AXES = (FLOWS, BURST, FRAME)


@dataclass(frozen=True)
class Family:
    """Results along one axis, everything else alike."""

    axis: Axis
    members: tuple[int, ...]
    """Positions of the results, in the order of the axis."""
    labels: tuple[str, ...]
    """Where each stands on the axis."""
    common: str
    """In what this family differs from the other results of the run: ``burst=32``."""
    remarks: tuple[str, ...] = ()
    """What the stars in the labels mean: ``* workload.flows=262144``."""


def largest_family(axis: Axis, results: Sequence[Result], base: Scenario) -> Family | None:
    """The family with the most values on `axis`; None when nothing varies along it.

    Of equally large ones the one with most keys as in `base`.
    """
    free = {axis.key, *axis.follows, "name"}
    fixed = [key for key in SCENARIO_KEYS if key not in free]
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for position, result in enumerate(results):
        groups[tuple(value_if_any(result.scenario, key) for key in fixed)].append(position)
    at = _reader(results, axis)

    def rank(item: tuple[tuple[Any, ...], list[int]]) -> tuple[int, int]:
        alike = sum(
            value == value_if_any(base, key) for key, value in zip(fixed, item[0], strict=True)
        )
        return len({at(position) for position in item[1]}), alike

    if not groups:
        return None
    values, members = max(groups.items(), key=rank)
    if len({at(position) for position in members}) < 2:
        return None
    members = sorted(
        members, key=lambda m: [value_if_any(results[m].scenario, k) for k in _keys(axis)]
    )
    varied = [i for i in range(len(fixed)) if len({group[i] for group in groups}) > 1]
    shared = {fixed[i]: values[i] for i in varied if values[i] is not None}
    common = point_label(shared) if shared else ""
    labels, remarks = _labels(axis, results, members, base)
    return Family(axis, tuple(members), labels, common, remarks)


def _keys(axis: Axis) -> tuple[str, ...]:
    return axis.key, *axis.follows


def _reader(results: Sequence[Result], axis: Axis) -> Callable[[int], Any]:
    return lambda position: value_if_any(results[position].scenario, axis.key)


def _labels(
    axis: Axis, results: Sequence[Result], members: Sequence[int], base: Scenario
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The value on the axis, with stars where keys followed it away from `base`; the remarks."""
    labels = []
    stars: dict[str, str] = {}
    for member in members:
        scenario = results[member].scenario
        moved = {
            key: value_if_any(scenario, key)
            for key in axis.follows
            if value_if_any(scenario, key) != value_if_any(base, key)
        }
        star = ""
        if moved:
            # The key in full: the short name of the axis itself is often the same.
            text = " ".join(f"{key}={value}" for key, value in moved.items())
            star = stars.setdefault(text, "*" * (len(stars) + 1))
        labels.append(f"{value_if_any(scenario, axis.key):,}{star}")
    return tuple(unique(labels)), tuple(f"{star} {text}" for text, star in stars.items())
