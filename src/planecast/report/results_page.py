"""The page of a run with one or several results: measure, predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planecast.report.figures.stage_bars import CYCLES, INSTRUCTIONS
from planecast.report.figures.stages_by_result import stages_by_result
from planecast.report.figures.throughput import throughput
from planecast.report.labels import result_labels
from planecast.report.numbers import count_text, digits, estimate_text, interval_text, kinds_text
from planecast.report.page import Card, Drawing, Page, Verdict, drawing, machine_text
from planecast.report.profiles import profiles, shared
from planecast.report.result_table import packet_table, result_table, stage_table
from planecast.report.simulated_tables import class_table, lcore_table, ring_table
from planecast.report.table import Table
from planecast.report.warnings import notes_of, result_warnings
from planecast.results import Manifest, Result
from planecast.results.columns import metrics


def results_page(results: Sequence[Result], labels: list[str] | None = None) -> Page:
    """What the report of these results says; there is at least one.

    `labels` are what they are called, by default the keys in which the scenarios differ.
    """
    labels = labels or result_labels(results)
    kind = kinds_text(result.throughput_pps for result in results)
    names = ", ".join(dict.fromkeys(result.scenario.name for result in results))
    manifests = _distinct(results)
    return Page(
        title=f"{names}, {kind}",
        verdict=_verdict(results, labels),
        machine=machine_text(manifests[0]),
        cards=_cards(results) if len(results) == 1 else [],
        sections=[
            result_table(labels, results),
            *_drawings(results, labels),
            *_tables(results, labels),
        ],
        manifests=manifests,
        warnings=list(result_warnings(labels, results)),
        notes=notes_of(labels, results),
    )


def _distinct(results: Sequence[Result]) -> list[Manifest]:
    found: list[Manifest] = []
    for result in results:
        if result.manifest not in found:
            found.append(result.manifest)
    return found


def _verdict(results: Sequence[Result], labels: Sequence[str]) -> Verdict:
    named = sorted(zip(labels, results, strict=True), key=lambda pair: pair[1].throughput_pps.value)
    (slow, least), (fast, most) = named[0], named[-1]
    limits = dict.fromkeys(one.capped_by for one in results if one.capped_by)
    limited = f"limited by {' and '.join(limits)}" if limits else ""
    if len(results) == 1:
        return Verdict(f"How many packets does {slow} forward?", _mpps(least), limited)
    return Verdict(
        f"Which of {count_text(len(results), 'scenario')} forwards most?",
        f"{fast}: {_mpps(most)}",
        f"least: {slow}, {_mpps(least)}{f'; {limited}' if limited else ''}",
    )


def _mpps(result: Result) -> str:
    return estimate_text(result.throughput_pps.scaled(1e-6, "Mpps"))


def _cards(results: Sequence[Result]) -> list[Card]:
    (result,) = results
    found = (column.people(result) for column in metrics().values())
    return [
        Card(digits(e.value), e.unit, f"{interval_text(e)} {e.kind}".strip())
        for e in found
        if e is not None
    ]


def _drawings(results: Sequence[Result], labels: list[str]) -> Iterator[Drawing]:
    yield from drawing(
        "throughput",
        "Throughput",
        "Packets forwarded a second over all lcores, with the 95 % interval.",
        throughput(labels, results),
    )
    yield from drawing(
        "stage-cycles",
        "Cycles by stage",
        "Cycles that a packet costs in each stage. Intervals are in the table.",
        stages_by_result(labels, results, CYCLES),
    )
    names, shown = profiles(labels, results, INSTRUCTIONS)
    yield from drawing(
        "stage-instructions",
        "Instructions by stage",
        f"Instructions that a packet takes in each stage.{shared(names, results)}",
        stages_by_result(names, shown, INSTRUCTIONS),
        detail=True,
    )


def _tables(results: Sequence[Result], labels: list[str]) -> Iterator[Table]:
    found = (
        stage_table(labels, results, CYCLES),
        stage_table(labels, results, INSTRUCTIONS),
        packet_table(labels, results),
        class_table(labels, results),
        ring_table(labels, results),
        lcore_table(labels, results),
    )
    yield from (replace(table, detail=True) for table in found if table is not None)
