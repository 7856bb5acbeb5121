"""The page of a search says on top what limits it and which repetition is outlying."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.report.search_page import search_page
from planecast.results.search import Bounds, SearchAnswer
from planecast.search.question import Question


def test_an_outlying_repetition_is_named_on_top_and_in_its_row(search_answer: SearchAnswer) -> None:
    rate = search_answer.rates["NDR"]
    bounds = tuple(
        Bounds(repetition=number, low_pps=low, high_pps=low + 1e4, trials=4)
        for number, low in enumerate((5.90e6, 5.91e6, 5.20e6, 5.92e6))
    )
    odd = search_answer.model_copy(
        update={"rates": {"NDR": rate.model_copy(update={"bounds": bounds})}}
    )
    page = search_page(odd, None)
    assert "outlying: repetition 3" in page.verdict.quality
    assert [w.what for w in page.warnings if w.name == "repetition-outlying"] == [
        "Not like the other repetitions: 3 (−12.0 %) off the others' median."
    ]
    table = next(one for one in page.tables if one.anchor == "bounds")
    assert [row[-1].text for row in table.rows] == ["", "", "outlying, −12.0 %", ""]


def test_an_invalid_search_shows_no_rate_as_an_answer(search_answer: SearchAnswer) -> None:
    starved = search_answer.model_copy(update={"invalid": "INVALID: the thread had 3% of its CPU"})
    page = search_page(starved, None)
    assert page.verdict.answer == starved.invalid
    assert {card.detail for card in page.cards if card.name.startswith("Mpps")} == {
        "invalid, see above"
    }


@pytest.mark.parametrize("by", ["link", "generator", "--max-rate"])
def test_advice_is_for_what_capped_the_rate(search_answer: SearchAnswer, by: str) -> None:
    capped = {
        name: rate.model_copy(update={"capped_by": by})
        for name, rate in search_answer.rates.items()
    }
    page = search_page(search_answer.model_copy(update={"rates": capped}), None)
    (advice,) = (w.what_to_do for w in page.warnings if w.name == "not-the-data-plane")
    assert {"link": "--link-gbps", "generator": "--generator-cpu"}.get(by, by) in advice


def test_a_rate_that_no_trial_exceeded_is_a_least_one(search_answer: SearchAnswer) -> None:
    """The verdict of a link's 14.88 Mpps is no answer about the data plane."""
    rate = search_answer.rates["NDR"]
    least = rate.model_copy(
        update={
            "capped_by": "link",
            "rate_pps": rate.rate_pps.model_copy(update={"low": None, "high": None}),
            "bounds": tuple(one.model_copy(update={"high_pps": None}) for one in rate.bounds),
        }
    )
    page = search_page(search_answer.model_copy(update={"rates": {"NDR": least}}), None)
    assert page.verdict.answer.startswith("NDR ≥ 5.915 Mpps")
    assert next(card for card in page.cards if card.name == "Mpps NDR").value == "≥ 5.915"
    (row,) = next(one for one in page.tables if one.anchor == "rates").rows
    assert row[2].text == "≥ 5.915"
    assert row[2].value == pytest.approx(5.915)


def test_repetitions_that_agree_have_no_remark(search_answer: SearchAnswer) -> None:
    page = search_page(search_answer, None)
    assert "outlying" not in page.verdict.quality
    assert page.verdict.answer.startswith("NDR 5.915 [5.900, 5.930] Mpps (measured); PDR")


@pytest.mark.parametrize("name", ["search.json", "nothing"])
def test_the_figure_draws_by_the_rule_that_was_asked_for(
    search_answer: SearchAnswer, search_trials: dict[str, np.ndarray], name: str
) -> None:
    """Of two trials at each load one decides where that was asked; of 21 none does."""
    asked = Question(
        method="mlr", engine="measure", scenario=search_answer.scenario, goal_trials=1, exceed=0.0
    )
    page = search_page(search_answer, search_trials, asked if name == "search.json" else None)
    interval = next(one for one in page.drawings if one.anchor == "interval")
    drawn = [line for line in interval.figure.data if line.fill == "toself" and len(line.x)]
    assert bool(drawn) == (name == "search.json")
