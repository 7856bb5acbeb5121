"""``planecast dataplane``: what it says once a program is started."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = "sh -c 'touch {in} {out}; echo up; exec sleep 60'"


def _said(folder: Path, *words: str) -> dict[str, Any]:
    """The first line, of a command that forwards nothing; its input has ended by then."""
    file = folder / "s.yaml"
    dataplane = {"kind": "command", "command": COMMAND}
    file.write_text(json.dumps({"name": "s", "dataplane": dataplane}))
    done = subprocess.run(
        [sys.executable, "-m", "planecast.cli.app", "dataplane", str(file), *words],
        input="check\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert json.loads(second) == {"running": True}
    ready: dict[str, Any] = json.loads(first)["ready"]
    return ready


def test_a_command_that_does_not_say_when_it_is_ready(tmp_path: Path) -> None:
    ready = _said(tmp_path)
    assert [end["kind"] for end in ready["ends"]] == ["memif", "memif"]
    assert ready["note"] == (
        "the command was started, but when it forwards is not known; name words of its output in "
        "dataplane.ready, or send until packets come back"
    )


def test_a_command_that_says_so_is_waited_for(tmp_path: Path) -> None:
    assert "note" not in _said(tmp_path, "--set", "dataplane.ready=up")
