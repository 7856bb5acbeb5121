"""Reads a recorded file of whatever tool, recognised by its content."""

from __future__ import annotations

from pathlib import Path

from planecast.errors import InputError
from planecast.instruments.recorded.columns_csv import looks_like_columns, read_columns_csv
from planecast.instruments.recorded.pcm_csv import looks_like_pcm, read_pcm_csv
from planecast.instruments.recorded.perf_csv import looks_like_perf_csv, read_perf_csv
from planecast.instruments.recorded.perf_json import read_perf_json
from planecast.instruments.recorded.recording import Recording
from planecast.instruments.recorded.terminal import looks_like_terminal, read_terminal
from planecast.instruments.recorded.toplev_csv import looks_like_toplev, read_toplev_csv
from planecast.scenario.read_file import read_text

_MAX_BYTES = 256 << 20
_KNOWN = (
    "known are perf stat -x and -j, toplev -x, pcm, pcm-memory and pcm-pcie -csv, "
    "and CSV with a column an event"
)


def read_recording(path: Path) -> Recording:
    """What the file holds.

    Raises InputError for a file that can't be read, is empty, is no text, or is none that is known.
    """
    lines = _lines(path)
    if not any(line.strip() for line in lines):
        raise InputError("the file is empty", str(path), "record again; " + _KNOWN)
    if any(line.lstrip(" [,").startswith("{") for line in lines[:40]):
        return read_perf_json(lines, str(path))
    if looks_like_toplev(lines):
        return read_toplev_csv(lines, str(path))
    if looks_like_pcm(lines):
        return read_pcm_csv(lines, str(path))
    if looks_like_perf_csv(lines):  # before columns: a line of its command may name events, too
        return read_perf_csv(lines, str(path))
    if looks_like_columns(lines):
        return read_columns_csv(lines, str(path))
    if looks_like_terminal(lines):
        return read_terminal(lines)
    if any("Performance counter stats" in line for line in lines):
        raise InputError(
            "this is perf stat's human-readable output", str(path), "record with -x, or -j"
        )
    raise InputError("the format of this recording is not known", str(path), _KNOWN)


def _lines(path: Path) -> list[str]:
    return read_text(path, _MAX_BYTES).splitlines()
