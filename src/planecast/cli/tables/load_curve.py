"""A load curve as a table: loss and latency against offered load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.results import CpuPauses, Estimate, LoadCurve, LoadPoint

_SIDES = ("measured", "simulated")


_WORDS = {"loss": "p10 of loss", "p50_ns": "p50", "p99_ns": "p99"}


_COLUMNS = (
    Column("load_percent", "load", number=True),
    Column("offered_pps", "offered Mpps", number=True),
    *(
        Column(f"{side}_{what}{end}", f"{_WORDS[what]} {side}" if not end else "", number=True)
        for what in ("loss", "p50_ns", "p99_ns")
        for side in _SIDES
        for end in ("", "_low", "_high")
        if side == "measured" or not end
    ),
    Column("lost_share", "lost of all", number=True),
    Column("offered", "", number=True),
    Column("forwarded", "", number=True),
    Column("unsent", "unsent", number=True),
    Column("trials", "trials", number=True),
    Column("disturbed_share", "disturbed", number=True),
)


def curve_sheet(answer: LoadCurve, run: Path, page: Path, *, people: bool) -> Sheet:
    """A row a load; some columns are for machines alone."""
    shown = [column for column in _COLUMNS if column.header or not people]
    return Sheet(
        shown,
        [_row(point) for point in answer.loads],
        [_cells(point) for point in answer.loads],
        answer,
        notes=[
            *_words(answer),
            *answer.notes,
            *basis_notes(answer.manifest),
            f"run: {run}",
            f"report: {page}",
        ],
    )


def _row(point: LoadPoint) -> dict[str, Any]:
    row: dict[str, Any] = {
        "load_percent": 100 * point.load,
        "offered_pps": point.offered_pps,
        "offered": point.measured.packets_in,
        "forwarded": point.measured.packets_out,
        "lost_share": point.lost_share,
        "unsent": point.unsent,
        "trials": point.trials,
        "disturbed_share": point.measured.disturbed_share,
    }
    for name, estimate in _estimates(point).items():
        if estimate is not None:
            row |= {
                name: estimate.value,
                f"{name}_low": estimate.low,
                f"{name}_high": estimate.high,
            }
    return row


def _estimates(point: LoadPoint) -> dict[str, Estimate | None]:
    found: dict[str, Estimate | None] = {
        "measured_loss": point.measured_loss,
        "simulated_loss": point.simulated_loss,
    }
    for side, result in zip(_SIDES, (point.measured, point.simulated), strict=True):
        for name in ("p50", "p99"):
            found[f"{side}_{name}_ns"] = result.latency_ns.get(name)
    return found


def _cells(point: LoadPoint) -> dict[str, str]:
    cells = {
        "load_percent": f"{100 * point.load:.1f} %",
        "offered_pps": f"{point.offered_pps / 1e6:.3f}",
        "lost_share": "–" if point.lost_share is None else f"{100 * point.lost_share:.3g} %",
        "unsent": f"{point.unsent:,}",
        "trials": f"{point.trials}",
        "disturbed_share": f"{100 * (point.measured.disturbed_share or 0):.0f} %",
    }
    for name, estimate in _estimates(point).items():
        loss = name.endswith("loss")
        cells[name] = _loss_text(estimate) if loss else estimate_text(estimate)
    return cells


def _loss_text(loss: Estimate | None) -> str:
    """A loss in percent with its interval."""
    if loss is None:
        return "–"
    ends = (
        ""
        if loss.interval is None
        else " [{:.3g}, {:.3g}]".format(*(100 * x for x in loss.interval))
    )
    return f"{100 * loss.value:.3g}{ends} %"


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
        f"knee (highest load with less than 0.1 % lost): {', '.join(knees)}{far}",
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
