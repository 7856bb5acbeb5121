"""One scenario under several versions of a program, as FD.io's C-Dash compares releases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planecast.errors import InputError
from planecast.results.compare import MARGIN, ratio_verdict
from planecast.results.estimate import Estimate, ratio
from planecast.results.history import (
    Observation,
    Series,
    grouped,
    histories,
    mean_of,
    pooled_deviation,
)
from planecast.results.manifest import Manifest

_HOST_VERSIONS = ("kernel",)
"""Versions that a manifest holds among its host's facts."""


@dataclass(frozen=True)
class UnderVersion:
    """One scenario under one version."""

    version: str
    value: Estimate
    """Mean of its runs; the samples are the runs."""
    levels: int
    """How many levels its runs are on: of more than one the mean says little."""
    ratio: Estimate | None
    """Over the first version; None for that one."""
    verdict: str
    """``same within 1 %``, ``higher``, ``lower``, ``undecided``; empty without a ratio."""


@dataclass(frozen=True)
class Versions:
    """A series by version, in the order in which the versions were first run."""

    series: Series
    versions: tuple[UnderVersion, ...]


def version_of(manifest: Manifest, key: str) -> str:
    """The version that a run had; empty where it kept none."""
    facts = manifest.host if key in _HOST_VERSIONS else manifest.versions
    return str(facts.get(key, ""))


def by_version(found: Iterable[Observation], key: str) -> list[Versions]:
    """Every series that was run under two versions or more of `key`.

    Raises InputError when no run keeps that version.
    """
    everything = list(found)
    if not any(version_of(one.manifest, key) for one in everything):
        known = sorted({name for one in everything for name in one.manifest.versions})
        raise InputError(
            f"no run keeps a version of {key}", f"--by {key}", ", ".join([*known, *_HOST_VERSIONS])
        )
    rows = (_row(members, key) for members in grouped(everything))
    return [row for row in rows if len(row.versions) > 1]


def _row(members: Sequence[Observation], key: str) -> Versions:
    groups: dict[str, list[Observation]] = {}
    for one in members:
        groups.setdefault(version_of(one.manifest, key) or "unknown", []).append(one)
    spread = pooled_deviation(list(groups.values()))
    first: Estimate | None = None
    found = []
    for version, runs in groups.items():
        value = mean_of(runs, *spread)
        over = None if first is None else ratio(value, first)
        (own,) = histories(runs)
        found.append(
            UnderVersion(version, value, len(own.levels), over, ratio_verdict(over, MARGIN))
        )
        first = first or value
    (series,) = histories(members)
    return Versions(series, tuple(found))
