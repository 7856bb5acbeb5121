"""Question: all that makes a search the search that it is; a run keeps it, to be resumed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from planecast.results.search import Method
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.frames import line_rate_pps, mean_bytes
from planecast.scenario.model import Noun, listed
from planecast.search.mlr import LossGoal, Start
from planecast.search.rfc2544 import BinaryGoal

QUESTION = "search.json"
_MORE = 2

SearchEngine = Literal["measure", "simulate"]
Pair = Annotated[tuple[float, float], BeforeValidator(listed)]


class Question(Noun):
    """A search, and every setting of it."""

    method: Method
    engine: SearchEngine
    scenario: Recorded
    repetitions: Annotated[int, Field(ge=1, le=1000)] = 4
    """Times that the data plane is restarted, at least."""
    interval: Annotated[float, Field(gt=0)] = 0.03
    """Half the width of a rate's interval, as a share, above which there are further starts."""
    trial_seconds: Annotated[float, Field(gt=0, le=86400)] = 0.02
    """How long a trial sends."""
    link_gbps: Annotated[float, Field(gt=0, le=10_000)] = 10.0
    """Link rate that the highest load is taken from."""
    max_pps: Annotated[float, Field(ge=1)] | None = None
    """A load that no trial goes above; null: the link's."""
    ndr_loss: Annotated[float, Field(ge=0, lt=1)] = 0.0
    pdr_loss: Annotated[float, Field(ge=0, lt=1)] = 0.005
    width: Annotated[float, Field(gt=0, lt=1)] = 0.005
    """mlr: distance of the bounds as a share."""
    goal_trials: Annotated[int, Field(ge=1, le=1000)] = 21
    """mlr: trials that a bound rests on."""
    exceed: Annotated[float, Field(ge=0, lt=1)] | None = None
    """Share of the trials at a load that may lose more; null: 0 for rfc2544, 0.5 for mlr."""
    expect_pps: Pair | None = None
    """Between which loads the answer is predicted: where a search begins."""
    loss: Annotated[float, Field(ge=0, lt=1)] = 1e-4
    """rfc2544: share that a trial has to lose less than."""
    start_share: Annotated[float, Field(gt=0, le=1)] = 0.1
    """rfc2544: share of the highest load that it begins at."""
    step_trials: Annotated[int, Field(ge=1, le=1000)] = 8
    """Trials of a step, of a load, of a rate."""
    resolution_pps: Annotated[float, Field(gt=0)] = 100_000.0
    """rfc2544: ends when the rate would change by less."""
    rate_pps: Annotated[float, Field(ge=1)] | None = None
    """latency, soak: the rate; null: the throughput is searched first."""
    loss_target: Annotated[float, Field(gt=0, lt=1)] = 1e-7
    soak_seconds: Annotated[float, Field(gt=0, le=1e7)] = 1800.0
    generator_cpu: int | None = None
    telemetry: str = "auto"
    """What looks at the found rates: auto, none, or instruments with commas between them."""
    calibration: str | None = None
    """Run whose calibration the simulator has."""

    @property
    def most_repetitions(self) -> int:
        """Starts at the most: twice as many as asked for; one alone is one."""
        return self.repetitions if self.repetitions == 1 else _MORE * self.repetitions

    @property
    def link_pps(self) -> float:
        """Frames a second that the link carries."""
        return line_rate_pps(self.link_gbps, mean_bytes(self.scenario.traffic.frames))

    @property
    def start(self) -> Start | None:
        """Where MLRsearch begins; None: at the highest load."""
        return None if self.expect_pps is None else Start(*self.expect_pps)

    @property
    def goals(self) -> dict[str, LossGoal]:
        """NDR and PDR."""
        exceed = 0.5 if self.exceed is None else self.exceed
        return {
            name: LossGoal(loss, self.width, exceed, self.goal_trials)
            for name, loss in (("NDR", self.ndr_loss), ("PDR", self.pdr_loss))
        }

    @property
    def binary(self) -> BinaryGoal:
        """RFC 2544's goal."""
        exceed = 0.0 if self.exceed is None else self.exceed
        return BinaryGoal(
            self.loss, self.start_share, self.step_trials, exceed, self.resolution_pps
        )
