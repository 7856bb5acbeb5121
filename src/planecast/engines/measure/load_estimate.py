"""From trials at offered loads to estimates: low quantiles over rounds, which are resampled.

Disturbance goes one way only, to more loss, longer waiting and less capacity, so of the rounds of a
load the low quantile says what the machine does by itself. So canaries only show how disturbed the
machine was, and choose no trials: those that they leave are a few of each load, on a shared machine
of some loads none. Rounds, in which every load has one
trial, are what the bootstrap draws: trials of one round saw the same state of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.measure.load_trials import IDLE, OVERLOAD, Columns
from planecast.instruments.canary import settled
from planecast.results.estimate import Estimate, Kind
from planecast.results.load_curve import knee_pps

QUANTILE = 0.1
MIN_TRIALS = 5
"""Trials with their load that a load wants; with fewer, all that are whole are taken."""
LATE_SHARE = 0.01
"""Share of the packets due that the generator may be too late for: with more left out the load was
another one, and what was lost of it says nothing."""
_RESAMPLES = 400

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def undisturbed_trials(columns: Columns) -> Mask:
    """Which trials are whole, have settled canaries, and a generator that kept up with its rate."""
    pairs = np.stack([columns[f"canary_compute_{end}"] for end in ("before", "after")], axis=1)
    good = whole_trials(columns) & settled(pairs) & ~late_trials(columns)
    return np.asarray(good, dtype=np.bool_)


def whole_trials(columns: Columns) -> Mask:
    """Trials that neither program's CPU was taken from until after the end, and in whose round no
    hypervisor moved the CPUs."""
    return np.asarray((columns["whole"] == 1) & ~of_moved_rounds(columns), dtype=np.bool_)


def of_moved_rounds(columns: Columns) -> Mask:
    """Trials in whose round a hypervisor moved the CPUs."""
    moved = columns.get("moved", np.zeros(len(columns["point"])))
    return np.asarray(moved == 1, dtype=np.bool_)


def late_trials(columns: Columns) -> Mask:
    """Trials that did not have their load, for the generator was too late for a part of it."""
    due = columns["offered"] + columns["unsent"]
    with np.errstate(invalid="ignore"):
        # NaN without traffic: false. Nothing offered is late, whatever was due.
        late = (columns["unsent"] > LATE_SHARE * due) | (columns["offered"] == 0)
    return np.asarray(late, dtype=np.bool_)


@dataclass(frozen=True)
class LoadEstimator:
    """Trials of a curve, those that count chosen load by load."""

    columns: Columns
    used: Mask
    """Trials that estimates rest on."""
    good: Mask
    """Trials that are undisturbed."""
    kind: Kind = "measured"
    """Of its estimates."""

    @classmethod
    def of(cls, columns: Columns, kind: Kind = "measured") -> LoadEstimator:
        """Chooses the trials that are whole and had their load; at loads that have too few of them
        all that are whole."""
        used = np.zeros(len(columns["point"]), dtype=np.bool_)
        whole, late = whole_trials(columns), late_trials(columns)
        for point in np.unique(columns["point"]):
            own = (columns["point"] == point) & whole
            used |= own & ~late if (own & ~late).sum() >= MIN_TRIALS else own
        return cls(columns, used, undisturbed_trials(columns), kind)

    def late(self, point: int) -> bool:
        """Whether estimates of this load rest on trials that did not have all of it, too."""
        return bool((self.of_point(point) & late_trials(self.columns)).any())

    def of_point(self, point: int) -> Mask:
        """The trials of one load that count."""
        return np.asarray(self.used & (self.columns["point"] == point), dtype=np.bool_)

    def low(self, point: int, values: Floats, unit: str) -> Estimate:
        """The low quantile of `values`, a value a trial, over the rounds of one load."""
        rows = self.of_point(point) & np.isfinite(values)
        own = values[rows]
        if own.size == 0:
            raise ValueError("there are no trials")
        drawn = _random().integers(own.size, size=(_RESAMPLES, own.size))
        ends = np.quantile(np.quantile(own[drawn], QUANTILE, axis=1), [0.025, 0.975])
        value = float(np.quantile(own, QUANTILE))
        return Estimate(
            value=value,
            low=min(value, float(ends[0])),
            high=max(value, float(ends[1])),
            samples=int(own.size),
            unit=unit,
            kind=self.kind,
        )

    def loss(self, point: int) -> Estimate:
        """Share of the offered packets that did not come back."""
        return self.low(point, self._losses, "share")

    def capacity(self) -> Estimate:
        """Packets forwarded a second at overload. The ring is full when the trial begins and when
        it ends, so what was forwarded of what was sent until then is what went through."""
        with np.errstate(divide="ignore", invalid="ignore"):
            seconds = self.low(OVERLOAD, self.columns["seconds"] / self.columns["forwarded"], "s")
        return Estimate(
            value=1 / seconds.value,
            low=None if seconds.high is None else 1 / seconds.high,
            high=None if seconds.low is None else 1 / seconds.low,
            samples=seconds.samples,
            unit="pps",
            kind=self.kind,
        )

    def poll_cycles(self) -> Estimate:
        """TSC cycles of a poll of an empty ring."""
        with np.errstate(divide="ignore", invalid="ignore"):
            cycles = self.columns["cycles"] / self.columns["empty_polls"]
        return self.low(IDLE, cycles, "cycles")

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that the data plane has, in pipeline order."""
        return tuple(
            name.removeprefix("stage_").removesuffix("_cycles")
            for name in self.columns
            if name.startswith("stage_")
        )

    def busy(self, point: int) -> Estimate | None:
        """TSC cycles a packet in all stages, in bursts as they came; None where none was timed."""
        return self.stage_cycles(point, self.stages)

    def stage_cycles(self, point: int, stages: tuple[str, ...]) -> Estimate | None:
        """TSC cycles a packet in these stages together, in the sampled bursts; None without any."""
        with np.errstate(divide="ignore", invalid="ignore"):
            cycles = (
                sum(self.columns[f"stage_{name}_cycles"] for name in stages)
                / self.columns["sampled_packets"]
            )
        if not np.isfinite(cycles[self.of_point(point)]).any():
            return None
        return self.low(point, cycles, "cycles/packet")

    def knee(self, points: Sequence[int], loads_pps: Sequence[float]) -> Estimate | None:
        """The highest load with a loss under KNEE_LOSS; its interval draws whole rounds."""
        losses = self._by_round(points)
        value = knee_pps(loads_pps, list(_quantiles(losses)))
        if value is None:
            return None
        found = []
        for rounds in _random().integers(len(losses), size=(_RESAMPLES, len(losses))):
            drawn = losses[rounds]
            if np.isfinite(drawn).any(axis=0).all():
                found.append(knee_pps(loads_pps, list(_quantiles(drawn))))
        inside = [one for one in found if one is not None]
        ends = np.quantile(inside, [0.025, 0.975]) if inside else [value, value]
        return Estimate(
            value=value,
            low=min(value, float(ends[0])),
            high=max(value, float(ends[1])),
            samples=int(np.isfinite(losses).sum()),
            unit="pps",
            kind=self.kind,
        )

    @property
    def _losses(self) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            lost = 1 - self.columns["forwarded"] / self.columns["offered"]
        return np.asarray(np.maximum(lost, 0.0), dtype=np.float64)

    def _by_round(self, points: Sequence[int]) -> Floats:
        """Losses, a row a round and a column a load; NaN where no trial counts."""
        rounds, row = np.unique(self.columns["round"], return_inverse=True)
        found = np.full((len(rounds), len(points)), np.nan)
        losses = self._losses
        for column, point in enumerate(points):
            own = self.of_point(point)
            found[row[own], column] = losses[own]
        return found


def _quantiles(losses: Floats) -> Floats:
    return np.asarray(np.nanquantile(losses, QUANTILE, axis=0), dtype=np.float64)


def _random() -> np.random.Generator:
    return np.random.default_rng(1)
