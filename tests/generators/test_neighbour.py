"""The neighbour as a program: what it is asked, what it says, what it does not."""

from __future__ import annotations

import subprocess

import pytest

from planecast.errors import InputError, RunError
from planecast.generators.neighbour import Neighbour, Work
from planecast.native import native_program


def test_it_does_what_it_is_asked_and_says_how_much() -> None:
    with Neighbour(0) as neighbour:
        for work in (
            Work(mode="walk", bytes=1 << 20, width=4),
            Work(mode="stream", bytes=1 << 20, write=True),
            Work(mode="spin"),
        ):
            with neighbour.doing(work):
                done = neighbour.done()
                while not done.lines:
                    done = neighbour.done()
                assert done.mode == work.mode
                assert done.lines_per_s == pytest.approx(done.lines / done.seconds, rel=1e-3)
            assert neighbour.done().mode == "idle"


def test_requests_are_words() -> None:
    assert Work().request() == "idle"
    assert Work(mode="walk", bytes=4096, lines_per_s=5e6, width=2).request() == (
        "walk bytes=4096 lines_per_s=5000000 width=2"
    )
    assert Work(mode="stream", bytes=65536).request() == (
        "stream bytes=65536 lines_per_s=0 write=0"
    )


def test_what_cannot_be_is_reported() -> None:
    with Neighbour(0) as neighbour, pytest.raises(RunError, match="is not from 4096 to"):
        neighbour.do(Work(mode="walk", bytes=1))
    with pytest.raises(InputError, match="no such CPU"), Neighbour(1023):
        pass


def test_it_ends_with_its_input_and_with_a_signal() -> None:
    program = str(native_program("planecast-neighbour"))
    said = subprocess.run(
        [program, "--cpu", "0"], input="spin\n", capture_output=True, text=True, check=False
    )
    assert said.returncode == 0
    assert said.stdout.splitlines() == ['{"ready": {"cpu": 0}}', '{"begun": "spin"}']
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 130


@pytest.mark.parametrize("option", [["--cpu", "x"], ["--what"], ["more"]])
def test_bad_options_are_refused(option: list[str]) -> None:
    program = str(native_program("planecast-neighbour"))
    said = subprocess.run([program, *option], capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert said.stderr
