"""This host's own entry of the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.instruments.test_probe import output, read

from planecast.instruments.machine_entry import entry_text, measured_entry
from planecast.scenario.machine import machine_of


def test_an_entry_holds_what_was_measured_and_says_so_of_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(entry_text(measured_entry("own", read(output()), machine_of("gold-6230n"))))
    found = machine_of(str(path))
    assert found.values.base_ghz.value == 4
    assert found.values.base_ghz.status == "measured"
    assert found.values.memory_idle_ns.value == 200
    assert found.values.llc_mib.value == pytest.approx(12, rel=0.3)
    assert found.core.l2_latency_cycles.value == 20
    reach = found.core.second_tlb_entries
    assert (reach.status, reach.value) == ("measured", 4)  # as far as it was looked
    assert found.core.issue_width.status == "assumed"
    assert found.values.memory_channels.status == "assumed"
    assert found.values.high_priority_cores is None
