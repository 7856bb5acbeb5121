"""What ``profile`` counts, on made-up programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from planecast.native import native_folder
from planecast.scenario import Scenario
from planecast.study.profile import bursts_with, profile_scenario


@pytest.mark.parametrize(
    ("burst", "sizes"), [(32, (8, 32)), (8, (8, 32)), (1, (1, 8, 32)), (256, (8, 32, 256))]
)
def test_the_scenarios_own_burst_is_counted(burst: int, sizes: tuple[int, ...]) -> None:
    assert bursts_with(burst) == sizes


def test_a_profile_adds_up_and_is_counted_afresh(
    scenario: Callable[..., Scenario], machine: Any
) -> None:
    wanted = scenario({"placement.burst": 16})
    first, again = (profile_scenario(wanted, ["singlestep"], touches=False) for _ in range(2))
    assert first == again
    assert sum(line.startswith("step ") for line in machine.log()) == 2 * 6
    (counts,) = first.counts
    stages = sum(stage.at(16) for stage in counts.stages.values())
    assert stages + counts.other.at(16) == pytest.approx(counts.total.at(16))
    assert first.touches is None


@pytest.mark.live
@pytest.mark.parametrize("instrument", ["callgrind", "singlestep"])
@pytest.mark.parametrize("kind", ["ours", "testpmd"])
def test_reserved_pages_end_no_profile(
    scenario: Callable[..., Scenario], kind: str, instrument: Literal["callgrind", "singlestep"]
) -> None:
    """valgrind maps no reserved page, so what it runs must not ask for one."""
    pages = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    if not pages.exists() or int(pages.read_text()) < 1024:
        pytest.skip("1,024 free pages of 2 MiB are needed (planecast doctor --apply)")
    if kind != "ours" and instrument == "singlestep":
        pytest.skip("our own data plane alone is stepped")
    for program in ("valgrind", "dpdk-testpmd"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not (native_folder() / "planecast-dataplane-v3").is_file():
        pytest.skip("planecast-dataplane-v3 is not built")
    found = profile_scenario(scenario({"dataplane.kind": kind}), [instrument], touches=False)
    (counts,) = found.counts
    assert counts.total.at(32) > 10
