"""The page of a search says on top what limits it and which repetition is outlying."""

from __future__ import annotations

from planecast.report.search_page import search_page
from planecast.results.search import Bounds, SearchAnswer


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
        "Not like the other repetitions: 3 (−11.9 %) off their median."
    ]
    table = next(one for one in page.tables if one.anchor == "bounds")
    assert [row[-1].text for row in table.rows] == ["", "", "outlying, −11.9 %", ""]


def test_repetitions_that_agree_have_no_remark(search_answer: SearchAnswer) -> None:
    page = search_page(search_answer, None)
    assert "outlying" not in page.verdict.quality
    assert page.verdict.answer.startswith("NDR 5.915 [5.900, 5.930] Mpps (measured); PDR")
