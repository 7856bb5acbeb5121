"""Labels of results and points."""

from __future__ import annotations

from collections.abc import Callable

from planecast.report.labels import folded, plain, result_labels, unique
from planecast.results import Result

MakeResult = Callable[..., Result]


def test_results_are_called_by_what_differs(make_result: MakeResult) -> None:
    results = [
        make_result(point={"traffic.flows": 256, "placement.burst": 8}),
        make_result(point={"traffic.flows": 4096, "placement.burst": 8}),
    ]
    assert result_labels(results) == ["flows=256", "flows=4096"]
    assert result_labels(results[:1]) == ["vpe-upstream"]


def test_equal_scenarios_are_numbered(make_result: MakeResult) -> None:
    assert result_labels([make_result(), make_result()]) == ["vpe-upstream", "vpe-upstream #2"]
    assert unique(["a", "b", "a", "a"]) == ["a", "b", "a #2", "a #3"]


def test_long_labels_are_folded() -> None:
    assert folded("flows=8") == "flows=8"
    assert folded("stages=acl,key,classify,actions,route burst=8") == (
        "stages=acl,key,classify,<br>actions,route burst=8"
    )


def test_plotly_gets_no_markup_from_a_label() -> None:
    assert plain("<b>a</b> & b") == "&lt;b&gt;a&lt;/b&gt; &amp; b"
    assert "<a" not in folded('<a href="x">flows</a> more words than stand on a line')
