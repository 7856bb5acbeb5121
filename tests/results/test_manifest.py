"""Manifests: what made a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.host import Root
from planecast.results.manifest import collect_manifest, host_facts


def test_the_command_is_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/planecast", "measure", "my scenario.yaml"])
    found = collect_manifest("measure", seed=3)
    assert found.command == "planecast measure 'my scenario.yaml'"
    assert found.started_at.endswith("Z")
    assert {"planecast", "python", "numpy"} <= found.versions.keys()


def test_host_facts_come_from_proc(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(
        "model name\t: Fast CPU\nflags\t\t: fpu hypervisor\n" * 3
    )
    (tmp_path / "proc/meminfo").write_text("MemTotal:       1024 kB\n")
    facts = host_facts(Root(tmp_path))
    assert facts["cpu"] == "Fast CPU"
    assert (facts["cpus"], facts["memory_bytes"], facts["virtual"]) == (3, 1 << 20, "yes")
    assert host_facts(Root(tmp_path / "absent"))["memory_bytes"] == 0
