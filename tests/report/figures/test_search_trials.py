"""A search's interval closing: areas only where both bounds are known, outlying ones named."""

from __future__ import annotations

import itertools

import numpy as np

from planecast.report.figures.search_trials import interval_closing
from planecast.report.search_convergence import Deciding
from planecast.results.search import SearchAnswer


def areas(x: list[float | None], y: list[float | None]) -> list[list[tuple[float, float]]]:
    """The closed areas of a trace, whose gaps are None."""
    pairs = itertools.groupby(zip(x, y, strict=True), key=lambda pair: pair[0] is not None)
    return [[(float(a), float(b)) for a, b in group] for there, group in pairs if there]  # type: ignore[arg-type]


def test_no_area_where_a_bound_is_not_known_yet(
    search_answer: SearchAnswer, search_trials: dict[str, np.ndarray]
) -> None:
    figure = interval_closing(search_trials, search_answer.rates, Deciding(0.5, 1))
    assert figure is not None
    (area,) = [t for t in figure.data if t.name == "NDR" and t.fill == "toself"]
    drawn = areas(list(area.x), list(area.y))
    # Each repetition's first trial has no lower bound; from the second on it is 5.9 Mpps.
    assert len(drawn) == 2
    assert [min(x for x, _ in one) for one in drawn] == [2, 6]
    for one in drawn:
        assert min(y for _, y in one) == 5.9
        # Steps: every edge is upright or level, so that no wedge claims what no trial said.
        edges = itertools.pairwise([*one, one[0]])
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in edges)


def test_an_outlying_repetition_is_shaded_and_named(
    search_answer: SearchAnswer, search_trials: dict[str, np.ndarray]
) -> None:
    figure = interval_closing(search_trials, search_answer.rates, Deciding(0.5, 1), outlying=[1])
    assert figure is not None
    assert "outlying: repetition 2" in [trace.name for trace in figure.data]
    (shade,) = figure.layout.shapes
    assert (shade.x0, shade.x1) == (5, 9)
