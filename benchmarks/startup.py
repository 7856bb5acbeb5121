"""What a start of `planecast` costs: user CPU milliseconds of its help, of a prediction, and of
refusing what has no end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from closed_form import calibration
from planecast.results import Estimate, RunDirectory
from planecast.results.store import CALIBRATION
from row import Row, row

STARTS = 25
SCENARIO = Path(__file__).parents[1] / "scenarios" / "vpe-upstream.yaml"
ENDLESS = "/dev/zero"
BRACKETS = "a: " + "[" * 20_000
GOALS_MS = {"--help": 150.0, "predict": 400.0, "brackets": 1000.0, "endless device": 1000.0}
REFUSED = 2
"""The exit code of bad input."""


def startup() -> list[Row]:
    """All in turns; the first start of each, which may compile, doesn't count."""
    with tempfile.TemporaryDirectory() as folder:
        with RunDirectory.create(Path(folder), "calibrate", "bench") as run:
            run.write_json(CALIBRATION, calibration())
            run.write_result([])
        predict = ["predict", str(SCENARIO), "--runs", folder, "--calibration", str(run.path)]
        brackets = Path(folder, "brackets.yaml")
        brackets.write_text(BRACKETS)
        commands = {
            "--help": (["--help"], 0),
            "predict": (predict, 0),
            "brackets": (["predict", str(brackets)], REFUSED),
            "endless device": (["explain", "--from", ENDLESS], REFUSED),
        }
        found: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(STARTS + 1):
            for name, (words, code) in commands.items():
                found[name].append(_user_ms(words, code))
    return [_row(name, took[1:]) for name, took in found.items()]


def _user_ms(words: list[str], code: int) -> float:
    # With compiled modules kept, as a user has them.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    planecast = Path(sys.executable).with_name("planecast")
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([planecast, *words], stdout=nowhere, stderr=nowhere, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != code:
        raise subprocess.CalledProcessError(process.returncode, words)
    return 1e3 * used.ru_utime


def _row(name: str, took_ms: list[float]) -> Row:
    low, high = np.percentile(took_ms, [2.5, 97.5])
    took = Estimate(
        value=median(took_ms),
        low=float(low),
        high=float(high),
        samples=len(took_ms),
        unit="ms",
        kind="measured",
    )
    return row(
        f"start, {name}",
        took,
        None,
        "ms of user CPU, median and 95 % of the starts",
        GOALS_MS[name],
    )
