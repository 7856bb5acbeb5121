"""Trials at offered loads as columns: one row a trial, what both programs counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure.testbed import LoadTrial

Columns = dict[str, NDArray[Any]]

OVERLOAD = -1
"""The point of the trials that send as fast as the generator can."""
IDLE = -2
"""The point of the trials without traffic."""
SINGLE = -3
"""The point of the trials whose packets come one by one."""
PAUSES = -4
"""The point of the recordings of what takes the CPUs away. They are no trials."""
RX_RING = "rx_ring"
"""Cause of the loss of packets that found the receive ring full."""
UNACCOUNTED = "unaccounted"
"""Cause of the loss of packets whose end neither program reported."""


@dataclass
class LoadTable:
    """Every trial of a curve. Rows are appended; `columns` gives them as arrays of one length."""

    rows: list[dict[str, float]] = field(default_factory=list)

    def append(
        self,
        point: int,
        round_: int,
        restart: int,
        trial: LoadTrial | TrialAnswer,
        *,
        handoff_ns: float | None = None,
    ) -> None:
        """Adds a trial; `point` numbers the load, `round_` the turn of all loads. Without traffic
        there is the data plane's answer alone. `handoff_ns` is what a cache line took between the
        CPUs before the round."""
        where: dict[str, float] = {"point": point, "round": round_, "restart": restart}
        where |= {"handoff_ns": _number(handoff_ns), "moved": False}
        if isinstance(trial, TrialAnswer):
            self.rows.append(where | {"whole": trial.packets_in == 0} | _dataplane(trial))
            return
        assert trial.forwarded is not None
        own = _sent(trial, trial.forwarded.drops) | _dataplane(trial.forwarded)
        self.rows.append(where | own)

    def mark_moved(self, round_: int) -> None:
        """The CPUs were moved in this round: its trials are kept, and don't count."""
        for row in self.rows:
            if row["round"] == round_:
                row["moved"] = True

    def columns(self) -> Columns:
        """All rows; what a row doesn't have reads NaN. Empty when there are none."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return {
            name: np.array([row.get(name, np.nan) for row in self.rows], dtype=np.float64)
            for name in names
        }


def _sent(trial: LoadTrial, drops: Mapping[str, int]) -> dict[str, float]:
    """What became of the generator's packets."""
    total = trial.sent["total"]
    latency = trial.sent["total"]["latency_ns"] or {}
    spacing = trial.sent["spacing_error_ns"] or {}
    return {
        "whole": trial.whole,
        "seconds": trial.sent["seconds"],
        "offered": total["sent"] + total["refused"],
        "sent": total["sent"],
        # What the generator itself was too late for; no packet of these came to the ring.
        "unsent": total["unsent"] - total["refused"] if total["asked"] else 0,
        "forwarded": total["received"],
        f"lost_{RX_RING}": total["refused"],
        # The data plane's own drops are those of the warm-up, too.
        f"lost_{UNACCOUNTED}": max(0, total["lost"] - sum(drops.values())),
        **{f"lost_{cause}": count for cause, count in drops.items()},
        **{f"{name}_ns": latency.get(name, np.nan) for name in ("min", "mean", "p50", "p99")},
        "send_call_ns": trial.sent["send_call_ns"],
        "mean_burst": trial.sent["mean_burst"],
        # Nothing where nothing came back, and of generators that don't report.
        "receive_call_ns": _number(trial.sent.get("receive_call_ns")),
        "receive_wait_ns": _number(trial.sent.get("receive_wait_ns")),
        "late_p99_ns": spacing.get("p99", np.nan),
        "late_max_ns": spacing.get("max", np.nan),
    }


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _dataplane(answer: TrialAnswer) -> dict[str, float]:
    """What the data plane's one lcore saw in its one window."""
    windows = answer.lcores[0].windows
    compute, chase = windows.canary_compute[0], windows.canary_chase[0]
    return {
        "tsc_hz": answer.tsc_hz,
        "cycles": windows.cycles[0],
        "packets": windows.packets[0],
        "bursts": windows.bursts[0],
        "empty_polls": windows.empty_polls[0],
        "sampled_packets": windows.sampled_packets[0],
        "canary_compute_before": compute[0],
        "canary_compute_after": compute[1],
        "canary_chase_before": chase[0],
        "canary_chase_after": chase[1],
        **{f"stage_{name}_cycles": column[0] for name, column in windows.stage_cycles.items()},
    }
