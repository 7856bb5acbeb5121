"""Processes that take each other's place."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np
import pytest

from planecast.engines.measure import restarts
from planecast.engines.measure.restarts import Running
from planecast.errors import RunError
from planecast.process import Started


class Fake(Started):
    """Writes down what becomes of it."""

    log: ClassVar[list[tuple[str, str]]] = []
    failing = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.up = False

    def begin(self) -> None:
        self.up = True
        self.log.append(("begin", self.name))

    def _start(self) -> None:
        if self.name == self.failing:
            raise RunError("it is out of memory")
        self.log.append(("ready", self.name))

    def stop(self) -> None:
        if self.up:
            self.log.append(("stop", self.name))
        self.up = False


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    monkeypatch.setattr(Fake, "log", [])
    monkeypatch.setattr(Fake, "failing", "")
    monkeypatch.setattr(restarts, "process", lambda config, eal_arguments: Fake(config))
    return Fake.log


def running(*names: Any) -> Running:
    return Running(names, (), np.random.default_rng(1))


def test_each_start_is_in_the_place_of_one_that_just_ended(log: list[tuple[str, str]]) -> None:
    with running("a", "b", "a", "c") as processes:
        processes.restart()
        assert sorted(name for what, name in log if what == "ready") == ["a", "b", "c"]
        first = processes["a"]
        log.clear()
        processes.restart()
        assert processes["a"] is not first
        assert [what for what, _ in log if what != "ready"] == ["stop", "begin"] * 3
        assert sorted(name for what, name in log if what == "ready") == ["a", "b", "c"]
        log.clear()
    assert sorted(log) == [("stop", "a"), ("stop", "b"), ("stop", "c")]


@pytest.mark.parametrize("cpus", [1, 2])
def test_one_more_than_cpus_build_at_a_time(
    log: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, cpus: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cpus)))
    with running("a", "b", "c", "d") as processes:
        processes.restart()
        first, later = ["begin"] * (cpus + 1), ["ready", "begin"] * (3 - cpus)
        assert [what for what, _ in log] == first + later + ["ready"] * (cpus + 1)


def test_none_outlives_a_start_that_fails(
    log: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fake, "failing", "b")
    with pytest.raises(RunError, match="out of memory"), running("a", "b", "c") as processes:
        processes.restart()
    begun = {name for what, name in log if what == "begin"}
    assert {name for what, name in log if what == "stop"} == begun
