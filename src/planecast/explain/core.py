"""Core: the microarchitecture that a result was made on, from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.instruments.catalog_entry import microarchitecture_of_cpu
from planecast.results.manifest import Manifest
from planecast.scenario.machine import CoreValues


@dataclass(frozen=True)
class Frontend:
    """What bounds fetching and guessing, as the catalogue has it; see `CoreValues`."""

    decode_width: float
    fetch_bytes: float
    code_bytes: float
    """Of the first level of cache."""
    taken_branch_cycles: float
    mispredict_cycles: float
    reorder_buffer: float


@dataclass(frozen=True)
class Core:
    """What the explanation needs of a core."""

    title: str
    slots: float
    """Instructions that it issues a cycle at most, fused ones aside."""
    frontend: Frontend | None = None
    """None where the catalogue doesn't know it."""


def core_of(manifest: Manifest) -> Core | None:
    """The core that made a result; None for one that isn't in the catalogue, or isn't named."""
    found = microarchitecture_of_cpu(str(manifest.host.get("cpu_id", "")))
    if found is None:
        return None
    return Core(found.title, found.values.issue_width.value, _frontend(found.values))


def _frontend(values: CoreValues) -> Frontend | None:
    fetch, code = values.fetch_bytes, values.l1_code_kib
    taken, mispredict = values.taken_branch_cycles, values.mispredict_cycles
    if fetch is None or code is None or taken is None or mispredict is None:
        return None
    return Frontend(
        decode_width=values.decode_width.value,
        fetch_bytes=fetch.value,
        code_bytes=1024 * code.value,
        taken_branch_cycles=taken.value,
        mispredict_cycles=mispredict.value,
        reorder_buffer=values.reorder_buffer.value,
    )
