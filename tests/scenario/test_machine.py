"""The catalogue's machines and cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.catalog import entry_path, names
from planecast.errors import InputError
from planecast.scenario.machine import (
    Microarchitecture,
    card_of,
    machine_of,
    microarchitecture_of,
)

WANTED = """e5-2699v4 e5-2667v4 e5-2630v4 e5-2680v3 e5-2699v3 skylake-1.8 gold-6152 gold-6230n
gold-5218n gold-6252n gold-6140 platinum-8180 platinum-8358 platinum-8480 epyc-7532 epyc-9354"""


@pytest.mark.parametrize("name", WANTED.split())
def test_a_machine_is_complete(name: str) -> None:
    machine = machine_of(name)
    assert machine.name == name
    values = machine.values
    assert values.turbo_one_core_ghz.value >= values.turbo_all_cores_ghz.value
    assert values.memory_gbs.value < machine.memory_peak_gbs
    assert machine.core.l2_kib.value * 1024 < machine.llc_bytes
    assert 10 < machine.l3_ns < values.memory_idle_ns.value


def test_every_source_is_explained() -> None:
    entries = [machine_of(name) for name in names("cpus")]
    entries += [card_of(name) for name in names("nics")]  # type: ignore[misc]
    entries += [microarchitecture_of(name) for name in names("microarchitectures")]  # type: ignore[misc]
    for entry in entries:
        facts = [getattr(entry.values, key) for key in type(entry.values).model_fields]
        given = entry.allocation if isinstance(entry, Microarchitecture) else None
        facts += [getattr(given, key) for key in type(given).model_fields] if given else []
        assert {fact.source for fact in facts if fact} <= entry.sources.keys(), entry.name


def test_cards() -> None:
    assert set(names("nics")) == {"x520", "x710", "xl710", "xxv710", "e810", "cx5", "cx6"}
    card = card_of("x710").values
    assert card.card_mpps is not None
    assert card.card_mpps.value == 35.8


def test_an_unknown_name_says_what_is_near() -> None:
    with pytest.raises(InputError, match="did you mean gold-6230n"):
        machine_of("gold-6230")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("llc_ways: {value: 11", "llc_ways: {value: 0", "llc_ways"),
        ("ddio_ways: {value: 2", "ddio_ways: {value: 12", "more than the cache's 11 ways"),
        ("base_ghz: {value: 2.3", "base_ghz: {value: -2.3", "base_ghz"),
        ("  cores: {value: 20", "  cores: {value: 21", "don't add up to 21"),
        ("  tdp_w", "  tdp", "unknown key values.tdp"),
    ],
)
def test_an_impossible_machine_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "own.yaml"
    text = entry_path("cpus", "gold-6230n").read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=said) as error:
        machine_of(str(path))
    assert "own.yaml:" in str(error.value)
