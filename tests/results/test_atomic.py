"""Files that are whole or not there; devices, pipes and symlinks stay what they are."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.results import atomic
from planecast.results.atomic import write_text


def test_a_failure_leaves_the_older_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "half \udcff")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.txt", "old")]


def test_a_symlink_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/target")
    for text in ("made", "replaced"):
        write_text(link, text)
        assert link.is_symlink()
        assert (tmp_path / "there" / "target").read_text() == text


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "x" * 200_000)
    reader.join()
    assert got == ["x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_without_a_reader_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "READER_WAIT_S", 0.0)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RunError, match="no program reads this pipe; start its reader first"):
        write_text(tmp_path / "pipe", "x")


def test_devices_stay_devices() -> None:
    write_text(Path("/dev/null"), "x")
    with pytest.raises(RunError, match="the disk is full"):
        write_text(Path("/dev/full"), "x")
    for name in ("null", "full"):
        assert stat.S_ISCHR(Path("/dev", name).stat().st_mode)


def test_the_name_of_an_open_file_is_no_name_to_rename_over(tmp_path: Path) -> None:
    with (tmp_path / "a").open("w+") as file:
        write_text(Path(f"/proc/self/fd/{file.fileno()}"), "through")
        assert file.read() == "through"
