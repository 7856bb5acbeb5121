"""The example of a data plane of one's own: built by its Makefile, measured and counted."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.metered import MeteredConfig, MeteredDataplane
from planecast.dataplanes.trial import Trial
from planecast.errors import MissingError
from planecast.scenario import Scenario, load_scenario
from planecast.scenario.study import load_study
from planecast.study.counted_program import count_program, map_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "forwarder"

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def forwarder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built in a folder of its own."""
    folder = tmp_path_factory.mktemp("forwarder")
    for name in ("forwarder.c", "Makefile"):
        shutil.copyfile(EXAMPLE / name, folder / name)
    found = subprocess.run(
        ["pkg-config", "--exists", "libdpdk"], check=False, capture_output=True
    ).returncode
    if found != 0 or shutil.which("make") is None:
        pytest.skip("no make, or no libdpdk (apt-get install libdpdk-dev make)")
    try:
        meter_library()
    except MissingError as missing:
        pytest.skip(str(missing))
    subprocess.run(["make", "-C", folder], check=True, capture_output=True)
    return folder / "forwarder"


def scenario(program: Path, flows: int) -> Scenario:
    base = load_scenario(EXAMPLE / "scenario.yaml")
    command = base.dataplane.command
    changes = {"command": command.replace("examples/forwarder/forwarder", str(program))}
    return base.model_copy(
        update={
            "dataplane": base.dataplane.model_copy(update=changes),
            "traffic": base.traffic.model_copy(update={"flows": flows}),
            "placement": base.placement.model_copy(update={"cpus": "0"}),
        }
    )


def test_it_forwards_between_ports_in_memory(forwarder: Path) -> None:
    asked = scenario(forwarder, 64)
    with MeteredDataplane(MeteredConfig.of(asked)) as running:
        found = running.trial(Trial(windows=4, packets=2048, warmup=4096, scenario=asked))
    assert found.packets_out == pytest.approx(found.packets_in, abs=64)
    assert sum(found.lcores[0].windows.packets) >= 4 * 2048


@pytest.mark.slow
def test_its_stages_are_counted_stripped_or_not(forwarder: Path, tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    asked = scenario(forwarder, 64)
    counts = count_program(asked, (8, 32), packets=4096)
    stages = {name: part.at(32) for name, part in counts.stages.items()}
    assert list(stages) == ["rx", "parse", "lookup", "rewrite", "tx"]
    assert all(found > 1 for found in stages.values())
    total = counts.total.at(32)
    assert sum(stages.values()) + counts.other.at(32) == pytest.approx(total, rel=1e-6)
    assert counts.other.at(32) < 0.2 * total
    assert counts.notes == ()
    again = count_program(asked, (8, 32), packets=4096)
    assert again.total.at(32) == pytest.approx(total, rel=1e-3)

    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, forwarder], check=True)
    found = count_program(scenario(stripped, 64), (8, 32), packets=4096)
    assert found.total.at(32) == pytest.approx(total, rel=1e-3)
    # Its own functions have no names any more: what they do is in no stage, and that is said.
    assert "lookup" not in found.stages
    assert any("are in no stage of the map forwarder" in note for note in found.notes)


def test_its_stage_map_and_its_study_can_be_read() -> None:
    stages = map_of(load_scenario(EXAMPLE / "scenario.yaml")).stages
    assert stages == ("rx", "parse", "lookup", "rewrite", "tx")
    study = load_study(EXAMPLE / "study.yaml", seed=1)
    assert len(study.calibrate) >= 8
    assert study.hold_out
