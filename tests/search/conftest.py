"""Data planes that are made up: a capacity, a queue, and noise that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from planecast.results import Estimate, Kind, Manifest
from planecast.results.search import SearchAnswer
from planecast.scenario import Scenario
from planecast.search.journal import Journal
from planecast.search.question import Question
from planecast.search.run import search
from planecast.search.session import Session
from planecast.search.tester import Ceiling, Opinion
from planecast.search.trial import Trial

LINK = Ceiling(14.88e6, "link", "10 Gbit/s carry no more")


@dataclass
class MadeUp:
    """A tester that knows the truth.

    A trial loses what is offered above the capacity of that trial: the true one, times a factor of
    the start (`run_noise`), of the trial (`trial_noise`) and, in a share of the trials, of a
    disturbance that only takes away. Above the capacity less is forwarded than at it (`collapse`).
    """

    capacity: float = 6e6
    seed: int = 1
    trial_noise: float = 0.0
    run_noise: float = 0.0
    disturbed: float = 0.0
    collapse: float = 0.0
    generator: float = 1e9
    """Packets a second that the generator can send."""
    buffer: int = 128
    change: Callable[[Trial], Trial] = lambda trial: trial
    counted: float = 100.0
    """Cycles a packet that it counts itself, where its tester counts 102."""
    kind: Kind = "simulated"
    dataplane: str = "made up"
    starts: list[int] = field(default_factory=list)
    asked_after: list[int] = field(default_factory=list)
    """Trials made before each time that it was asked about itself."""
    made: int = 0
    closed: bool = False

    def start(self, repetition: int) -> None:
        self.starts.append(repetition)
        self._run = 1 + self.run_noise * np.random.default_rng([self.seed, repetition]).normal()

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        self.made += 1
        random = np.random.default_rng([self.seed, 77, number])
        capacity = self.capacity * self._run * (1 + self.trial_noise * random.normal())
        if random.random() < self.disturbed:
            capacity *= 1 - min(random.exponential(0.03), 0.9)
        sent = min(offered_pps, self.generator)
        over = max(sent / capacity - 1, 0.0)
        forwarded = min(sent, capacity * (1 - min(self.collapse * over, 0.5)))
        offered = round(sent * seconds)
        return self.change(
            Trial(
                intended_pps=offered_pps,
                intended_seconds=seconds,
                seconds=seconds,
                offered=offered,
                received=offered if forwarded >= sent else int(forwarded * seconds),
                unsent=round(offered_pps * seconds) - offered,
                latency_ns={"p50": 1000.0 * (1 + over), "p99": 2000.0 * (1 + over)},
            )
        )

    def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
        self.made += 1
        kept = packets * min(self.capacity / offered_pps, 1.0) + self.buffer
        seconds = packets / offered_pps
        return Trial(
            intended_pps=offered_pps,
            intended_seconds=seconds,
            seconds=seconds,
            offered=packets,
            received=min(packets, int(kept)),
        )

    def opinion(self, offered_pps: float, seconds: float) -> Opinion:
        self.asked_after.append(self.made)
        own, ours = (
            Estimate(value=value, samples=9, unit="cycles/packet", kind="measured")
            for value in (self.counted, 102.0)
        )
        return Opinion({"itself": own}, ours)

    def close(self) -> None:
        self.closed = True


Sessions = Callable[..., Session]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Sessions]:
    """A session on a made-up data plane: keys are those of `MadeUp`."""
    count = 0
    stack = ExitStack()

    def made(tester: MadeUp | None = None, *, seconds: float = 1.0, **keys: object) -> Session:
        nonlocal count
        count += 1
        made_up = tester or replace(MadeUp(), **keys)
        journal = stack.enter_context(Journal(tmp_path / f"{count}.jsonl", sync=False))
        found = Session(made_up, journal, seconds)
        found.begin(0)
        return found

    with stack:
        yield made


def asked(method: str = "rfc2544", **keys: object) -> Question:
    """The question of a short search with a method; two repetitions."""
    values: dict[str, object] = {
        "method": method,
        "engine": "simulate",
        "scenario": Scenario(name="made-up"),
        "repetitions": 2,
        "trial_seconds": 0.1,
        "soak_seconds": 2.0,
        "step_trials": 2,
    }
    return Question.model_validate(values | keys)


GOALS = asked("mlr").goals


def searched(
    path: Path, question: Question, tester: MadeUp, manifest: Manifest, **keys: float
) -> SearchAnswer:
    """A search's answer; its trials are kept at `path`."""
    with Journal(path, sync=False) as journal:
        session = Session(tester, journal, question.trial_seconds, **keys)
        return search(question, session, manifest)
