"""The page of published figures against ours."""

from __future__ import annotations

import pytest

from planecast.report.html import page_html
from planecast.report.reproduction_page import reproduction_page
from planecast.reproduce import reproduce
from planecast.results import collect_manifest


@pytest.mark.parametrize("name", ["vpe", "skx"])
def test_a_page_shows_every_claim_and_says_what_misses(name: str) -> None:
    found = reproduce(name)
    page = reproduction_page(found, collect_manifest("reproduce", 0, "planecast reproduce"))
    assert sum(len(table.rows) for table in page.tables) == len(found.claims)
    missed = [
        row for table in page.tables for row in table.rows if any(c.tone == "bad" for c in row)
    ]
    assert len(missed) == sum(claim.within is False for claim in found.claims)
    assert page.drawings
    text = page_html(page)
    assert "<html" in text
    assert found.title in text
