"""This host's own entry of the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.host.test_hardware import CARD, config_space
from tests.instruments.test_probe import output, read

from planecast.host.root import Root
from planecast.instruments.catalog_entry import entry_text, measured_entry
from planecast.machine.pcie import Link
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
    assert (reach.status, reach.value) == ("measured", 4)  # as large as was tried
    assert found.core.issue_width.status == "assumed"
    assert found.values.memory_channels.status == "assumed"
    assert found.values.high_priority_cores is None


def test_what_the_cards_links_let_through_is_the_machines(tmp_path: Path) -> None:
    root = Root(tmp_path)
    (root.path / CARD).mkdir(parents=True)
    (root.path / CARD / "class").write_text("0x020000\n", encoding="utf-8")
    (root.path / CARD / "config").write_bytes(config_space(payload=128, read=1024))
    like = machine_of("gold-6230n")
    found = measured_entry("own", read(output()), like, root=root)
    path = tmp_path / "own.yaml"
    path.write_text(entry_text(found), encoding="utf-8")
    link = Link.of("gen3x8", machine_of(str(path)))
    assert (link.max_payload, link.max_read) == (128, 1024)
    bare = measured_entry("own", read(output()), like, root=Root(tmp_path / "nothing"))
    assert bare.values.pcie_max_payload is None
