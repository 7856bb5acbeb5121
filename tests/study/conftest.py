"""A machine that is made up: data plane, stepping and probe stand in for the compiled ones."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.dataplanes.conftest import PROGRAMS, Fake, fake, scenario

from planecast.scenario.study import Study, load_study

__all__ = ["fake", "machine", "scenario", "study", "study_file"]

STUDY = """\
name: small
scenario:
  name: base
  placement: {cpus: 0}
calibrate:
  - {}
  - vary: {traffic.flows: [256, 4096, 16384]}
  - vary: {placement.burst: [4, 8, 16, 64]}
    set: {traffic.flows: 4096}
  - {placement.burst: 8}
  - vary: {workload.stages: [none, acl], traffic.flows: [4096]}
  - vary:
      workload.stages: ["key,classify", "key,actions", "key,route"]
      traffic.flows: [4096, 65536]
hold_out:
  - {traffic.flows: 1024}
  - {placement.burst: 48, traffic.flows: 4096}
  - {traffic.flows: 131072, workload.flows: 131072}
  - {placement.rx_ring: 256}
budget: {seconds: 1, patience: 0, restarts: 1, windows: 24, packets: 256, warmup: 0}
"""


@pytest.fixture
def machine(fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """The fake data plane with the programs that count and probe next to it, also under the name of
    the portable build, and an empty cache."""
    shutil.copy2(fake.folder / "planecast-dataplane", fake.folder / "planecast-dataplane-v3")
    for name in ("planecast-singlestep", "planecast-probe"):
        program = fake.folder / name
        text = (PROGRAMS / f"{name}.py").read_text()
        program.write_text(f"#!{sys.executable} -IS\n{text}")
        program.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return fake


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """A study that identifies every parameter."""
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def study(study_file: Path) -> Study:
    """The same, read."""
    return load_study(study_file)
