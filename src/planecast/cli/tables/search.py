"""A search's answer as a table: rates, or loads, and the sentences that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text
from planecast.cli.tables.telemetry import telemetry_lines
from planecast.results import Estimate, SearchAnswer, SoakAnswer
from planecast.results.search import FoundRate
from planecast.search.cycle_crosscheck import check_words

_RATES = (
    Column("name", "rate"),
    Column("loss_ratio", "loss allowed", number=True),
    Column("rate_pps", "Mpps", number=True),
    Column("capped_by", "capped by"),
    Column("trials", "trials", number=True),
)
_LOADS = (
    Column("offered_pps", "offered Mpps", number=True),
    Column("share", "share", number=True),
    Column("loss", "loss", number=True),
    Column("p50_ns", "p50 ns", number=True),
    Column("p99_ns", "p99 ns", number=True),
)
_SOAK = (
    Column("rate_pps", "offered Mpps", number=True),
    Column("seconds", "seconds", number=True),
    Column("offered", "packets", number=True),
    Column("lost", "lost", number=True),
    Column("upper", "loss below (95 %)", number=True),
    Column("target", "target", number=True),
    Column("met", "shown"),
)


def search_sheet(answer: SearchAnswer, run: Path) -> Sheet:
    """The sheet: loads where the method answers at loads, a soak's own row, else rates."""
    notes = [*_words(answer), *telemetry_lines(answer.telemetry), *answer.notes]
    rates = [rate.rate_pps for rate in answer.rates.values()]
    notes += [*basis_notes(answer.manifest, rates), f"run: {run}"]
    title = f"{answer.method} of {answer.dataplane}"
    columns: Sequence[Column] = _RATES
    rows, cells = _rates(answer)
    if answer.loads:
        columns, (rows, cells) = _LOADS, _loads(answer)
    elif answer.soak is not None:
        columns, (rows, cells) = _SOAK, _soak(answer.soak)
    lead = [answer.invalid] if answer.invalid else []
    return Sheet(columns, rows, cells, answer, title=title, lead=lead, notes=notes)


def _soak(soak: SoakAnswer) -> tuple[list[Mapping[str, Any]], list[Mapping[str, str]]]:
    return [soak.model_dump(include={column.key for column in _SOAK})], [
        {
            "rate_pps": f"{soak.rate_pps / 1e6:.4g}",
            "seconds": f"{soak.seconds:.4g}",
            "offered": f"{soak.offered:,}",
            "lost": f"{soak.lost:,}",
            "upper": f"{soak.upper:.2g}",
            "target": f"{soak.target:.2g}",
            "met": "yes" if soak.met else "no",
        }
    ]


def _rates(answer: SearchAnswer) -> tuple[list[Mapping[str, Any]], list[Mapping[str, str]]]:
    rows: list[Mapping[str, Any]] = []
    cells: list[Mapping[str, str]] = []
    for name, rate in answer.rates.items():
        trials = [bounds.trials for bounds in rate.bounds]
        row: dict[str, Any] = {
            "name": name,
            "loss_ratio": rate.loss_ratio,
            "rate_pps": rate.rate_pps.value,
            "capped_by": rate.capped_by,
            "trials": sum(trials),
        }
        rows.append(row)
        allowed = "–" if rate.loss_ratio is None else f"{100 * rate.loss_ratio:.3g} %"
        cells.append(
            {
                "name": name,
                "loss_ratio": allowed,
                "rate_pps": _rate_text(rate),
                "capped_by": rate.capped_by,
                "trials": "+".join(map(str, trials)),
            }
        )
    return rows, cells


def _rate_text(rate: FoundRate) -> str:
    """With its interval; a rate whose upper bound nobody met is a least one."""
    text = estimate_text(rate.rate_pps, 1e6)
    met = any(bounds.high_pps is not None for bounds in rate.bounds)
    return text if met or rate.rate_pps.interval is not None else f"≥ {text}"


def _loads(answer: SearchAnswer) -> tuple[list[Mapping[str, Any]], list[Mapping[str, str]]]:
    rows: list[Mapping[str, Any]] = []
    cells: list[Mapping[str, str]] = []
    for load in answer.loads:
        latency = {f"{name}_ns": load.latency_ns.get(name) for name in ("p50", "p99")}
        rows.append(
            {"offered_pps": load.offered_pps, "share": load.share, "loss": load.loss.value}
            | {name: value.value if value else None for name, value in latency.items()}
        )
        cells.append(
            {
                "offered_pps": f"{load.offered_pps / 1e6:.4g}",
                "share": f"{100 * load.share:.0f} %",
                "loss": _percent(load.loss),
            }
            | {name: estimate_text(value) for name, value in latency.items()}
        )
    return rows, cells


def _percent(loss: Estimate) -> str:
    ends = loss.interval
    width = "" if ends is None else f" [{100 * ends[0]:.2g}, {100 * ends[1]:.2g}]"
    return f"{100 * loss.value:.2g}{width} %"


def _words(answer: SearchAnswer) -> list[str]:
    found = [f"{name}: {rate.why}" for name, rate in answer.rates.items()]
    if answer.loads or answer.soak is not None:
        found = [
            f"{estimate_text(r.rate_pps, 1e6)} Mpps {n}: {r.why}" for n, r in answer.rates.items()
        ]
    if answer.burst is not None:
        burst = answer.burst
        found.append(
            f"longest burst at {burst.rate_pps / 1e6:.4g} Mpps without a loss: "
            f"{estimate_text(burst.packets)} packets, {burst.implied_s * 1e6:.4g} µs; the buffer "
            f"holds {burst.corrected_s * 1e6:.4g} µs"
        )
    if answer.soak is not None:
        found.append(answer.soak.statement)
    for name, estimate in answer.second_opinion.items():
        found.append(
            f"the data plane says of itself: {estimate_text(estimate)} {estimate.unit} ({name})"
        )
    if answer.cycles_check is not None:
        found.append(check_words(answer.cycles_check))
    made_again = ", ".join(f"{count} {why}" for why, count in answer.refused.items())
    again = f"; made again: {made_again}" if made_again else ""
    found.append(f"{answer.trials} trials of {answer.trial_seconds:g} s{again}")
    return found
