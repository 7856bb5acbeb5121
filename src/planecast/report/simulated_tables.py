"""Tables of what the simulator alone knows: flow classes, rings, and what lcores did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from planecast.report.numbers import digits
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results import Result
from planecast.results.result import ClassResult, LcoreResult, QueueResult

_POINTS = ("p50", "p99")
Part = TypeVar("Part")


def class_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row a class of each result; None when there are no classes."""

    def cells(one: ClassResult) -> Iterable[Cell]:
        yield from (Cell(f"{n:,}") for n in (one.packets_in, one.packets_out, one.dropped))
        yield estimate_cell(one.loss.scaled(100, "%"))
        yield from (estimate_cell(one.latency_ns.get(point)) for point in _POINTS)

    headings = [
        Heading("class"),
        *(Heading(text, "packets", True) for text in ("in", "out", "dropped")),
        Heading("lost", "%", True),
        *(Heading(point, "ns", True) for point in _POINTS),
    ]
    caption = "Packets are of the whole run, losses and latencies of what followed its warm-up."
    rows = _rows(labels, [result.classes for result in results], cells)
    return _table("classes", "By flow class", caption, headings, rows)


def ring_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row a ring of each result; None when no engine knows them."""

    def cells(ring: QueueResult) -> Iterable[Cell]:
        yield Cell(f"{ring.capacity:,}")
        yield Cell(digits(ring.mean))
        yield Cell(f"{ring.max:,}")
        yield Cell(digits(ring.mean_wait_ns))

    headings = [
        Heading("ring"),
        *(Heading(text, "packets", True) for text in ("capacity", "mean", "at most")),
        Heading("wait", "ns, mean", True),
    ]
    rows = _rows(labels, [result.queues for result in results], cells)
    return _table("rings", "Rings", "Simulated; means over time.", headings, rows)


def lcore_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row an lcore of each result; None when no engine knows what they did."""

    def cells(lcore: LcoreResult) -> Iterable[Cell]:
        shares = (lcore.busy, lcore.polling, lcore.waiting, lcore.disturbed)
        yield from (Cell(f"{100 * share:.1f}") for share in shares)
        yield estimate_cell(lcore.vectors_per_call)

    headings = [
        Heading("lcore"),
        *(Heading(text, "%", True) for text in ("busy", "polling", "waiting", "disturbed")),
        Heading("a poll", "packets", True),
    ]
    caption = "Shares of simulated time; packets of polls that found some."
    rows = _rows(labels, [result.lcores for result in results], cells)
    return _table("lcores", "Lcores", caption, headings, rows)


def _rows(
    labels: Sequence[str],
    parts: Sequence[Mapping[str, Part]],
    cells: Callable[[Part], Iterable[Cell]],
) -> list[list[Cell]]:
    """A row a named part of each result, behind the result's label."""
    return [
        [Cell(label), Cell(name), *cells(part)]
        for label, named in zip(labels, parts, strict=True)
        for name, part in named.items()
    ]


def _table(
    anchor: str, title: str, caption: str, headings: list[Heading], rows: list[list[Cell]]
) -> Table | None:
    if not rows:
        return None
    return Table(anchor, title, caption, [Heading("scenario"), *headings], rows)
