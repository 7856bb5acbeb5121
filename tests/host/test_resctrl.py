"""resctrl's counters, read from a tree with the kernel's file formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import MissingError
from planecast.host.resctrl import meddling, rates, read_classes
from planecast.host.root import Root


def tree(root: Path, grown: int = 0) -> Root:
    """Two sockets, the default class, a class with a monitoring group, and a class that can't be
    read just now."""
    here = root / "sys/fs/resctrl"
    groups = {
        ".": (4_194_304, 10_000_000_000, 9_000_000_000),
        "mon_groups/vm1": (65_536, 1_000, 1_000),
        "dataplane": (12_582_912, 2_000_000_000, 1_000_000_000),
        "dataplane/mon_groups/rx": (1_048_576, 500, 100),
    }
    for name, (held, total, local) in groups.items():
        for domain in (0, 1):
            data = here / name / f"mon_data/mon_L3_{domain:02}"
            data.mkdir(parents=True, exist_ok=True)
            (data / "llc_occupancy").write_text(f"{held}\n")
            (data / "mbm_total_bytes").write_text(f"{total + grown * (domain + 1)}\n")
            (data / "mbm_local_bytes").write_text(f"{local + grown // 2}\n")
    busy = here / "noisy/mon_data/mon_L3_00"
    busy.mkdir(parents=True, exist_ok=True)
    for file in ("llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"):
        (busy / file).write_text("Unavailable\n")
    (here / "schemata").write_text("    L3:0=7ff;1=7ff\n    MB:0=100;1=100\n")
    (here / "info/L3_MON").mkdir(parents=True, exist_ok=True)
    (here / "info/L3_MON/mon_features").write_text("llc_occupancy\nmbm_total_bytes\n")
    return Root(root)


def test_every_class_and_monitoring_group_is_read(tmp_path: Path) -> None:
    found = {(one.name, one.domain): one for one in read_classes(tree(tmp_path))}
    names = {name for name, _ in found}
    assert names == {"default", "default/vm1", "dataplane", "dataplane/rx", "noisy"}
    assert found["dataplane", 1].occupancy_bytes == 12_582_912
    assert found["noisy", 0].occupancy_bytes is None


def test_two_readings_give_rates(tmp_path: Path) -> None:
    first = read_classes(tree(tmp_path))
    second = read_classes(tree(tmp_path, grown=4_000_000))
    found = {(one.name, one.domain): one for one in rates(first, second, 2.0)}
    assert found["dataplane", 0].total_bps == 2_000_000
    assert found["dataplane", 0].remote_share == 0.5
    assert found["dataplane", 1].total_bps == 4_000_000
    assert found["dataplane", 1].remote_share == 0.75
    assert found["noisy", 0].total_bps is None


def test_a_counter_that_went_back_has_no_rate(tmp_path: Path) -> None:
    later = read_classes(tree(tmp_path, grown=4_000_000))
    earlier = read_classes(tree(tmp_path))
    assert {one.total_bps for one in rates(later, earlier, 1.0)} == {None}
    with pytest.raises(ValueError, match="seconds"):
        rates(earlier, later, 0.0)


def test_without_resctrl_or_its_counters_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="not mounted"):
        read_classes(Root(tmp_path))
    (tmp_path / "sys/fs/resctrl").mkdir(parents=True)
    (tmp_path / "sys/fs/resctrl/schemata").write_text("L3:0=7ff\n")
    with pytest.raises(MissingError, match="neither occupancy nor bandwidth"):
        read_classes(Root(tmp_path))


def test_another_tool_at_work_is_reported(tmp_path: Path) -> None:
    first, later = (
        read_classes(tree(tmp_path / "a")),
        read_classes(tree(tmp_path / "b", grown=4_000_000)),
    )
    assert meddling(first, later) == ""
    assert "counting again: dataplane, dataplane/rx, default" in meddling(later, first)
    without = [one for one in later if one.name != "dataplane"]
    assert "gone: dataplane: stop it" in meddling(first, without)
    assert "came: dataplane: stop it" in meddling(without, later)
