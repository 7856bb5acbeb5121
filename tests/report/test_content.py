"""What a reader finds in a report: its parts in order, every number, every figure. No wording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np
import pytest

from planecast.report import report_html
from planecast.report.numbers import digits
from planecast.results import Estimate, Result, ResultSet
from planecast.results.load_curve import LoadCurve
from planecast.results.search import SearchAnswer
from planecast.results.validation import Validation

_VOID = {"meta", "br", "img"}


@dataclass
class Part:
    """A section under its heading."""

    title: str
    rows: list[list[str]] = field(default_factory=list)
    """Cells of each table row, the heading's first."""
    figures: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def row(self, first: str) -> list[str]:
        """The row whose first cell begins so."""
        (found,) = (row for row in self.rows if row and row[0].startswith(first))
        return found


class Read(HTMLParser):
    """A page by its headings; every tag must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.parts = [Part("")]
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self.open.append(tag)
        if tag in ("h1", "h2"):
            self.parts.append(Part(""))
        elif tag == "tr":
            self.parts[-1].rows.append([])
        elif tag in ("td", "th"):
            self.parts[-1].rows[-1].append("")
        elif dict(attrs).get("class") == "plot":
            self.parts[-1].figures.append(str(dict(attrs)["id"]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        text = re.sub(r"\s+", " ", data)
        if not self.open or self.open[-1] in ("script", "style"):
            return
        part = self.parts[-1]
        if "h1" in self.open or "h2" in self.open:
            part.title += text
        elif {"td", "th"} & set(self.open):
            part.rows[-1][-1] += text
        elif text.strip():
            part.texts.append(text.strip())

    def part(self, title: str) -> Part:
        """The section with this heading (words after it say how long it is)."""
        (found,) = (part for part in self.parts if part.title.strip().startswith(title))
        return found

    @property
    def head(self) -> str:
        """Verdict, warnings and cards."""
        return " ".join(self.parts[1].texts)

    @property
    def everything(self) -> str:
        """All text of the page."""
        return " ".join(
            " ".join([part.title, *part.texts, *(cell for row in part.rows for cell in row)])
            for part in self.parts
        )


def shown(estimate: Estimate | None) -> str:
    """An estimate's value as pages write it."""
    assert estimate is not None
    return digits(estimate.value)


def test_a_validation_shows_every_point_and_its_error(validation: Validation) -> None:
    page = Read(report_html(validation))
    held_out = page.part("Held-out points")
    points = [point for point in validation.points if point.held_out]
    assert len(held_out.rows) == 1 + len(points)
    for point in points:
        name = f"{point.label} extrapolated" if point.extrapolates else point.label
        (row,) = (row for row in held_out.rows[1:] if row[1].strip() == name)
        assert row[2].startswith(shown(point.measured.cycles_per_packet))
        assert row[3].startswith(shown(point.predicted.cycles_per_packet))
        assert f"{abs(point.error_percent):.1f}" in row[4]
        assert ("yes" in row) is point.inside
    calibration = page.part("Calibration points")
    assert len(calibration.rows) == 1 + len(validation.points) - len(points)
    assert f"{validation.mean_error_percent:.1f} %" in page.head
    assert f"{validation.noise_floor_percent:.1f} %" in page.head
    figures = [figure for part in page.parts for figure in part.figures]
    assert {"measured-predicted-plot", "error-plot", "stages-flows-plot"} <= set(figures)
    assert len(figures) == len(set(figures))
    for point in validation.points:
        assert point.reproduce in page.everything


def test_a_load_curve_shows_every_load_both_ways(load_curve: LoadCurve) -> None:
    page = Read(report_html(load_curve))
    loads, packets = page.part("Loads"), page.part("Packets")
    assert len(loads.rows) == len(packets.rows) == 1 + len(load_curve.loads)
    for point, row in zip(load_curve.loads, loads.rows[1:], strict=True):
        assert f"{100 * point.load:.1f} %" in row[0]
        assert row[3].startswith(shown(point.measured.latency_ns["p50"]))
        assert row[4].startswith(shown(point.simulated.latency_ns["p50"]))
    for point, row in zip(load_curve.loads, packets.rows[1:], strict=True):
        assert row[1] == f"{point.measured.packets_in:,}"
        lost = point.measured.drops.get("rx_ring", 0)
        assert f"{lost:,}" in row[3]
    assert "machine-disturbed" in page.head  # 60 % of the trials were
    knee = load_curve.measured_knee
    assert knee is not None
    assert shown(knee.scaled(1e-6, "Mpps")) in page.head
    assert page.part("Loss and latency").figures == ["load-curves-plot"]


def test_a_search_shows_rates_bounds_and_telemetry(
    search_answer: SearchAnswer, search_trials: dict[str, np.ndarray]
) -> None:
    page = Read(report_html(search_answer, trials=search_trials))
    bounds = page.part("Bounds")
    assert len(bounds.rows) == 1 + sum(len(rate.bounds) for rate in search_answer.rates.values())
    for name, rate in search_answer.rates.items():
        row = page.part("Rates").row(name)
        assert row[2].startswith(shown(rate.rate_pps.scaled(1e-6, "Mpps")))
        assert row[3] == rate.capped_by
        assert rate.why in row[4]
        telemetry = page.part("Telemetry").row(name)
        assert telemetry[3].startswith(shown(search_answer.telemetry[0].cycles_per_packet))
    assert page.part("Hardware events").row("NDR")[1:3] == ["ex_ret_instr", "521.0"]
    assert page.part("Port counters").row("port0")[2] == "1,800,000"
    assert len(page.part("Trials").rows) == 1 + len(set(search_trials["intended_pps"]))
    assert "trials-made-again" in page.head
    figures = [figure for part in page.parts for figure in part.figures]
    assert figures == ["interval-plot", "loss-plot", "latency-plot"]


@pytest.mark.parametrize("count", [1, 5])
def test_results_show_every_scenario_and_stage(results: list[Result], count: int) -> None:
    page = Read(report_html(ResultSet(results=tuple(results[:count]))))
    scenarios = page.part("Every scenario")
    assert len(scenarios.rows) == 1 + count
    stages = page.part("Table of cycles by stage")
    assert len(stages.rows) == 1 + count
    for result, row, cells in zip(results, scenarios.rows[1:], stages.rows[1:], strict=False):
        assert row[1].startswith(shown(result.throughput_pps.scaled(1e-6, "Mpps")))
        assert row[2].startswith(shown(result.cycles_per_packet))
        for stage, cell in zip(result.stages.values(), cells[1:], strict=True):
            assert cell.startswith(shown(stage.cycles_per_packet))
    assert "1,024" in page.part("Packets and drops").rows[1]
    # A bar alone says nothing: one scenario has no figure of throughputs.
    figures = [figure for part in page.parts for figure in part.figures]
    assert ("throughput-plot" in figures) is (count > 1)
    assert results[0].notes[0] in page.everything


def test_columns_with_nothing_in_them_are_left_out(results: list[Result]) -> None:
    """What was computed has no samples."""

    def headings(shown: list[Result]) -> str:
        return " ".join(
            Read(report_html(ResultSet(results=tuple(shown)))).part("Every scenario").rows[0]
        )

    assert "samples" in headings(results)
    computed = [
        one.model_copy(
            update={
                name: getattr(one, name).model_copy(update={"kind": "computed", "samples": 0})
                for name in ("throughput_pps", "cycles_per_packet")
            }
        )
        for one in results
    ]
    assert "samples" in headings([results[0], *computed[1:]])
    assert "samples" not in headings(computed)


def test_what_made_the_numbers_is_on_the_page(results: list[Result]) -> None:
    manifest = results[0].manifest
    text = Read(report_html(ResultSet(results=tuple(results)))).everything
    for value in (manifest.command, manifest.started_at, *manifest.versions.values()):
        assert value in text
    assert str(manifest.host["cpu"]) in text
    assert str(manifest.seed) in text.split()
