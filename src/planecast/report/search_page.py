"""The page of a search: what was found, how the interval closed, what was lost at which load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.figures.search_trials import (
    interval_closing,
    latency_by_load,
    loss_by_load,
    loss_of,
)
from planecast.report.numbers import (
    ABSENT,
    count_text,
    digits,
    estimate_text,
    interval_text,
    percent,
)
from planecast.report.page import Card, Drawing, Page, Verdict, drawing, machine_text
from planecast.report.search_convergence import Deciding
from planecast.report.table import Cell, Heading, Table, estimate_cell, number_cell
from planecast.report.telemetry_table import event_table, port_table, telemetry_table
from planecast.report.warnings import Warned
from planecast.results.search import FoundRate, SearchAnswer
from planecast.search.repetitions import outlying

if TYPE_CHECKING:
    from planecast.search.question import Question

Columns = Mapping[str, NDArray[Any]]
_SAME_LOAD = 0.001
"""Loads that differ by less share a row of the table of trials."""
_REFUSED_SHARE = 0.3


def search_page(
    answer: SearchAnswer, trials: Columns | None, question: Question | None = None
) -> Page:
    """What the report of a search says; `trials` are the columns of its ``trials.parquet``,
    `question` is its ``search.json``: None for a search whose settings nobody kept."""
    return Page(
        title=f"{_title(answer)} of {answer.dataplane}",
        verdict=_verdict(answer),
        machine=machine_text(answer.manifest),
        cards=list(_cards(answer)),
        sections=[
            *_tables(answer),
            *([] if trials is None else _drawings(answer, trials, _rule(answer, question))),
            *_second_tables(answer),
            *([] if trials is None else [_trial_table(trials)]),
        ],
        manifests=[answer.manifest],
        warnings=list(_warnings(answer)),
        notes=[*answer.notes, *_marks(answer)],
    )


_OFFERS_MORE = {
    "link": "Say that the link carries more (--link-gbps) to see the data plane's own limit.",
    "--max-rate": "Raise --max-rate to see the data plane's own limit.",
    "generator": (
        "Give the generator a CPU of its own (--generator-cpu), or use a faster one, to see the "
        "data plane's own limit."
    ),
}
"""What to do about a rate that was capped, by what capped it."""


def _title(answer: SearchAnswer) -> str:
    names = {
        "mlr": "NDR and PDR by MLRsearch",
        "rfc2544": "RFC 2544 throughput",
        "back-to-back": "RFC 9004 back-to-back frames",
        "loss-curve": "RFC 2544 frame loss rate",
        "latency": "Latency at shares of the throughput",
        "soak": "Soak",
        "mrr": "Maximum receive rate",
    }
    return names[answer.method]


def _verdict(answer: SearchAnswer) -> Verdict:
    trials = f"{count_text(answer.trials, 'trial')} of {answer.trial_seconds:g} s"
    asked = f"Which load does {answer.dataplane} take?"
    if answer.invalid:
        return Verdict(asked, f"{answer.invalid}", trials)
    found = "; ".join(_answers(answer)) or "see the loads"
    causes = " and ".join(dict.fromkeys(rate.capped_by for rate in answer.rates.values()))
    quality = [f"limited by {causes}"] if causes else []
    quality += [f"outlying: repetition {_named(out)}"] if (out := _outlying(answer)) else []
    return Verdict(asked, found, "; ".join([*quality, trials]))


def _answers(answer: SearchAnswer) -> Iterator[str]:
    for name, rate in answer.rates.items():
        yield f"{name} {rate.sign}{estimate_text(rate.rate_pps.scaled(1e-6, 'Mpps'))}"
    if answer.burst is not None:
        burst = answer.burst
        yield (
            f"longest burst without a loss at {digits(burst.rate_pps / 1e6)} Mpps: "
            f"{estimate_text(burst.packets)}; the buffer holds {digits(burst.corrected_s * 1e6)} µs"
        )
    if answer.soak is not None:
        yield answer.soak.statement


def _outlying(answer: SearchAnswer) -> dict[int, float]:
    """Repetitions that are outlying for some rate, with their distance to the others in percent."""
    found: dict[int, float] = {}
    for rate in answer.rates.values():
        for number, off in outlying(rate.bounds).items():
            found[number] = max(off, found.get(number, 0.0), key=abs)
    return dict(sorted(found.items()))


def _named(numbers: Iterable[int]) -> str:
    return ", ".join(str(number + 1) for number in numbers)


def _cards(answer: SearchAnswer) -> Iterator[Card]:
    for name, rate in answer.rates.items():
        shown = rate.rate_pps.scaled(1e-6, "Mpps")
        detail = f"{interval_text(shown)} {shown.kind}, capped by {rate.capped_by}".strip()
        detail = "invalid, see above" if answer.invalid else detail
        yield Card(f"{rate.sign}{digits(shown.value)}", f"Mpps {name}", detail)
    for observed in answer.telemetry:
        if observed.cycles_per_packet is not None:
            yield Card(
                digits(observed.cycles_per_packet.value),
                f"cycles/packet at {observed.rate}",
                f"{interval_text(observed.cycles_per_packet)} {observed.cycles_of}".strip(),
            )


def _rule(answer: SearchAnswer, question: Question | None) -> Deciding:
    """When the search took a load for decided; as it is by default where nobody kept that."""
    from planecast.search.question import Question  # loads MLRsearch: no other page needs it

    asked = question or Question(method=answer.method, engine="measure", scenario=answer.scenario)
    if asked.method == "mlr":
        goal = asked.goals["NDR"]
        return Deciding(goal.exceed_ratio, goal.trials)
    return Deciding(asked.binary.exceed_ratio, asked.binary.step_trials)


def _drawings(answer: SearchAnswer, trials: Columns, rule: Deciding) -> Iterator[Drawing]:
    yield from drawing(
        "interval",
        "The interval closing",
        "Every trial in its order, and the bounds that the trials of a repetition so far decide; a "
        "repetition restarts the data plane. Loads far from the rates are outside of the view; "
        "a double click shows them.",
        interval_closing(trials, answer.rates, rule, list(_outlying(answer))),
    )
    yield from drawing(
        "loss",
        "Loss against offered load",
        "Every trial near the rates (a double click shows the others). Dotted: the rates that were "
        "found, with their 95 % intervals.",
        loss_by_load(trials, answer.rates),
    )
    yield from drawing(
        "latency",
        "Latency against offered load",
        "Median and 99th percentile of every trial, from sending to receiving.",
        latency_by_load(trials, answer.rates),
    )


def _tables(answer: SearchAnswer) -> Iterator[Table]:
    if answer.rates:
        yield _rate_table(answer.rates)
        yield _bound_table(answer.rates)
    if answer.loads:
        yield _load_table(answer)


def _second_tables(answer: SearchAnswer) -> Iterator[Table]:
    """What was counted at the rates, in addition to the search itself."""
    if answer.telemetry:
        yield telemetry_table(answer.telemetry)
        yield from event_table(answer.telemetry)
        yield from port_table(answer.telemetry)
    if answer.second_opinion:
        yield Table(
            "opinion",
            "Counted in the data plane",
            "In a trial of its own, after the search.",
            (Heading("name"), Heading("value", number=True), Heading("unit")),
            [
                [Cell(name), estimate_cell(value), Cell(value.unit)]
                for name, value in answer.second_opinion.items()
            ],
        )


def _rate_table(rates: Mapping[str, FoundRate]) -> Table:
    rows = []
    for name, rate in rates.items():
        allowed = ABSENT if rate.loss_ratio is None else f"{100 * rate.loss_ratio:.3g} %"
        shown = rate.rate_pps.scaled(1e-6, "Mpps")
        own = not rate.is_least
        cell = estimate_cell(shown)
        rows.append(
            [
                Cell(name),
                Cell(allowed),
                replace(cell, text=f"{rate.sign}{cell.text}"),
                Cell(rate.capped_by, tone="" if own else "bad"),
                Cell(rate.why),
            ]
        )
    headings = (
        Heading("rate"),
        Heading("loss", "allowed", number=True),
        Heading("load", "Mpps", number=True),
        Heading("capped by"),
        Heading("why"),
    )
    return Table("rates", "Rates", "Brackets hold 95 % intervals.", headings, rows)


def _bound_table(rates: Mapping[str, FoundRate]) -> Table:
    rows = []
    for name, rate in rates.items():
        out = outlying(rate.bounds)
        for bounds in rate.bounds:
            off = out.get(bounds.repetition)
            rows.append(
                [
                    Cell(name),
                    Cell(str(bounds.repetition + 1)),
                    number_cell(bounds.low_pps / 1e6),
                    number_cell(None if bounds.high_pps is None else bounds.high_pps / 1e6),
                    Cell(f"{bounds.trials:,}"),
                    Cell("") if off is None else Cell(f"outlying, {percent(off)}", tone="bad"),
                ]
            )
    headings = (
        Heading("rate"),
        Heading("repetition", number=True),
        Heading("met the goal", "Mpps, highest", number=True),
        Heading("did not", "Mpps, lowest above", number=True),
        Heading("trials", "for all goals", number=True),
        Heading("remark"),
    )
    caption = (
        "Repetition by repetition, each on a fresh start. Outlying: further from the others' "
        "median than their spread and bounds allow; it counts as one start."
    )
    return Table("bounds", "Bounds", caption, headings, rows)


def _load_table(answer: SearchAnswer) -> Table:
    names = [n for n in ("mean", "p50", "p99") if any(n in x.latency_ns for x in answer.loads)]
    rows = [
        [
            number_cell(load.offered_pps / 1e6, f"{100 * load.share:.0f} %"),
            estimate_cell(load.loss.scaled(100, "%")),
            *(estimate_cell(load.latency_ns.get(name)) for name in names),
        ]
        for load in answer.loads
    ]
    headings = [Heading("load", "Mpps offered", number=True), Heading("loss", "%", number=True)]
    headings += [Heading(name, "ns", number=True) for name in names]
    return Table("loads", "Loads", "Over all repetitions, with 95 % intervals.", headings, rows)


def _trial_table(trials: Columns) -> Table:
    """A row a load, the highest first; loads that are nearly the same together."""
    order = np.argsort(-np.asarray(trials["intended_pps"], dtype=np.float64), kind="stable")
    groups: list[list[int]] = []
    for at in order:
        load = trials["intended_pps"][at]
        if groups and load >= (1 - _SAME_LOAD) * trials["intended_pps"][groups[-1][0]]:
            groups[-1].append(int(at))
        else:
            groups.append([int(at)])
    headings = (
        Heading("load", "Mpps offered", number=True),
        Heading("trials", number=True),
        Heading("without loss", "trials", number=True),
        Heading("loss", "%, median", number=True),
        Heading("worst", "%", number=True),
        Heading("unsent", "packets", number=True),
        Heading("p50", "ns, median", number=True),
        Heading("p99", "ns, median", number=True),
    )
    return Table(
        "trials",
        "Trials",
        "Those made again among them. What the generator did not send is unsent: neither load nor "
        "loss. The single trials are in trials.parquet.",
        headings,
        [_trial_row(trials, rows) for rows in groups],
    )


def _trial_row(trials: Columns, rows: list[int]) -> list[Cell]:
    loss = 100 * loss_of({name: column[rows] for name, column in trials.items()})
    median = float(np.median(loss))
    return [
        number_cell(float(np.mean(trials["intended_pps"][rows])) / 1e6),
        Cell(f"{len(rows):,}"),
        Cell(f"{int(np.sum(loss <= 0)):,}"),
        number_cell(median),
        number_cell(float(np.max(loss))),
        Cell(f"{int(np.sum(trials['unsent'][rows])):,}"),
        *(_median_cell(trials.get(name), rows) for name in ("p50_ns", "p99_ns")),
    ]


def _median_cell(column: NDArray[Any] | None, rows: list[int]) -> Cell:
    values = np.asarray([] if column is None else column[rows], dtype=np.float64)
    there = values[np.isfinite(values)]
    return number_cell(float(np.median(there)) if there.size else None)


def _warnings(answer: SearchAnswer) -> Iterator[Warned]:
    capped = [name for name, rate in answer.rates.items() if rate.is_least]
    if capped:
        first = answer.rates[capped[0]]
        yield Warned(
            "not-the-data-plane",
            f"{' and '.join(capped)}: {first.why}.",
            _OFFERS_MORE.get(first.capped_by, "Offer more to see the data plane's own limit."),
        )
    out = _outlying(answer)
    if out:
        off = ", ".join(f"{number + 1} ({percent(by)})" for number, by in out.items())
        yield Warned(
            "repetition-outlying",
            f"Not like the other repetitions: {off} off the others' median.",
            "It counts as one start; repeat the search to see whether it comes again.",
        )
    refused = sum(answer.refused.values())
    if refused > _REFUSED_SHARE * answer.trials:
        causes = ", ".join(f"{count:,} {why}" for why, count in answer.refused.items())
        yield Warned(
            "trials-made-again",
            f"{refused:,} of {answer.trials:,} trials said nothing of their load: {causes}.",
            "See planecast doctor, and search on a quieter machine.",
        )


def _marks(answer: SearchAnswer) -> list[str]:
    marks = dict.fromkeys(mark for observed in answer.telemetry for mark in observed.marks)
    return [f"telemetry: {mark}" for mark in marks]
