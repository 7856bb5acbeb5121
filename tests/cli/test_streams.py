"""The program's own streams closed, full or left by their reader, as a shell hands them over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PLANECAST = f"{sys.executable} -m planecast.cli.app"
FULL = Path("/dev/full")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("planecast ", f"{PLANECAST} ", 1)],
        cwd=folder,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", ["--help", "--version", "machine list", "schema scenario"])
def test_an_answer_that_stdout_does_not_take_is_a_sentence(words: str, tmp_path: Path) -> None:
    answer = shell(f"planecast {words} > /dev/full", tmp_path)
    sentence = "planecast: stdout: can't write: No space left on device; name a file: -o FILE\n"
    assert (answer.returncode, answer.stderr) == (1, sentence)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_full_stderr_changes_no_exit_code(tmp_path: Path) -> None:
    assert shell("planecast predict nothing.yaml 2> /dev/full", tmp_path).returncode == 2
    answer = shell("planecast -v machine list 2> /dev/full", tmp_path)
    assert answer.returncode == 0
    assert "epyc" in answer.stdout


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_lead_nowhere(closed: str, tmp_path: Path) -> None:
    answer = shell(f"planecast schema scenario -o schema.json {closed}", tmp_path)
    assert (answer.returncode, answer.stderr) == (0, "")
    whole = (tmp_path / "schema.json").read_text()
    assert whole.startswith("{")
    assert whole.endswith("}\n"), "nothing else was written to it"
    assert shell(f"planecast machine list {closed}", tmp_path).returncode == 0


@pytest.mark.parametrize("words", ["init", "dataplane -"])
def test_a_closed_stdin_is_one_that_has_ended(words: str, tmp_path: Path) -> None:
    answers = [shell(f"planecast {words} {stdin}", tmp_path) for stdin in ("<&-", "</dev/null")]
    assert [answer.returncode for answer in answers] == [2, 2]
    assert answers[0].stderr == answers[1].stderr


def test_a_program_that_is_started_without_stdout_writes_to_no_file_of_ours(
    tmp_path: Path,
) -> None:
    code = (
        "from planecast.cli.streams import open_streams; open_streams();"
        "import subprocess; file = open('kept', 'w'); file.write('ours'); file.flush();"
        "subprocess.run(['echo', 'theirs'], close_fds=False)"
    )
    assert shell(f'{sys.executable} -c "{code}" >&-', tmp_path).returncode == 0
    assert (tmp_path / "kept").read_text() == "ours"


def test_a_reader_that_has_gone_is_no_mistake(tmp_path: Path) -> None:
    answer = shell("planecast schema scenario | head -0", tmp_path)
    assert answer.returncode in (0, 1)  # the reader may have taken what a pipe holds
    assert answer.stderr == ""


def test_a_word_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: a\n")
    answer = shell("planecast predict a.yaml --set $'name=\\xff'", tmp_path)
    assert answer.returncode == 2
    assert "a value has bytes that are not UTF-8" in answer.stderr
