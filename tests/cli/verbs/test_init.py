"""``planecast init``: asked, given by options, and refused."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.cli.verbs import VERBS
from planecast.scenario import load_scenario


def test_by_options(run: Run) -> None:
    answer = run("init", "testpmd", "--flows", "1000", "-o", "mine.yaml")
    assert answer.code == 0, answer.err
    found = load_scenario("mine.yaml")
    assert (found.dataplane.kind, found.traffic.flows) == ("testpmd", 1000)
    commands = [line.strip() for line in answer.out.splitlines() if line.startswith("  planecast")]
    assert len(commands) == 3
    for command in commands:
        assert command.split()[1] in VERBS
    assert any("mine.yaml" in command for command in commands)


def test_a_file_that_is_there_stays(run: Run) -> None:
    assert run("init", "ovs").code == 0
    Path("ovs.yaml").write_text("mine")
    answer = run("init", "ovs")
    assert (answer.code, Path("ovs.yaml").read_text()) == (2, "mine")
    assert "ovs.yaml: the file is there already; name another one, or add --force" in answer.err
    assert run("init", "ovs", "--force").code == 0
    assert load_scenario("ovs.yaml").dataplane.kind == "ovs"
    assert run("init", "ovs", "-o", "/dev/null").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing is named to be measured; name one of testpmd, l3fwd, ovs, vpp, command"),
        (("click",), "got 'click'; name one of"),
        (("command",), "its command line is not known; add --command LINE"),
        (("command", "--command", "x 'y"), "can't read the command line"),
        (("command", "--command", "x {in} {nothing}"), "{nothing} is not a placeholder"),
        (("testpmd", "--command", "x"), "testpmd has no command line"),
        (("command", "--command", "x", "--program", "y"), "the command line names the program"),
        (("testpmd", "-o", "no/folder.yaml"), "there is no folder"),
        (("testpmd", "--flows", "0"), "--flows"),
    ],
)
def test_what_is_wrong_writes_nothing(run: Run, words: tuple[str, ...], said: str) -> None:
    answer = run("init", *words)
    assert answer.code == 2
    assert said in answer.err
    assert list(Path().iterdir()) == []


def test_a_program_that_is_not_here_is_said(run: Run) -> None:
    answer = run("init", "command", "--command", "/no/such/program -l 1 -- -x")
    assert answer.code == 0
    assert "/no/such/program: there is no such program" in answer.err
    assert load_scenario("command.yaml").dataplane.command


def test_on_a_terminal_it_asks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planecast.cli.verbs.init.on_a_terminal", lambda: True)
    typed = ("9", "5", "/no/app -l 1 -- -p 3", "20", "many", "128", "", "asked.yaml")
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    answer = run("init")
    assert answer.code == 0, answer.err
    found = load_scenario("asked.yaml")
    assert found.dataplane.kind == "command"
    assert (found.traffic.frame_bytes, found.traffic.flows) == (128, 3125)


def test_the_help_names_the_kinds(run: Run) -> None:
    assert "testpmd|l3fwd|ovs|vpp|command" in run("init", "--help").out
