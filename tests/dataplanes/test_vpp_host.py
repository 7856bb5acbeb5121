"""What VPP leaves on its host is put back after the last one."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.dataplanes import vpp_host


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with 7 reserved pages and a segment of another."""
    (tmp_path / "nr").write_text("7")
    (tmp_path / "other-vpe-api").touch()
    monkeypatch.setattr(vpp_host, "SHARED", tmp_path)
    monkeypatch.setattr(vpp_host, "RESERVED", tmp_path / "nr")
    return tmp_path


def test_pages_and_segments_go_with_the_last_one(host: Path) -> None:
    for name, pages in (("one", 26), ("two", 45)):
        vpp_host.starts(name)
        (host / "nr").write_text(str(pages))
        (host / f"{name}-global_vm").touch()
    vpp_host.ended("one")
    assert (host / "nr").read_text() == "45"  # the other one has them
    assert not list(host.glob("one-*"))
    vpp_host.ended("two")
    vpp_host.ended("two")
    assert (host / "nr").read_text() == "7"
    assert [path.name for path in host.glob("*-*")] == ["other-vpe-api"]


def test_pages_that_somebody_gave_back_are_left(host: Path) -> None:
    vpp_host.starts("one")
    (host / "nr").write_text("3")
    vpp_host.ended("one")
    assert (host / "nr").read_text() == "3"


def test_a_host_without_such_pages(host: Path) -> None:
    (host / "nr").unlink()
    vpp_host.starts("one")
    vpp_host.ended("one")
    assert not (host / "nr").exists()
