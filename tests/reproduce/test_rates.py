"""One published row and the others: nothing of a document goes into what is held against it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.reproduce import Table, rate_priors, rates, reproduce
from planecast.reproduce.core_rates import queue_mpps, suites
from planecast.reproduce.rate_priors import priors_without
from planecast.scenario.machine import card_of

DATA = Path(os.environ.get("PLANECAST_SHARED_DATA", "../shared/data"))
RATES = {1: "bsdp:cpp.", 2: "skx:pps.", 3: "res:sst-bf.", 4: "vpe:hyper-threading."}
"""By table: what its document says of rates."""
KNOWN = {1: 1, 2: 0, 3: 0, 4: 0}
"""How many of these are the known row: where a document says changes alone, none is."""


@pytest.fixture(scope="module")
def tables() -> dict[int, Table]:
    return {one.number: one for one in reproduce("rates").tables}


def test_a_document_is_left_out_of_its_own_priors(tables: dict[int, Table]) -> None:
    for number, prefix in RATES.items():
        for claim in tables[number].claims:
            read = [key for key in claim.predicted_from if key.startswith(prefix)]
            assert len(read) == KNOWN[number], claim.id
            assert not set(read) & set(claim.published_from)


def test_it_beats_no_skill_where_it_says_so(tables: dict[int, Table]) -> None:
    for number in (1, 2, 3, 4):
        assert all(one.better for one in tables[number].baselines), number


def test_intervals_contain_what_they_promise(tables: dict[int, Table]) -> None:
    for number in (1, 2, 3, 4):
        inside = next(one for one in tables[number].goals if one.id.endswith("inside"))
        assert inside.within, number


def test_leaving_a_document_out_changes_what_it_shows() -> None:
    every = priors_without("")
    assert priors_without("bsdp").use != every.use
    assert priors_without("res").fixed.spread < every.fixed.spread
    assert priors_without("skx").generation > every.generation


def test_without_measurements_of_others_their_tables_are_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLANECAST_SHARED_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(rate_priors, "priors_without", rate_priors.priors_without.__wrapped__)
    monkeypatch.setattr(rates, "priors_without", rate_priors.priors_without)
    found = {one.number: one for one in reproduce("rates").tables}
    assert all(found[number].claims for number in (1, 2, 3, 4))
    assert not any(found[number].claims for number in (5, 6))


@pytest.mark.skipif(not DATA.is_dir(), reason="no measurements of others")
def test_cores_behind_unknown_queues_are_no_skill_and_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLANECAST_SHARED_DATA", str(DATA))
    (named,), (unknown,) = (reproduce("rates", number).tables for number in (5, 6))
    assert named.baselines[0].better
    assert not unknown.baselines[0].better
    assert unknown.goals[1].within
    assert named.refusals[0].rows > 0


@pytest.mark.skipif(not DATA.is_dir(), reason="no measurements of others")
def test_the_catalogues_queues_are_what_fits_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_SHARED_DATA", str(DATA))
    fitted = queue_mpps([one for one in suites() if one.group == "x710"])
    for name in ("x710", "xl710"):
        known = card_of(name).values.queue_mpps
        assert known is not None
        assert known.value == pytest.approx(fitted, rel=0.01)
