"""The program as a person runs it: exit codes, one sentence for each mistake, fast help."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.cli import app as program
from planecast.cli.lazy import load_verb
from planecast.cli.verbs import GROUPS, VERBS
from planecast.errors import InputError, MissingError, RunError

Planecast = Callable[..., subprocess.CompletedProcess[str]]


def test_help_lists_the_verbs_and_loads_none_of_them(run: Run) -> None:
    answer = run("--help")
    assert answer.code == 0
    places = [answer.out.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    assert all(f"\n  {verb} " in answer.out for verb in VERBS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--foo",), "no such option: --foo; see planecast --help"),
        (("preditc",), "no such command 'preditc'; did you mean 'predict'?; see planecast --help"),
        (("predict",), "predict: missing argument 'SCENARIO'; see planecast predict --help"),
        (
            ("predict", "a", "b"),
            "predict: got unexpected extra argument(s) (b); see planecast predict --help",
        ),
        (
            ("predict", "a", "--engine", "x"),
            "predict: invalid value for '--engine': 'x' is not one of 'solve', 'simulate'; see "
            "planecast predict --help",
        ),
        (
            ("partition", "planx"),
            "partition: no such command 'planx'; did you mean 'plan'?; see planecast partition "
            "--help",
        ),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence(
    run: Run, words: tuple[str, ...], sentence: str
) -> None:
    answer = run(*words)
    assert (answer.code, answer.out, answer.err) == (2, "", f"planecast: {sentence}\n")


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys, planecast.cli.app as app\n"
        "sys.argv = ['planecast', '--help']\n"
        "try: app.main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'plotly', 'pydantic', 'ruamel', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stderr.strip() == "[]"


def test_every_verb_that_is_there_has_help(run: Run) -> None:
    for verb in VERBS:
        assert load_verb(verb).help
    answer = run("doctor", "--help")
    assert (answer.code, "Usage: planecast doctor" in answer.out) == (0, True)


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("planecast 0.")


def test_python_runs_it_as_a_module() -> None:
    words = [sys.executable, "-m", "planecast", "predict"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (
        2,
        "planecast: predict: missing argument 'SCENARIO'; see planecast predict --help\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("doctor", "--nonsense"),
        ("doctor", "--format", "xml"),
        ("schema",),
        ("schema", "poem"),
        ("compare", "only-one"),
        ("compare", "a", "b"),
        ("doctor", "--root", "/nowhere"),
        ("query", "SELEC 1"),
        ("query", "SELECT 1", "--format", "parquet"),
    ],
)
def test_bad_input_ends_with_2_and_no_traceback(run: Run, words: tuple[str, ...]) -> None:
    answer = run(*words)
    assert answer.code == 2, answer
    assert answer.out == ""
    assert answer.err
    assert "Traceback" not in answer.err


def test_the_nearest_verb_is_named(run: Run) -> None:
    answer = run("mesure", "scenario.yaml")
    assert (answer.code, "did you mean 'measure'" in answer.err) == (2, True)


def test_a_mistake_is_one_sentence(planecast: Planecast) -> None:
    answer = planecast("compare", "a", "b")
    assert answer.stderr == (
        "planecast: a: there is no such run; there is no folder runs to look in: name a run's "
        "folder, or that of all runs (--runs)\n"
    )


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (InputError("it is wrong", "a.yaml:3", "mend it"), 2, "a.yaml:3: it is wrong; mend it"),
        (MissingError("no libdpdk", what_to_do="install it"), 3, "no libdpdk; install it"),
        (RunError("the disk is full", "runs"), 1, "runs: the disk is full"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("by zero\nmore"), 1, "ZeroDivisionError: by zero; this is a mistake in"),
    ],
)
def test_each_failure_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    sentence: str,
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(program, "app", fail)
    monkeypatch.delenv("PLANECAST_DEBUG", raising=False)
    with pytest.raises(SystemExit) as end:
        program.main()
    said = capsys.readouterr().err
    assert end.value.code == code
    assert said.startswith(f"planecast: {sentence}")
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_debugging_shows_the_traceback(planecast: Planecast) -> None:
    answer = planecast("compare", "a", "b", PLANECAST_DEBUG="1")
    assert answer.returncode == 2
    assert "Traceback" in answer.stderr


def test_ctrl_c_ends_with_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "planecast.cli.app", "-v", "doctor", "--sample", "30"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "planecast: watching stolen time for 30 s\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "planecast: interrupted\n")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "planecast.cli.app", "schema", "scenario"],
            stdout=write,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            text=True,
            check=False,
        )
    finally:
        os.close(write)
    assert answer.returncode == 1
    assert answer.stderr == ""


def test_a_terminal_without_utf8_still_gets_its_answer(planecast: Planecast) -> None:
    answer = planecast("doctor", "--sample", "0", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert answer.returncode == 0, answer.stderr


def test_sigterm_ends_as_ctrl_c_does(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "planecast.cli.app", "-v", "doctor", "--sample", "30"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "planecast: watching stolen time for 30 s\n"
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (143, "planecast: ended by SIGTERM\n")


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_cuts_no_name_of_an_option(run: Run, verb: str) -> None:
    assert not re.search(r"--?[\w-]+…", run(verb, "--help").out)
