"""A trial at an offered load: what was asked, what came of it, and when it is no trial at all.

A search believes what it is told, so every way in which a trial can lie is looked for here, before
any search sees it: counters that were read too early, packets that were never sent, a duration that
was stretched until the load fitted.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.errors import RunError
from planecast.scenario.model import Noun

UNSENT = 0.01
"""Share of a trial's packets that the generator may fail to send; with more of them missing the
trial was at another load than the one asked for."""
STRETCHED = 0.01
"""Share by which sending may take longer than asked."""
LATE_S = 50e-6
"""And the time: what a generator sends late at the most and still counts (engines.measure.pacing).
Next to nothing of a trial; a burst of some hundred packets takes no longer."""

Fault = Literal["unsent", "stretched"]


class Trial(Noun):
    """One trial, as the generator counted it after traffic had drained."""

    repetition: Annotated[int, Field(ge=0)] = 0
    intended_pps: Annotated[float, Field(gt=0)]
    """Load that was asked for, packets a second."""
    intended_seconds: Annotated[float, Field(gt=0)]
    seconds: Annotated[float, Field(gt=0)]
    """How long sending took."""
    offered: int
    """Packets that were put before the data plane, those that found its ring full among them."""
    received: int
    """Packets that came back."""
    unsent: int = 0
    """Packets that were due and that the generator did not send: no loss of the data plane's."""
    drained: bool = True
    """Whether the counters were read after the last packet had come."""
    dataplane_cpu: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of its CPU that the data plane's thread had while the trial ran; null: not known. One
    that polls and is not kept from running has all of it."""
    generator_cpu: Annotated[float, Field(ge=0, le=1)] | None = None
    """The same of the generator's thread."""
    latency_ns: dict[str, float] = Field(default_factory=dict)
    """mean, p50, p99, as far as they were measured."""
    capped_by: str | None = None
    """What lost the packets, where the engine knows."""

    @property
    def lost(self) -> int:
        """Packets that were offered and did not come back."""
        return self.offered - self.received

    @property
    def loss_ratio(self) -> float:
        """`lost` as a share of what was offered; 0 when nothing was."""
        return self.lost / self.offered if self.offered else 0.0

    @property
    def offered_pps(self) -> float:
        """Load that there was: what was offered, over the time that was asked for."""
        return self.offered / self.intended_seconds

    @property
    def forwarded_pps(self) -> float:
        """Packets that came back, over the time that was asked for."""
        return self.received / self.intended_seconds


def refuse_impossible(trial: Trial) -> None:
    """Raises RunError for a trial whose figures can't be true: the tester is broken, not busy."""
    at = f"a trial at {trial.intended_pps / 1e6:.4g} Mpps"
    if not trial.drained:
        raise RunError(
            "its counters were read while traffic still ran, so that packets on their way would "
            "count as lost",
            at,
            "let the generator drain before it is read",
        )
    if trial.lost < 0:
        raise RunError(
            f"{trial.received:,} packets came back of {trial.offered:,} that were offered: "
            "packets of another trial, or counters read at different moments",
            at,
            "let the generator drain before it is read",
        )
    if trial.offered <= 0 and trial.unsent <= 0:
        raise RunError("no packet was offered", at, "send for longer (--trial-seconds)")


def fault_of(trial: Trial) -> Fault | None:
    """Why a possible trial says nothing of its load, so that it has to be made again."""
    due = trial.offered + trial.unsent
    if trial.unsent > UNSENT * due:
        return "unsent"
    if trial.seconds > (1 + STRETCHED) * trial.intended_seconds + LATE_S:
        return "stretched"
    if trial.offered_pps < (1 - UNSENT) * trial.intended_pps - 1 / trial.intended_seconds:
        return "unsent"  # and it did not even say so
    return None
