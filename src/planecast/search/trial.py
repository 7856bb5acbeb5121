"""A trial at an offered load: what was asked, what came of it, and when it is no trial at all.

A search believes its input, so every way in which a trial can lie is looked for here, before
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
"""And the time: what a generator sends late at the most and still counts (`tx_pacing`).
Next to nothing of a trial; a burst of some hundred packets takes no longer."""

AWAY = 0.5
"""Share of a trial's packets that may have been due while the generator's CPU was away: what is
left of a trial with more is no fair sample of it."""

Fault = Literal["unsent", "stretched", "lost CPU"]


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
    away: Annotated[int, Field(ge=0)] = 0
    """Packets that were due while the generator's CPU was away for longer than it catches up. They
    are no load: the trial is shorter by them."""
    longest_stall_s: Annotated[float, Field(ge=0)] = 0.0
    """Longest time that the generator's loop was away."""
    dataplane_away_s: Annotated[float, Field(ge=0)] | None = None
    """For how long the data plane's thread wanted its CPU and did not have it while the trial sent:
    its share of what was counted until it had drained; null: not known."""
    silent_s: Annotated[float, Field(ge=0)] | None = None
    """For how long of that nothing came back while packets found a full ring, and the generator
    ran; null: not known."""
    silent_lost: Annotated[int, Field(ge=0)] = 0
    """Packets that were lost in it: they say nothing of the data plane."""
    lost_cpu: bool = False
    """Whether others were lost, no more than came while the data plane's CPU was away for longer
    than its ring bridges: they say nothing of it either."""
    handoff_ns: Annotated[float, Field(gt=0)] | None = None
    """What a cache line cost from the generator's CPU to the data plane's, before the repetition
    began or in a moment between its trials."""
    waited_s: Annotated[float, Field(ge=0)] = 0.0
    """For how long it waited, while a hypervisor had moved these CPUs."""
    canary_cycles: Annotated[float, Field(gt=0)] | None = None
    """Cycles a round of the compute canary on the data plane's CPU, before and after the trial, or
    in a moment between trials: it shows another guest on the same core; null: not measured."""
    pause_s: Annotated[float, Field(ge=0)] | None = None
    """For how long at once something takes the data plane's CPU in half of all times as long as
    this trial, watched before the repetition began; null: not known."""
    round_s: Annotated[float, Field(ge=0)] | None = None
    """What a round takes in which programs that share a CPU have each had a turn; null: none share
    one, or it is not known."""
    pages: str | None = None
    """Pages that the data plane's memory lay in when the repetition had begun; null: not known."""
    drained: bool = True
    """Whether the counters were read after the last packet had come."""
    dataplane_cpu: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of its CPU that the data plane's thread had while the trial ran; null: not known. One
    that polls and is not kept from running has all of it."""
    generator_cpu: Annotated[float, Field(ge=0, le=1)] | None = None
    """The same of the generator's thread."""
    latency_ns: dict[str, float] = Field(default_factory=dict)
    """mean, p50, p99, where they were measured."""
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
    def kept_offered(self) -> int:
        """Packets that were offered while both sides had their CPUs."""
        return self.offered - self.silent_lost

    @property
    def kept_lost(self) -> int:
        """Those of them that were lost."""
        return self.lost - self.silent_lost

    @property
    def kept_loss_ratio(self) -> float:
        """The same as a share; 0 when nothing was offered."""
        return self.kept_lost / self.kept_offered if self.kept_offered else 0.0

    @property
    def due(self) -> int:
        """Packets that were to be sent."""
        return self.offered + self.unsent + self.away

    @property
    def sending_seconds(self) -> float:
        """The time that was asked for, without that in which the generator's CPU was away."""
        return self.intended_seconds * (1 - self.away / max(self.due, 1))

    @property
    def kept_seconds(self) -> float:
        """The same, without that in which the data plane's CPU was away either. Where that is not
        known moment by moment, time in which both were away is subtracted twice."""
        away_s = self.dataplane_away_s if self.silent_s is None else self.silent_s
        return max(self.sending_seconds - (away_s or 0.0), 0.0)

    @property
    def offered_pps(self) -> float:
        """Load that there was: what was offered, over the time in which it was."""
        return self.offered / max(self.sending_seconds, 1e-12)

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
    if trial.due <= 0:
        raise RunError("no packet was offered", at, "send for longer (--trial-seconds)")


def fault_of(trial: Trial, *, may_be_away: bool = False) -> Fault | None:
    """Why a possible trial says nothing of its load, so that it has to be made again. With
    `may_be_away` time in which the generator lost its CPU is none of the trial, however long."""
    if trial.away > AWAY * trial.due:
        if not may_be_away:
            return "lost CPU"
        if trial.offered == 0:
            return None
    if trial.unsent > UNSENT * trial.due:
        return "unsent"
    if trial.seconds > (1 + STRETCHED) * trial.intended_seconds + LATE_S:
        return "stretched"
    if trial.offered_pps < (1 - UNSENT) * trial.intended_pps - 1 / trial.sending_seconds:
        return "unsent"  # and it did not even say so
    return None
