"""The process of a data plane: started, asked, ended, whatever it does then."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planecast import json_process
from planecast import process as processes
from planecast.dataplanes import Dataplane, DataplaneConfig, Trial
from planecast.errors import InputError, MissingError, PlanecastError, RunError
from planecast.scenario import Scenario

MakeScenario = Callable[..., Scenario]


@pytest.fixture
def trial(scenario: MakeScenario) -> Trial:
    return Trial(windows=4, packets=64, warmup=0, scenario=scenario({"traffic.flows": 256}))


@pytest.fixture(autouse=True)
def nothing_is_left(fake: Any, tmp_path: Path) -> Any:
    """After every test: no process, no file."""
    yield
    for pid in fake.pids():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert list((tmp_path / "rooms").iterdir()) == []


def test_a_trial_is_answered(config: DataplaneConfig, trial: Trial, fake: Any) -> None:
    with Dataplane(config, ["--vdev", "net_null0"]) as dataplane:
        first, second = dataplane.trial(trial), dataplane.trial(trial)
    assert [lcore.cpu for lcore in first.lcores] == [0]
    windows = first.lcores[0].windows
    assert (windows.count, windows.packets) == (4, (64, 64, 64, 64))
    assert list(windows.stage_cycles) == [
        *("source", "acl", "key", "classify", "actions", "route", "tx")
    ]
    assert windows.canary_compute[0] == (2.0, 2.0)
    assert (first.packets_in, first.packets_out, first.drops["acl"]) == (256, 253, 3)
    assert second.tsc_hz == 2_000_000_000
    ((path, *words),) = fake.starts()
    assert Path(path).name == "dataplane.ini"
    assert words == ["--control", "--", "--vdev", "net_null0"]


@pytest.mark.parametrize(
    ("code", "kind", "sentence"),
    [
        (2, InputError, "planecast-dataplane: x.ini:3: flows: 0 is too few"),
        (3, MissingError, "planecast-dataplane: x.ini:3: flows: 0 is too few"),
        (1, RunError, "planecast-dataplane: x.ini:3: flows: 0 is too few"),
        (0, RunError, "planecast-dataplane: x.ini:3: flows: 0 is too few"),
    ],
)
@pytest.mark.parametrize("when", ["start", "trial"])
def test_its_last_word_is_the_reason(
    config: DataplaneConfig,
    trial: Trial,
    fake: Any,
    *,
    code: int,
    kind: type[PlanecastError],
    sentence: str,
    when: str,
) -> None:
    fake.way(code=code, says="x.ini:3: flows: 0 is too few", **{when: "dies"})
    with pytest.raises(kind) as error, Dataplane(config) as dataplane:
        dataplane.trial(trial)
    assert type(error.value) is kind
    assert str(error.value) == sentence


def test_of_a_start_that_failed_dpdk_knows_more(config: DataplaneConfig, fake: Any) -> None:
    fake.way(start="dies", code=3, says="DPDK's EAL did not start: No such device", prints="Usage:")
    with pytest.raises(MissingError, match="No such device; EAL: something about hugepages"):
        Dataplane(config).__enter__()


def test_words_on_stdout_before_its_end_hide_no_reason(
    config: DataplaneConfig, trial: Trial, fake: Any
) -> None:
    fake.way(trial="dies", code=2, says="it is wrong", prints="\nUsage: planecast-dataplane")
    with pytest.raises(InputError, match="it is wrong"), Dataplane(config) as dataplane:
        dataplane.trial(trial)


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ({"start": "garbage"}, "the data plane sent a malformed reply: hello"),
        ({"start": "other"}, "the data plane's first message was {'welcome': 1}"),
        ({"trial": "garbage"}, "the data plane sent a malformed reply: Segmentation fault"),
        ({"trial": "error", "says": "no"}, "the data plane refused a trial: no"),
        ({"trial": "short"}, "the data plane's answer can't be read: lcores: Field required"),
        ({"trial": "lost"}, "packets in are not packets out and drops"),
    ],
)
def test_what_is_no_answer_is_a_failure(
    config: DataplaneConfig,
    trial: Trial,
    fake: Any,
    monkeypatch: pytest.MonkeyPatch,
    *,
    way: dict[str, Any],
    sentence: str,
) -> None:
    monkeypatch.setattr(json_process, "_LAST_WORDS_S", 0.05)
    fake.way(**way)
    with pytest.raises(RunError) as error, Dataplane(config) as dataplane:
        dataplane.trial(trial)
    assert sentence in str(error.value)


def test_a_refused_trial_is_not_the_end(config: DataplaneConfig, trial: Trial, fake: Any) -> None:
    fake.way(trial="error", says="no")
    with Dataplane(config) as dataplane:
        for _ in range(2):
            with pytest.raises(RunError, match="refused a trial: no"):
                dataplane.trial(trial)


def test_one_that_never_is_ready(
    config: DataplaneConfig, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_process, "START_TIMEOUT_S", 0.2)
    fake.way(start="silent")
    with pytest.raises(RunError, match="did not answer for 0 s"), Dataplane(config):
        pass


def test_one_that_never_answers(config: DataplaneConfig, trial: Trial, fake: Any) -> None:
    fake.way(trial="silent")
    with pytest.raises(RunError, match="did not answer"), Dataplane(config) as dataplane:
        dataplane.trial(trial, timeout_s=0.1)


def test_one_that_ignores_a_polite_end_is_killed(
    config: DataplaneConfig, trial: Trial, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_TIMEOUT_S", 0.1)
    fake.way(stubborn=True)
    with Dataplane(config) as dataplane:
        dataplane.trial(trial)


def test_a_second_interrupt_leaves_nothing_running(
    config: DataplaneConfig, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.way(stubborn=True)
    dataplane = Dataplane(config).__enter__()
    assert dataplane._process is not None
    process = dataplane._process._child
    assert process is not None
    patient = process.wait

    def impatient(timeout: float | None = None) -> int:
        if timeout is not None:
            raise KeyboardInterrupt
        return patient()

    monkeypatch.setattr(process, "wait", impatient)
    with pytest.raises(KeyboardInterrupt):
        dataplane.stop()


def test_one_that_was_killed_says_by_what(config: DataplaneConfig, trial: Trial, fake: Any) -> None:
    with Dataplane(config) as dataplane:
        os.kill(fake.pids()[0], signal.SIGKILL)
        with pytest.raises(RunError, match="it was ended by SIGKILL"):
            dataplane.trial(trial)


def test_a_block_that_fails_ends_it(config: DataplaneConfig) -> None:
    with pytest.raises(ZeroDivisionError), Dataplane(config):
        raise ZeroDivisionError


def test_stopping_twice_is_once(config: DataplaneConfig) -> None:
    with Dataplane(config) as dataplane:
        dataplane.stop()
    dataplane.stop()


def test_a_program_that_cannot_be_run_says_so(config: DataplaneConfig, fake: Any) -> None:
    (fake.folder / "planecast-dataplane").write_text("#!/nowhere/at/all\n")
    with pytest.raises(RunError, match="the data plane can't be started: No such file"):
        Dataplane(config).__enter__()


def test_without_the_program_it_says_what_to_install(config: DataplaneConfig, fake: Any) -> None:
    (fake.folder / "planecast-dataplane").unlink()
    with pytest.raises(MissingError, match="install libdpdk-dev"), Dataplane(config):
        pass


def test_a_cpu_that_is_not_there_starts_nothing(config: DataplaneConfig, fake: Any) -> None:
    with pytest.raises(InputError, match="there is no CPU 1023 on this machine"):
        Dataplane(replace(config, cpus=(0, 1023))).__enter__()
    assert fake.log() == []
