"""Raw trials as columns: one row a window, an lcore and a visit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planecast.dataplanes import TrialAnswer
from planecast.dataplanes.trial import LcoreAnswer

Floats = NDArray[np.float64]

_PLAIN = ("cycles", "packets", "bursts", "empty_polls", "sampled_packets", "sampled_bursts")


def _settled_columns(lcore: LcoreAnswer) -> dict[str, NDArray[np.generic]]:
    """How the visit warmed up, the same in every row; one that wasn't asked to counts as steady."""
    settled, count = lcore.settled, lcore.windows.count
    return {
        "steady": np.full(count, settled is None or settled.steady),
        "warm_blocks": np.full(count, settled.blocks if settled else 0),
        "warm_first_cycles": np.full(count, settled.first_cycles if settled else np.nan),
        "warm_last_cycles": np.full(count, settled.last_cycles if settled else np.nan),
    }


def _rotation_columns(lcore: LcoreAnswer) -> dict[str, NDArray[np.generic]]:
    """What became of packet buffers, where it was asked for; NaN elsewhere."""
    found, count = lcore.rotation, lcore.windows.count
    return {
        "rotation_share": np.full(count, found.share if found else np.nan),
        "rotation_buffers": np.full(count, found.buffers if found else np.nan),
    }


@dataclass
class TrialTable:
    """Every window of a run. Rows are appended; `columns` gives them as arrays of one length."""

    labels: Sequence[str]
    """Labels of the points, by number."""
    _parts: list[dict[str, NDArray[np.generic]]] = field(default_factory=list)
    _stages: list[dict[str, Floats]] = field(default_factory=list)

    def append(
        self,
        point: int,
        restart: int,
        visit: int,
        answer: TrialAnswer,
        handoff_ns: float | None = None,
    ) -> None:
        """Adds one visit's windows; `visit` numbers those of the run, `restart` the process;
        `handoff_ns` is what a cache line took from CPU to CPU, the longer of before and after."""
        for lcore in answer.lcores:
            windows = lcore.windows
            part: dict[str, NDArray[np.generic]] = {
                "point": np.full(windows.count, point),
                "restart": np.full(windows.count, restart),
                "visit": np.full(windows.count, visit),
                "cpu": np.full(windows.count, lcore.cpu),
                "segment": np.full(windows.count, lcore.segment),
                "window": np.arange(windows.count),
                "began_tsc": np.full(windows.count, lcore.began_tsc),
                "handoff_ns": np.full(windows.count, np.nan if handoff_ns is None else handoff_ns),
                **_rotation_columns(lcore),
                **_settled_columns(lcore),
            }
            for name in _PLAIN:
                part[name] = np.array(getattr(windows, name), dtype=np.int64)
            for name in ("canary_compute", "canary_chase"):
                pairs = np.array(getattr(windows, name), dtype=np.float64)
                part[f"{name}_before"], part[f"{name}_after"] = pairs[:, 0], pairs[:, 1]
            self._parts.append(part)
            self._stages.append(
                {name: np.array(c, dtype=np.float64) for name, c in windows.stage_cycles.items()}
            )

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """All rows; a stage that a point doesn't have reads NaN. Empty when there are none."""
        if not self._parts:
            return {}
        found = {
            name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]
        }
        names = dict.fromkeys(name for stages in self._stages for name in stages)
        for name in names:
            found[f"stage_{name}_cycles"] = np.concatenate(
                [
                    stages.get(name, np.full(len(part["point"]), np.nan))
                    for part, stages in zip(self._parts, self._stages, strict=True)
                ]
            )
        return found

    def stored(self) -> dict[str, NDArray[np.generic]]:
        """The columns with the points' labels, as ``trials.parquet`` keeps them."""
        columns = self.columns()
        if columns:
            numbers = np.asarray(columns["point"], dtype=np.int64)
            columns["label"] = np.array(list(self.labels), dtype=object)[numbers]
        return columns
