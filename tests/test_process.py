"""A child process: started, checked, ended, whatever it does."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from planecast import process as module
from planecast.errors import InputError, PlanecastError, RunError
from planecast.process import Process, Started, dying_with_us, ended_error, wait_until


def python(private: Path, code: str, **keys: object) -> Process:
    words = [sys.executable, "-c", code]
    return Process("child", words, private / "said", **keys)  # type: ignore[arg-type]


def test_its_words_are_kept_after_its_end(tmp_path: Path) -> None:
    with python(tmp_path, "print('up'); import sys; sys.exit('it failed here')") as child:
        assert child.ended(20) == 1
        with pytest.raises(RunError, match="child: it failed here"):
            child.check()
    assert child.said() == "up\nit failed here\n"
    assert child.pid is None


def test_it_ends_with_its_block(tmp_path: Path) -> None:
    with python(tmp_path, "import time; time.sleep(60)") as child:
        child.check()
        pid = child.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_ignores_a_polite_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STOP_TIMEOUT_S", 0.1)
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True)"
    with python(tmp_path, f"{code}; time.sleep(60)") as child:
        wait_until(child.said, 60, child.check, RunError("it is not up"))
        pid = child.pid
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_pipes_environment_and_folder(tmp_path: Path) -> None:
    code = "import os; print(input(), os.environ['WORD'], os.getcwd())"
    environment = {**os.environ, "WORD": "given"}
    keys = {"stdin": PIPE, "stdout": PIPE, "environment": environment, "folder": tmp_path}
    with python(tmp_path, code, **keys) as child:
        child.stdin.write("asked\n")
        child.stdin.flush()
        assert child.stdout.readline() == f"asked given {tmp_path}\n"
    with pytest.raises(RunError, match="child is not running"):
        _ = child.stdin


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    missing = Process("child", ["/no/such/program"], tmp_path / "said")
    with pytest.raises(RunError, match="/no/such/program: child can't be started"), missing:
        pass


def test_a_failed_start_stops_what_was_started() -> None:
    said: list[str] = []

    class Half(Started):
        def _start(self) -> None:
            said.append("start")
            raise RunError("half way")

        def stop(self) -> None:
            said.append("stop")

    with pytest.raises(RunError, match="half way"), Half():
        pass
    assert said == ["start", "stop"]


def test_a_command_dies_with_us(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "from planecast.process import dying_with_us\n"
        "print(subprocess.Popen(dying_with_us(['sleep', '60'])).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with python(tmp_path, code) as child:
        wait_until(child.said, 60, child.check, RunError("it is not up"))
        grandchild = int(child.said())
        # Its signal is asked for by the program before it, a moment after it has its number.
        name = Path(f"/proc/{grandchild}/comm")
        late = RunError("it does not sleep")
        wait_until(lambda: name.read_text() == "sleep\n", 60, child.check, late)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while Path(f"/proc/{grandchild}/cmdline").exists() and time.monotonic() < until:
        if "Z" in Path(f"/proc/{grandchild}/stat").read_text().rpartition(")")[2].split()[0]:
            break
        time.sleep(0.01)
    else:
        assert not Path(f"/proc/{grandchild}/cmdline").exists()
    assert dying_with_us(["x"])[-1] == "x"


@pytest.mark.parametrize(
    ("code", "said", "kind", "sentence"),
    [
        (1, "up\nCause: no ports\nbye\n", RunError, "x: Cause: no ports"),
        (1, "Invalid mode\n", InputError, "x: Invalid mode"),
        (-9, "fine so far\n", RunError, "x: it was ended by SIGKILL"),
        (3, "", RunError, "x: it ended with code 3"),
    ],
)
def test_last_words(code: int, said: str, kind: type[PlanecastError], sentence: str) -> None:
    error = ended_error("x", code, said)
    assert type(error) is kind
    assert str(error).startswith(sentence)
