"""A load curve as a table: loss and latency against offered load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.disturbed import disturbed_column
from planecast.cli.tables.sheet import Column, Sheet, estimate_text, percent

if TYPE_CHECKING:
    from planecast.results import Estimate
    from planecast.results.load_curve import CpuPauses, LoadCurve

_SIDES = ("measured", "simulated")
_WORDS = {"loss": "p10 of loss", "p50_ns": "p50", "p99_ns": "p99"}


def _loss_text(loss: Estimate) -> str:
    """A loss in percent with its interval."""
    ends = (
        ""
        if loss.interval is None
        else " [{:.3g}, {:.3g}]".format(*(100 * x for x in loss.interval))
    )
    return f"{100 * loss.value:.3g}{ends} %"


def _side(side: str, what: str) -> Column:
    """A figure of one side: losses are the point's, latencies are results'."""
    key = f"{side}_{what}"
    loss = what == "loss"
    return Column(
        key,
        f"{_WORDS[what]} {side}",
        number=True,
        form=_loss_text if loss else "",
        absent="–",
        ends=(f"{key}_low", f"{key}_high") if side == "measured" else None,
        of=""
        if loss
        else lambda point: getattr(point, side).latency_ns.get(what.removesuffix("_ns")),
    )


_COLUMNS = (
    Column("load_percent", "load", number=True, form="{:.1f} %", of=lambda p: 100 * p.load),
    Column("offered_pps", "offered Mpps", number=True, form="{:.3f}", scale=1e6),
    *(_side(side, what) for what in _WORDS for side in _SIDES),
    Column("lost_share", "lost of all", number=True, form=percent("{:.3g} %"), absent="–"),
    Column("offered", of=lambda point: point.measured.packets_in),
    Column("forwarded", of=lambda point: point.measured.packets_out),
    Column("unsent", "unsent", number=True, form="{:,}"),
    Column("trials", "trials", number=True),
    disturbed_column(lambda point: point.measured.disturbed_share),
)


def curve_sheet(
    answer: LoadCurve, run: Path, page: Path, open_cycles: Sequence[Estimate] = ()
) -> Sheet:
    """A row a load; `open_cycles` are the closed form's of the scenario, whose width simulated
    figures don't show."""
    notes = [
        *_words(answer),
        *answer.notes,
        *basis_notes(answer.manifest, open_cycles),
        f"run: {run}",
        f"report: {page}",
    ]
    return Sheet.of(_COLUMNS, answer.loads, answer, notes=notes)


def _words(answer: LoadCurve) -> list[str]:
    port = answer.calibration
    calls = [point.send_call_ns for point in answer.loads]
    knees = [
        f"{side} {estimate_text(knee, 1e6)} Mpps" if knee else f"{side} not between the loads"
        for side, knee in zip(_SIDES, (answer.measured_knee, answer.simulated_knee), strict=True)
    ]
    error = answer.knee_error_percent
    far = "" if error is None else f"; the simulated one is {error:+.1f} % off"
    return [
        f"knee (highest load whose p10 of loss is below 0.1 %): {', '.join(knees)}{far}",
        f"calibrated to: capacity {estimate_text(port.capacity_pps, 1e6)} Mpps at overload, empty "
        f"poll {estimate_text(port.poll_cycles)} TSC cycles, a packet that comes alone "
        f"{estimate_text(port.single_cycles)}; so the port takes {port.port_cycles:.0f} cycles a "
        f"packet in full bursts and {port.single_port_cycles:.0f} of one that comes alone",
        "measured: 10th percentile (p10) of the trials of a load, the machine at its quietest, "
        "with the interval that drawing rounds again gives; lost of all: in all trials together; "
        "latencies in ns, from the generator's send call to its receive call",
        f"the send call takes {min(calls):.0f} to {max(calls):.0f} ns of each latency",
        f"{100 * answer.disturbed_share:.0f} % of the trials were disturbed{_simulated(answer)}",
        *map(_pause_words, answer.pauses),
    ]


def _simulated(answer: LoadCurve) -> str:
    share = answer.simulated_disturbed_share
    return "" if share is None else f", and {100 * share:.0f} % of the simulated ones"


def _pause_words(pauses: CpuPauses) -> str:
    return (
        f"CPU {pauses.cpu} ({pauses.role}) was away {pauses.per_second:,.0f} times a second for "
        f"more than 1 us, for {pauses.median_us:.1f} us in the median ({pauses.p99_us:.0f} us at "
        f"p99, {pauses.longest_us:.0f} us at most): {100 * pauses.share:.2f} % of the time, in "
        f"{pauses.watched_s:.1f} s without traffic"
    )
