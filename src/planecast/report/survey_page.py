"""The page of a survey: the documents' table, their figures, and what could not be varied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from planecast.report.efficiency_columns import efficiency_cells, efficiency_headings
from planecast.report.figures.survey_figures import lines_over, point_bars, split_bars
from planecast.report.numbers import ABSENT, count_text, digits, estimate_text
from planecast.report.page import Card, Drawing, Page, Verdict, drawing, machine_text
from planecast.report.table import Cell, Heading, Table, estimate_cell, number_cell
from planecast.report.warnings import Warned
from planecast.results import Estimate
from planecast.results.survey import SurveyAnswer, SurveyPoint

Setting = Callable[[SurveyPoint], str]


def survey_page(answer: SurveyAnswer) -> Page:
    """What the report of a survey says."""
    setting = _setting(answer.points)
    measured = [point for point in answer.points if point.measured]
    return Page(
        title=f"Survey {answer.name}",
        verdict=_verdict(answer, measured, setting),
        machine=machine_text(answer.manifest),
        cards=list(_cards(answer)),
        sections=[
            *_tables(measured, setting),
            *_drawings(answer, measured, setting),
            *_relative(measured),
            *_missing(answer.points, setting),
        ],
        manifests=[answer.manifest],
        warnings=[
            Warned("not-measured", f"{why}.", "What it is about is in the last table.")
            for why in answer.not_varied
        ],
        notes=[
            *([answer.document] if answer.document else []),
            *answer.notes,
            "CPP are cycles a packet of the clock that the table names: without hardware counters "
            "the time-stamp counter's, empty polls among them where a generator feeds.",
            "IPC is shown where hardware counters counted core cycles: the time-stamp counter's "
            "are of another clock.",
        ],
    )


def _verdict(answer: SurveyAnswer, measured: Sequence[SurveyPoint], setting: Setting) -> Verdict:
    rated = [(rate, point) for point in measured if (rate := _rate(point)) is not None]
    quality = f"{count_text(len(measured), 'point')} measured of {len(answer.points)}"
    if not rated:
        return Verdict(answer.question, "no rate was measured", quality)
    rate, best = max(rated, key=lambda pair: pair[0].value)
    limited = f"; limited by {best.capped_by}" if best.capped_by else ""
    return Verdict(
        answer.question,
        f"{best.label} ({setting(best)}) forwards most: {estimate_text(rate)}",
        f"{quality}{limited}",
    )


def _cards(answer: SurveyAnswer) -> Iterator[Card]:
    if answer.coremark is not None:
        score = answer.coremark
        yield Card(digits(score.iterations_per_s), "CoreMark iterations/s", score.compiler)


def _setting(points: Sequence[SurveyPoint], without: str = "") -> Setting:
    """What differs between points, in words; `without` one of the keys. Empty when nothing does."""
    labels = {point.label for point in points}
    several = [
        name
        for name in ("cores", "threads", "ghz", "flows")
        if name != without
        and any(
            len({getattr(point, name) for point in points if point.label == label}) > 1
            for label in labels
        )
    ]
    return lambda point: point.setting(several)


def _rate(point: SurveyPoint) -> Estimate | None:
    if point.headline is None:
        return None
    return point.rates[point.headline].scaled(1e-6, "Mpps")


def _drawings(
    answer: SurveyAnswer, measured: Sequence[SurveyPoint], setting: Setting
) -> Iterator[Drawing]:
    for anchor, title, picked, axis in (
        ("ipp", "Instructions a packet", lambda p: p.instructions_per_packet, "instructions"),
        ("ipc", "Instructions a cycle", lambda p: p.ipc, "instructions a cycle"),
        ("cpp", "Cycles a packet", lambda p: p.cycles_per_packet, "cycles"),
        ("mpps", "Packet throughput", _rate, "Mpps"),
    ):
        caption = "By data plane, with 95 % intervals where they are known."
        yield from drawing(anchor, title, caption, point_bars(measured, setting, picked, axis))
        if anchor == "ipp":
            yield from drawing(
                "split",
                "Instructions by I/O, processing and other",
                "Of the data planes whose stages could be counted.",
                split_bars(measured, setting),
            )
    yield from drawing(
        "cores",
        "Throughput by cores",
        "Dotted: linear from the first point on. Grey: what the named card would let through.",
        lines_over(measured, "cores", _setting(measured, "cores"), answer.ceilings, linear=True),
    )
    yield from drawing(
        "flows",
        "Throughput by flows",
        "More flows touch more of the tables.",
        lines_over(measured, "flows", _setting(measured, "flows"), {}),
    )


def _tables(measured: Sequence[SurveyPoint], setting: Setting) -> Iterator[Table]:
    rows = []
    for point in measured:
        rows.append(
            [
                Cell(point.label),
                Cell(setting(point) or "one core"),
                *(
                    estimate_cell(rate.scaled(1e-6, "Mpps"))
                    if (rate := point.rates.get(name)) is not None
                    else Cell(ABSENT)
                    for name in _names(measured)
                ),
                *efficiency_cells(point, measured),
                Cell(point.capped_by),
            ]
        )
    headings = (
        Heading("data plane"),
        Heading("setting"),
        *(Heading(name, "Mpps", number=True) for name in _names(measured)),
        *efficiency_headings(measured),
        Heading("capped by"),
    )
    if rows:
        caption = "Brackets hold 95 % intervals."
        yield Table("performance", "Performance and efficiency", caption, headings, rows)


def _names(measured: Sequence[SurveyPoint]) -> list[str]:
    return list(dict.fromkeys(name for point in measured for name in point.rates))


def _relative(measured: Sequence[SurveyPoint]) -> Iterator[Table]:
    """What a second thread, a faster clock, more cores or flows change."""
    rows = []
    for name, title in (
        ("threads", "threads a core"),
        ("ghz", "GHz"),
        ("cores", "cores"),
        ("flows", "flows"),
    ):
        setting = _setting(measured, name)
        for first, point in _pairs(measured, name):
            if first.pps and point.pps:
                rows.append(
                    [
                        Cell(point.label),
                        Cell(setting(point)),
                        Cell(title),
                        Cell(f"{getattr(first, name):,}"),
                        Cell(f"{getattr(point, name):,}"),
                        number_cell(point.pps / first.pps),
                    ]
                )
    if rows:
        headings = (
            Heading("data plane"),
            Heading("at"),
            Heading("what changed"),
            Heading("from", number=True),
            Heading("to", number=True),
            Heading("throughput", "times", number=True),
        )
        yield Table("relative", "Relative changes", "All else alike.", headings, rows)


def _pairs(measured: Sequence[SurveyPoint], name: str) -> Iterator[tuple[SurveyPoint, SurveyPoint]]:
    """Points that differ in `name` alone: each with the first of its kind."""
    keys = [key for key in ("label", "threads", "cores", "flows", "ghz", "by") if key != name]
    first: dict[tuple[object, ...], SurveyPoint] = {}
    for point in measured:
        if getattr(point, name) is None:
            continue
        alike = tuple(getattr(point, key) for key in keys)
        if alike in first:
            yield first[alike], point
        else:
            first[alike] = point


def _missing(points: Sequence[SurveyPoint], setting: Setting) -> Iterator[Table]:
    rows = [
        [Cell(point.label), Cell(setting(point) or "one core"), Cell(point.why_not)]
        for point in points
        if not point.measured
    ]
    if rows:
        headings = (Heading("data plane"), Heading("setting"), Heading("why"))
        yield Table("missing", "Not measured here", "Each with its reason.", headings, rows)
