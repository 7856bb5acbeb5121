"""Tables of what the simulator alone knows: flow classes, rings, and what lcores did."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.numbers import digits
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results import Result

_POINTS = ("p50", "p99")


def class_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row a class of each result; None when there are no classes."""
    rows = [
        [
            Cell(label),
            Cell(name),
            Cell(f"{one.packets_in:,}"),
            Cell(f"{one.packets_out:,}"),
            Cell(f"{one.dropped:,}"),
            estimate_cell(one.loss.scaled(100, "%")),
            *(estimate_cell(one.latency_ns.get(point)) for point in _POINTS),
        ]
        for label, result in zip(labels, results, strict=True)
        for name, one in result.classes.items()
    ]
    headings = [
        Heading("scenario"),
        Heading("class"),
        *(Heading(text, "packets", True) for text in ("in", "out", "dropped")),
        Heading("lost", "%", True),
        *(Heading(point, "ns", True) for point in _POINTS),
    ]
    caption = "Packets are of the whole run, losses and latencies of what followed its warm-up."
    return Table("classes", "By flow class", caption, headings, rows) if rows else None


def ring_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row a ring of each result; None when no engine knows them."""
    rows = [
        [
            Cell(label),
            Cell(name),
            Cell(f"{ring.capacity:,}"),
            Cell(digits(ring.mean)),
            Cell(f"{ring.max:,}"),
            Cell(digits(ring.mean_wait_ns)),
        ]
        for label, result in zip(labels, results, strict=True)
        for name, ring in result.queues.items()
    ]
    headings = [
        Heading("scenario"),
        Heading("ring"),
        *(Heading(text, "packets", True) for text in ("capacity", "mean", "at most")),
        Heading("wait", "ns, mean", True),
    ]
    return Table("rings", "Rings", "Simulated; means over time.", headings, rows) if rows else None


def lcore_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """A row an lcore of each result; None when no engine knows what they did."""
    rows = [
        [
            Cell(label),
            Cell(name),
            *(
                Cell(f"{100 * share:.1f}")
                for share in (lcore.busy, lcore.polling, lcore.waiting, lcore.disturbed)
            ),
            estimate_cell(lcore.vectors_per_call),
        ]
        for label, result in zip(labels, results, strict=True)
        for name, lcore in result.lcores.items()
    ]
    headings = [
        Heading("scenario"),
        Heading("lcore"),
        *(Heading(text, "%", True) for text in ("busy", "polling", "waiting", "disturbed")),
        Heading("a poll", "packets", True),
    ]
    caption = "Shares of simulated time; packets of polls that found some."
    return Table("lcores", "Lcores", caption, headings, rows) if rows else None
