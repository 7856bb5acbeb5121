"""Points that a machine can't measure are left out, and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.host import Root
from planecast.scenario.study import Study, load_study
from planecast.study.runnable_points import possible

STUDY = """\
name: small
scenario: {name: base, placement: {cpus: 0}}
calibrate:
  - {}
  - {placement.cpus: 0-1}
hold_out:
  - {traffic.flows: 256}
  - {placement.page_size: 4KiB}
  - {placement.page_size: 2MiB, traffic.flows: 512}
  - {neighbour.stream: 256MiB}
  - {neighbour.stream: 256MiB, neighbour.cores: 2}
  - {placement.cpus: 0-3}
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return load_study(path)


def machine(tmp_path: Path, cpus: str, transparent: str, reserved: int = 0) -> Root:
    root = tmp_path / "root"
    for name, text in (
        ("sys/devices/system/cpu/online", cpus),
        ("sys/kernel/mm/transparent_hugepage/enabled", transparent),
        ("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", str(reserved)),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return Root(root)


def test_one_cpu_and_small_pages_leave_little(study: Study, tmp_path: Path) -> None:
    fewer, skipped = possible(study, machine(tmp_path, "0", "always madvise [never]"))
    assert fewer.calibrate == ({},)
    assert fewer.hold_out == ({"traffic.flows": 256},)
    assert len(skipped) == 6
    assert skipped[0] == "left out cpus=0-1: there is no CPU 1 on this machine"
    assert "4 KiB ones" in skipped[1]
    assert skipped[2].endswith("not 2MiB")
    assert "no CPU 1 on" in skipped[3]
    assert "no CPU 1-2 on" in skipped[4]
    assert "no CPU 1-3 on" in skipped[5]


@pytest.mark.parametrize(
    ("transparent", "reserved"), [("always [madvise] never", 0), ("[never] always", 64)]
)
def test_large_pages_by_either_way_are_enough(
    study: Study, tmp_path: Path, transparent: str, reserved: int
) -> None:
    fewer, skipped = possible(study, machine(tmp_path, "0-3", transparent, reserved))
    assert fewer == study
    assert skipped == ()


def test_what_the_base_lacks_is_no_reason(study: Study, tmp_path: Path) -> None:
    placement = study.scenario.placement.model_copy(update={"cpus": "1"})
    base = study.scenario.model_copy(update={"placement": placement})
    fewer, skipped = possible(
        study.model_copy(update={"scenario": base, "hold_out": ({"traffic.flows": 256},)}),
        machine(tmp_path, "0", "[never]"),
    )
    assert skipped == ()
    assert len(fewer.hold_out) == 1
