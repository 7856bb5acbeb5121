"""Both instruments on a program whose instructions are known."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import MissingError, RunError
from planecast.instruments import callgrind, singlestep
from planecast.instruments.count_instructions import count_instructions
from planecast.instruments.memory_touches import memory_touches
from planecast.native import native_folder

stepping = pytest.mark.skipif(
    not (native_folder() / "planecast-singlestep").exists(), reason="not built"
)
valgrind = pytest.mark.skipif(
    not Path("/usr/bin/valgrind").exists(), reason="valgrind is not installed"
)

KNOWN = {"a": (10, 5), "b": (6, 9)}


def command(counted: Path, how: str, *more: str) -> Callable[[int, int], list[str]]:
    """The command that both instruments are given."""
    return lambda packets, burst: [
        *(str(counted), "--packets", str(packets), "--burst", str(burst)),
        *("--instrument", how, *more),
    ]


@valgrind
def test_callgrind_counts_what_is_known(counted: Path) -> None:
    seen: list[tuple[int, int]] = []
    counts = count_instructions(
        "callgrind",
        command(counted, "callgrind"),
        packets=256,
        progress=lambda n, of: seen.append((n, of)),
    )
    for stage, (a, b) in KNOWN.items():
        assert (counts.stages[stage].per_packet, counts.stages[stage].per_burst) == (a, b)
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    helper = next(f for f in counts.functions if f.name == "helper")
    assert helper.per_packet == 4 + 1 / 32
    assert helper.object == "counted"


@stepping
@valgrind
def test_stepping_counts_the_same_as_callgrind(counted: Path) -> None:
    first = count_instructions("callgrind", command(counted, "callgrind"), packets=256)
    second = count_instructions("singlestep", command(counted, "stop"), packets=256)
    assert first.total == second.total
    assert first.stages == second.stages
    assert first.other == second.other
    assert {f.name: f.per_packet for f in first.functions} == {
        f.name: f.per_packet for f in second.functions
    }


@stepping
@valgrind
def test_a_repeated_string_instruction_counts_once_only_when_stepped(counted: Path) -> None:
    once = singlestep.step_run(command(counted, "stop", "--rep", "100")(64, 32))
    each = callgrind.profile_run(command(counted, "callgrind", "--rep", "100")(64, 32))
    difference = callgrind.raw_counts(each).stages["rep"] - once.stages["rep"]
    assert once.stages["rep"] < 2 * 10
    assert difference >= 2 * 99


@stepping
def test_stepping_sees_where_control_goes(counted: Path) -> None:
    found = count_instructions("singlestep", command(counted, "stop", "--coin", "1"), packets=1024)
    code = found.code
    assert code is not None
    assert code.jumps["a"].at(32) == 1  # called once, back 31 times
    assert code.jumps["b"].at(32) == 2 + 1 / 32  # called, two loops, the helper and back
    # Thirteen bytes a turn, at the same place in every run: one or two windows of sixteen.
    assert 1 <= code.windows_16["a"].at(32) <= 2 + 2 / 32
    assert code.windows_32["a"].at(32) <= code.windows_16["a"].at(32)
    assert 2 < code.lines < 40


@stepping
def test_branches_are_guessed_by_their_past_and_chance_is_not(counted: Path) -> None:
    found = count_instructions("singlestep", command(counted, "stop", "--coin", "1"), packets=1024)
    code = found.code
    assert code is not None
    # Half of the coins, and the end of their loop, whose past is chance too.
    assert code.mispredictions["coin"].at(32) == pytest.approx(0.5 + 1 / 32, abs=0.1)
    # Eight turns fit twelve outcomes; of 32 the end can't be distinguished from the others.
    assert code.mispredictions["a"].at(32) == pytest.approx(1 / 32, abs=1 / 64)
    plain = count_instructions("singlestep", command(counted, "stop"), packets=1024)
    assert plain.code is not None
    assert plain.code.mispredictions["a"].at(8) < 1 / 16


@valgrind
def test_touches_of_known_accesses(counted: Path) -> None:
    found = memory_touches(command(counted, "callgrind"), packets=256, burst=32)
    assert found.stages["c"].writes == pytest.approx(1.0)
    # call and two returns read the stack, push and call write it.
    assert (found.stages["b"].reads, found.stages["b"].writes) == (3 / 32, 2 / 32)
    assert found.total.writes >= found.stages["c"].writes


@stepping
def test_the_program_keeps_its_exit_code_and_output(counted: Path, tmp_path: Path) -> None:
    program = command(counted, "stop", "--exit", "7")(64, 32)
    step = singlestep.singlestep_command(program, tmp_path / "out.json")
    done = subprocess.run(step, capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert int(done.stdout) > 0
    assert json.loads((tmp_path / "out.json").read_text())["stages"]["stage_a"]["calls"] == 2


@stepping
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--output", "x.json"], 2, "the program is missing"),
        (["--", "/bin/true"], 2, "--output is missing"),
        (["--output", "x.json", "--", "/bin/true"], 1, "before its first SIGSTOP"),
        (["--output", "x.json", "--", "./nowhere"], 127, "No such file"),
    ],
)
def test_mistakes_are_sentences(
    arguments: list[str], code: int, sentence: str, tmp_path: Path
) -> None:
    tool = native_folder() / "planecast-singlestep"
    done = subprocess.run(
        [str(tool), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == code
    assert sentence in done.stderr


@stepping
def test_an_interrupt_ends_the_program_too(counted: Path, tmp_path: Path) -> None:
    program = command(counted, "stop", "--hang", "1")(64, 32)
    step = singlestep.singlestep_command(program, tmp_path / "out.json")
    tracer = subprocess.Popen(step)
    children = Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children")
    while not (found := children.read_text().split()):
        time.sleep(0.01)
    child = Path("/proc", found[0])
    time.sleep(0.2)
    tracer.send_signal(signal.SIGINT)
    assert tracer.wait(10) == 130
    assert not child.exists()
    assert not (tmp_path / "out.json").exists()


@valgrind
def test_a_program_that_fails_says_why() -> None:
    with pytest.raises(RunError, match="No such file"):
        callgrind.profile_run(["./nowhere"])


def test_without_valgrind_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="apt-get install valgrind"):
        callgrind.profile_run(["/bin/true"])
