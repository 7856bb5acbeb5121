"""Flame graphs and classes of service from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.explain.test_flame import PROFILE, SAMPLES
from tests.host.test_resctrl import tree

from planecast.cli.verbs.explain.flame import classes_sheet


def test_a_flame_graph_is_a_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "callgrind.out").write_text(PROFILE)
    answer = run("explain", "--flame", "callgrind.out", "--packets", "100", "-o", "flame.html")
    assert answer.code == 0, answer.err
    text = (tmp_path / "flame.html").read_text()
    assert re.search(r"copy by itself takes [\d.]+ of 10.00 instructions/packet", text)
    assert '"stage_acl"' in text


def test_samples_of_perf_are_a_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "perf.txt").write_text(SAMPLES)
    answer = run("explain", "--flame", "perf.txt", "--packets", "1000", "-o", "flame.html")
    assert answer.code == 0, answer.err
    text = (tmp_path / "flame.html").read_text()
    assert re.search(r"\[unknown\] by itself takes [\d.]+ of 1,000 cycles/packet", text)
    assert "3 samples of cycles:ppp" in text


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (["--flame", "nowhere", "-o", "x.html"], "can't read it"),
        (["--flame", "nowhere"], "add -o FILE.html"),
        (["--flame", "empty", "-o", "x.html"], "no sample"),
        (["--flame", "samples", "--packets", "9", "-o", "x.html"], "leave --packets out"),
        (["--flame", "perf.data", "-o", "x.html"], "perf script -i FILE"),
    ],
)
def test_what_is_no_profile_is_said(
    run: Run, tmp_path: Path, words: list[str], fragment: str
) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "samples").write_text("ovs 12 1.5: cpu-clock:  ffff82 copy+0x3 (/lib/x.so)\n")
    (tmp_path / "perf.data").write_bytes(b"PERFILE2\0\x10\xff")
    answer = run("explain", *words)
    assert answer.code == 2
    assert fragment in answer.err
    assert not (tmp_path / "x.html").exists()


def test_classes_of_a_tree(tmp_path: Path) -> None:
    sheet = classes_sheet(0.01, tree(tmp_path).path)
    rows = {(row["class"], row["cache"]): row for row in sheet.rows}
    assert rows["dataplane", 0]["occupancy_mib"] == 12
    assert rows["dataplane", 0]["mb_per_second"] == 0
    assert rows["noisy", 0]["occupancy_mib"] is None
