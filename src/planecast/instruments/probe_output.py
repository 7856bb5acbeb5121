"""What the program planecast-probe prints, and which of it was undisturbed."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from planecast.errors import RunError, first_refusal
from planecast.instruments.canary import low_mode, undisturbed
from planecast.instruments.quantiles import turn_quantile
from planecast.native import how_to_build
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun

FEWEST = 5
"""Undisturbed slices that an estimate needs; with fewer all slices are taken."""


class ProbedCache(Noun):
    """A cache as the kernel reports it."""

    level: int
    type: str
    bytes: int
    ways: int
    shared_cpus: str


class ProbedPair(Noun):
    """Canaries of a CPU, TSC cycles a round, while another was idle and while it was busy."""

    cpu: int
    other: int
    listed: bool
    alone: list[float]
    both: list[float]


class ProbedTransfer(Noun):
    """Lines that another CPU wrote last, TSC cycles a line, by slice."""

    cpu: int
    other: int
    alone: Annotated[list[float], Field(min_length=1)]
    read: Annotated[list[float], Field(min_length=1)]
    write: Annotated[list[float], Field(min_length=1)]


class ProbedPoint(Noun):
    """Every slice of one measurement, in TSC cycles a unit, with the canaries around it."""

    kind: Literal["chase", "page_chase", "prefetch", "stream", "additions"]
    page: Literal["4KiB", "2MiB"]
    bytes: int
    lines: int
    width: int
    units: int
    cycles: Annotated[list[float], Field(min_length=1)]
    canary_before: list[float]
    canary_after: list[float]

    @property
    def canaries(self) -> NDArray[np.float64]:
        """A row a slice, (before, after)."""
        return np.column_stack([self.canary_before, self.canary_after])


class ProbeOutput(Noun):
    """The program's whole answer."""

    probe: Literal[1]
    complete: bool
    cpu: int
    tsc_hz: float
    seconds: float
    rounds: int
    turn: int
    canary_rounds: int
    huge_share: float
    cpu_model: str
    caches: list[ProbedCache]
    siblings: list[ProbedPair]
    transfers: list[ProbedTransfer]
    points: Annotated[list[ProbedPoint], Field(min_length=1)]

    @property
    def canaries(self) -> NDArray[np.float64]:
        """Of all points, a row a slice."""
        return np.concatenate([point.canaries for point in self.points])


def parse_output(text: str) -> ProbeOutput:
    """Reads the program's answer. Raises RunError when it is not what this version understands."""
    try:
        return ProbeOutput.model_validate_json(text)
    except ValidationError as error:
        raise RunError(
            f"planecast-probe sent a malformed reply: {first_refusal(error)}",
            what_to_do=f"build it again with {how_to_build()}",
        ) from error


class Reader:
    """Turns points into estimates, all against one low mode of all canaries."""

    def __init__(self, output: ProbeOutput) -> None:
        self._turn = output.turn
        self._mode = low_mode(output.canaries)
        self.poor: list[ProbedPoint] = []
        """Points that had too few undisturbed slices, so that all of them were taken."""

    def estimate(self, point: ProbedPoint, scale: float = 1.0, unit: str = "cycles") -> Estimate:
        """10th percentile of a point's undisturbed slices and its interval, times `scale`."""
        values, turns = self._undisturbed(point)
        value, low, high = turn_quantile(values, turns)
        return Estimate(
            value=value * scale,
            low=low * scale,
            high=high * scale,
            samples=values.size,
            unit=unit,
            kind="measured",
        )

    def _undisturbed(self, point: ProbedPoint) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        values = np.asarray(point.cycles)
        turns = np.arange(values.size) // self._turn
        mask = undisturbed(point.canaries, self._mode)
        if int(mask.sum()) < min(FEWEST, values.size):
            if point not in self.poor:
                self.poor.append(point)
            return values, turns
        return values[mask], turns[mask]
