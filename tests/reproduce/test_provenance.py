"""Ancestors are found, not declared: what moves a value is among its ids, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.reproduce import Claim, reproduce
from planecast.reproduce.claim import against
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.provenance import Traced, altered, read, remembered

DATA = Path(os.environ.get("PLANECAST_SHARED_DATA", "../shared/data"))
DOCUMENTS = ("bsdp:", "vpe:", "skx:", "res:")
FACTOR = 1.013


def by_id(name: str) -> dict[str, Claim]:
    return {one.id: one for one in reproduce(name).claims if one.role == "check"}


def moved(one: Claim, other: Claim) -> tuple[bool, bool]:
    """Whether ours, and whether the published figure, changed."""
    ends = [(c.published, c.published_low, c.published_high) for c in (one, other)]
    return one.ours != pytest.approx(other.ours, rel=1e-9), ends[0] != ends[1]


def follow(name: str, keys: list[str]) -> None:
    """Alter each figure: each claim that moves by it has it among its ancestors."""
    plain = by_id(name)
    for key in keys:
        with altered({key: FACTOR}):
            found = by_id(name)
        for claim, before in plain.items():
            ours, published = moved(before, found[claim])
            assert not ours or key in before.predicted_from, (key, claim)
            assert not published or key in before.published_from, (key, claim)


@pytest.mark.parametrize("name", ["vpe", "skx", "res"])
def test_what_moves_a_claim_is_among_its_ancestors(name: str) -> None:
    ids = {
        key for one in by_id(name).values() for key in (*one.predicted_from, *one.published_from)
    }
    figures = [key for key in sorted(ids) if key.startswith(DOCUMENTS) and "mask" not in key]
    follow(name, figures if name != "res" else figures[::5])


def test_what_moves_a_claim_of_bsdp_is_among_its_ancestors() -> None:
    document = document_of("bsdp")
    follow("bsdp", [document.id(key) for key in document.figures][::13])


@pytest.mark.skipif(not DATA.is_dir(), reason="no measurements of others")
def test_measured_rows_are_followed_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_SHARED_DATA", str(DATA))
    ids = sorted({key for one in by_id("components").values() for key in one.predicted_from})
    follow("components", ids[:: len(ids) // 6])


def test_a_prediction_never_rests_on_the_row_that_it_is_held_against() -> None:
    for name in ("bsdp", "vpe", "skx", "res", "components", "rates"):
        for one in reproduce(name).claims:
            if one.mark in ("weak", "test"):
                assert not set(one.predicted_from) & set(one.published_from), one.id


def test_entries_of_the_catalogue_are_ancestors_as_well() -> None:
    assert "microarchitectures:skylake" in by_id("skx")["cpp.noHT.dpdk.l3fwd"].predicted_from
    assert "nics:x710" in by_id("res")["sst-bf.l3fwd"].predicted_from


def test_what_is_true_by_arithmetic_stays_true_whatever_the_figures_are() -> None:
    for factor in (0.7, 1.4):
        with altered({"bsdp:cpp.2.2GHz.noHT.l3fwd": factor, "vpe:baseline.mpps": factor}):
            found = {**by_id("bsdp"), **by_id("vpe")}
        for key in (
            "cores.noHT.l3fwd.4",
            "cores.2.mpps",
            "frame.64B.mpps",
            "frequency.1.2GHz.mpps",
        ):
            assert found[key].within, key


def test_a_copy_of_a_figure_under_another_name_is_found_out() -> None:
    copied = Traced.of(lambda: document_of("bsdp").value("memory.mpps") * 1.001)
    again = Traced.of(document_of("bsdp").value, "memory.mpps")
    figure = Figure(value=again.value, unit="Mpps", place="")
    assert against("new", "", copied, figure, again.ids, bound=1).mark == "arithmetic"


def test_caches_answer_with_what_they_read() -> None:
    calls = []

    @remembered
    def twice(key: str) -> float:
        calls.append(key)
        return 2 * read(key, 3.0)

    first, second = Traced.of(twice, "a:x"), Traced.of(twice, "a:x")
    assert first == second == Traced(6.0, frozenset({"a:x"}))
    assert calls == ["a:x"]
    with altered({"a:x": 0.5}):
        assert Traced.of(twice, "a:x").value == 3.0
