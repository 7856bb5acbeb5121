"""The calibration that a verb takes: the latest of the network function, and of this model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import RunDirectory
from planecast.results.store import CALIBRATION
from planecast.study import calibration_run
from planecast.study.calibration_run import calibration_of

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]


def kept(root: Path, calibration: Calibration, name: str, **changes: object) -> Path:
    """A run of that name with the calibration as JSON, changed; None leaves a key out."""
    data = json.loads(calibration.model_dump_json()) | changes
    with RunDirectory.create(root, "calibrate", name) as run:
        path = run.path / CALIBRATION
        path.write_text(json.dumps({k: v for k, v in data.items() if v is not None}))
        run.write_json("result.json", calibration)
    # Names begin with the time, which is the same for all of them.
    return run.path.rename(root / name)


def test_the_latest_of_the_network_function_is_taken(
    tmp_path: Path, calibration: Calibration
) -> None:
    kept(tmp_path, calibration, "20260101T000000Z-calibrate-up", points=11)
    kept(tmp_path, calibration, "20260102T000000Z-calibrate-up", points=12)
    kept(tmp_path, calibration, "20260103T000000Z-calibrate-ip4", kind="ip4", points=13)
    assert calibration_of(None, tmp_path, kind="vpe-upstream").model.points == 12
    assert calibration_of(None, tmp_path, kind="ip4").model.points == 13
    # None is of this one: predict says so of whichever it gets.
    assert calibration_of(None, tmp_path, kind="l2bridge").model.points == 13
    assert calibration_of(None, tmp_path).model.points == 13
    assert calibration_of("20260101T000000Z-calibrate-up", tmp_path, kind="ip4").model.points == 11


def test_one_of_an_older_model_is_refused_in_one_sentence(
    tmp_path: Path, calibration: Calibration
) -> None:
    old = kept(tmp_path, calibration, "20260101T000000Z-calibrate-old", edition=None)
    kept(tmp_path, calibration, "20251231T000000Z-calibrate-new", points=7)
    assert calibration_of(None, tmp_path, kind="vpe-upstream").model.points == 7
    with pytest.raises(InputError) as refused:
        calibration_of(old.name, tmp_path)
    assert str(refused.value) == (
        f"{old / CALIBRATION}: this calibration is of an older model; "
        "make it again: planecast calibrate STUDY"
    )
    (tmp_path / "20251231T000000Z-calibrate-new" / CALIBRATION).unlink()
    with pytest.raises(InputError, match="of an older model"):
        calibration_of(None, tmp_path)


def test_one_of_an_older_model_is_named_before_one_of_another_function(
    tmp_path: Path, calibration: Calibration
) -> None:
    kept(tmp_path, calibration, "20260101T000000Z-calibrate-ip4", kind="ip4", edition=None)
    kept(tmp_path, calibration, "20260102T000000Z-calibrate-up", points=7)
    with pytest.raises(InputError, match=r"calibrate-ip4.*of an older model"):
        calibration_of(None, tmp_path, kind="ip4")


def test_calibrations_of_others_are_not_read_whole(
    tmp_path: Path, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of programs are large, and there may be many newer ones."""
    kept(tmp_path, calibration, "20260101T000000Z-calibrate-up", points=11)
    for day in range(2, 8):
        kept(tmp_path, calibration, f"2026010{day}T000000Z-calibrate-ip4", kind="ip4")
    read: list[Path] = []
    whole = calibration_run._text_if_any

    def counted(path: Path) -> str:
        read.append(path)
        return whole(path)

    monkeypatch.setattr(calibration_run, "_text_if_any", counted)
    assert calibration_of(None, tmp_path, kind="vpe-upstream").model.points == 11
    assert [path.parent.name for path in read if path.name == CALIBRATION] == [
        "20260101T000000Z-calibrate-up"
    ]
