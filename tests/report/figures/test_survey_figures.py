"""A survey's figures: lines by all that varies, marks of axes at the numbers that there are."""

from __future__ import annotations

from planecast.report.efficiency_columns import efficiency_cells, efficiency_headings
from planecast.report.figures.style import number_axis
from planecast.report.figures.survey_figures import lines_over
from planecast.report.survey_page import survey_page
from planecast.results import Estimate, Manifest
from planecast.results.survey import SurveyAnswer, SurveyPoint


def point(cores: int, flows: int, clock: str = "time-stamp counter") -> SurveyPoint:
    rate = Estimate(value=cores * 1e7, samples=5, unit="pps", kind="measured")
    return SurveyPoint(
        label="VPP",
        threads=1,
        cores=cores,
        flows=flows,
        by="measure",
        rates={"throughput": rate},
        cycles_per_packet=Estimate(value=9.0, unit="cycles/packet", kind="measured"),
        cycles_of=clock,
    )


GRID = [point(cores, flows) for cores in (1, 2) for flows in (64, 4096)]


def test_a_line_goes_over_one_key_alone() -> None:
    figure = lines_over(GRID, "flows", lambda p: f"{p.cores} cores", {})
    assert figure is not None
    assert [(line.name, list(line.x)) for line in figure.data] == [
        ("VPP, 1 cores", [64, 4096]),
        ("VPP, 2 cores", [64, 4096]),
    ]
    assert len({line.line.dash for line in figure.data}) == 2
    assert lines_over(GRID[:1], "cores", lambda p: "", {}) is None


def test_marks_are_at_the_numbers_where_these_are_few() -> None:
    assert number_axis([1, 2])["ticktext"] == ["1", "2"]
    assert number_axis([256, 4096, 65536]) == {
        "type": "log",
        "tickmode": "array",
        "tickvals": [256, 4096, 65536],
        "ticktext": ["256", "4,096", "65,536"],
    }
    assert number_axis([1, 2, 30]) == {"type": "linear"}
    assert number_axis(list(range(1, 20))) == {"type": "linear"}


def test_a_change_says_what_stayed(manifest: Manifest) -> None:
    answer = SurveyAnswer(
        name="s", question="?", document="", points=tuple(GRID), manifest=manifest
    )
    (table,) = [part for part in survey_page(answer).sections if part.anchor == "relative"]
    rows = [[cell.text for cell in row[:5]] for row in table.rows]
    assert ["VPP", "64 flows", "cores", "1", "2"] in rows
    assert ["VPP", "2 cores", "flows", "64", "4,096"] in rows


def test_the_clock_stands_in_the_heading_where_there_is_one() -> None:
    assert efficiency_headings(GRID)[0].detail == "TSC cycles/packet"
    assert next(efficiency_cells(GRID[0], GRID)).detail == ""
    mixed = [*GRID, point(4, 64, "core")]
    assert efficiency_headings(mixed)[0].detail == "cycles/packet"
    assert next(efficiency_cells(mixed[-1], mixed)).detail == "core"
