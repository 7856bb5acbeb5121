"""The page of a load curve."""

from __future__ import annotations

from planecast.report.figures.load_curves import load_curves
from planecast.report.numbers import count_text, digits, estimate_text, interval_text, percent
from planecast.report.page import Card, Page, Verdict, drawing, machine_text
from planecast.report.table import Cell, Heading, Table, number_cell, share_cell
from planecast.report.warnings import Warned
from planecast.results import Estimate
from planecast.results.load_curve import KNEE_LOSS, LoadCurve, LoadPoint

_DISTURBED_SHARE = 0.5
_LIMIT = f"{100 * KNEE_LOSS:g} %"


def load_curve_page(curve: LoadCurve) -> Page:
    """What the report of a load curve says."""
    return Page(
        title=f"Load curve of {curve.scenario.name}",
        verdict=_verdict(curve),
        machine=machine_text(curve.manifest),
        cards=_cards(curve),
        sections=[
            *drawing(
                "load-curves",
                "Loss and latency against offered load",
                "Marks: measured, the low quantile of a load's trials with its 95 % interval. "
                "Lines: simulated. The dotted lines are the knees.",
                load_curves(curve),
            ),
            _table(curve),
            _packets(curve),
            *_pauses(curve),
        ],
        manifests=[curve.manifest],
        warnings=_warnings(curve),
        notes=[_calibration(curve), *curve.notes],
    )


def _verdict(curve: LoadCurve) -> Verdict:
    knees = [
        estimate_text(knee.scaled(1e-6, "Mpps"))
        for knee in (curve.measured_knee, curve.simulated_knee)
        if knee is not None
    ]
    error = curve.knee_error_percent
    return Verdict(
        f"From which load on does {curve.scenario.name} lose {_LIMIT}?",
        "; ".join(knees) if knees else "the knee is not between the loads",
        "" if error is None else f"simulated is {percent(error)} off",
    )


def _calibration(curve: LoadCurve) -> str:
    port = curve.calibration
    return (
        f"{count_text(len(curve.loads), 'load')} were offered over memory interfaces, and "
        "simulated. The simulation takes three measured figures of the port: "
        f"{digits(port.capacity_pps.value / 1e6)} million packets a second are forwarded at "
        f"overload, a packet that comes alone takes {digits(port.single_cycles.value)} TSC cycles, "
        f"an empty poll {digits(port.poll_cycles.value)}."
    )


def _cards(curve: LoadCurve) -> list[Card]:
    found: tuple[tuple[str, Estimate | None], ...] = (
        (f"Mpps with less than {_LIMIT} lost", curve.measured_knee),
        (f"Mpps with less than {_LIMIT} lost", curve.simulated_knee),
        ("Mpps at overload", curve.calibration.capacity_pps),
    )
    cards = []
    for name, estimate in found:
        if estimate is not None:
            shown = estimate.scaled(1e-6, "Mpps")
            detail = f"{interval_text(shown)} {shown.kind}".strip()
            cards.append(Card(digits(shown.value), name, detail))
    return cards


def _table(curve: LoadCurve) -> Table:
    headings = [
        Heading(
            "load",
            "Mpps offered",
            number=True,
            of=lambda point: number_cell(point.offered_pps / 1e6, f"{100 * point.load:.1f} %"),
        ),
        Heading("p10 of loss", "%, measured", True, lambda p: p.measured_loss.scaled(100, "%")),
        Heading("p10 of loss", "%, simulated", True, lambda p: p.simulated_loss.scaled(100, "%")),
        *(_latency(name, side) for name in ("p50", "p99") for side in ("measured", "simulated")),
    ]
    return Table.of(
        "loads",
        "Loads",
        "Loss and latency at each offered load, with 95 % intervals: 10th percentiles of the "
        "trials, the machine at its quietest. The next table has all trials together.",
        headings,
        curve.loads,
    )


def _latency(name: str, side: str) -> Heading:
    return Heading(name, f"ns, {side}", True, lambda p: getattr(p, side).latency_ns.get(name))


def _packets(curve: LoadCurve) -> Table:
    return Table.of(
        "packets",
        "Packets",
        "Sums over the trials that count. What the generator was too late for is unsent: neither "
        "load nor loss.",
        [
            Heading("load", "Mpps offered", number=True, of=lambda point: point.offered_pps / 1e6),
            Heading("offered", "packets", True, lambda point: point.measured.packets_in or 0),
            Heading("forwarded", "packets", True, lambda point: point.measured.packets_out or 0),
            Heading("lost", "packets, by cause", True, _lost),
            Heading("unsent", "packets", number=True),
            Heading("sent at once", "packets, mean", True, lambda point: point.mean_burst),
            Heading(
                "busy",
                "TSC cycles/packet, measured",
                number=True,
                of=lambda point: point.measured.cycles_per_packet,
            ),
            Heading("trials", number=True),
            Heading(
                "disturbed",
                "of the trials",
                number=True,
                of=lambda point: share_cell(point.measured.disturbed_share),
            ),
        ],
        curve.loads,
    )


def _share_text(share: float | None) -> str:
    return "" if share is None else f"({100 * share:.3g} %)"


def _lost(point: LoadPoint) -> Cell:
    drops = point.measured.drops
    causes = ", ".join(f"{cause} {count:,}" for cause, count in drops.items())
    return Cell(f"{sum(drops.values()):,}", f"{causes} {_share_text(point.lost_share)}".strip())


def _pauses(curve: LoadCurve) -> list[Table]:
    """What took the CPUs away; nothing of runs that did not look."""
    if not curve.pauses:
        return []
    return [
        Table.of(
            "pauses",
            "Pauses",
            "How often and for how long, beyond a microsecond, both CPUs were taken from a program "
            "that only read the clock, between trials. The simulated trials have them.",
            [
                Heading("CPU", of=lambda one: f"{one.cpu}, {one.role}"),
                Heading("times", "a second", True, lambda one: f"{one.per_second:,.0f}"),
                Heading("median", "µs", number=True, of=lambda one: f"{one.median_us:,.1f}"),
                Heading("p99", "µs", number=True, of=lambda one: f"{one.p99_us:,.1f}"),
                Heading("longest", "µs", number=True, of=lambda one: f"{one.longest_us:,.1f}"),
                Heading("away", "share of the time", True, lambda one: f"{100 * one.share:.2f} %"),
            ],
            curve.pauses,
        )
    ]


def _warnings(curve: LoadCurve) -> list[Warned]:
    if curve.disturbed_share <= _DISTURBED_SHARE:
        return []
    return [
        Warned(
            "machine-disturbed",
            f"{100 * curve.disturbed_share:.0f} % of the trials were disturbed.",
            "See planecast doctor, and measure on a quieter machine.",
        )
    ]
