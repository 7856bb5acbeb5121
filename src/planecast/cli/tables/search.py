"""A search's answer as a table: rates, or loads, and the sentences that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text, percent
from planecast.cli.tables.telemetry import telemetry_lines
from planecast.results import Estimate
from planecast.results.search import FoundRate, SearchAnswer
from planecast.search.cycle_crosscheck import check_words


def _rate_text(rate: FoundRate) -> str:
    """With its interval."""
    return f"{rate.sign}{estimate_text(rate.rate_pps, 1e6)}"


def _trials(rate: FoundRate) -> Worded:
    trials = [bounds.trials for bounds in rate.bounds]
    return Worded(sum(trials), "+".join(map(str, trials)))


def _percent(loss: Estimate) -> str:
    ends = loss.interval
    width = "" if ends is None else f" [{100 * ends[0]:.2g}, {100 * ends[1]:.2g}]"
    return f"{100 * loss.value:.2g}{width} %"


_RATES = (
    Column("name", "rate", of=lambda one: one[0]),
    Column(
        "loss_ratio",
        "loss allowed",
        number=True,
        form=percent("{:.3g} %"),
        absent="–",
        of=lambda one: one[1].loss_ratio,
    ),
    Column(
        "rate_pps",
        "Mpps",
        number=True,
        of=lambda one: Worded(one[1].rate_pps, _rate_text(one[1])),
    ),
    Column("capped_by", "capped by", of=lambda one: one[1].capped_by),
    Column("trials", "trials", number=True, of=lambda one: _trials(one[1])),
)
_LOADS = (
    Column("offered_pps", "offered Mpps", number=True, form="{:.4g}", scale=1e6),
    Column("share", "share", number=True, form=percent("{:.0f} %")),
    Column("loss", "loss", number=True, form=_percent),
    Column("p50_ns", "p50 ns", number=True, absent="–", of=lambda load: load.latency_ns.get("p50")),
    Column("p99_ns", "p99 ns", number=True, absent="–", of=lambda load: load.latency_ns.get("p99")),
)
_SOAK = (
    Column("rate_pps", "offered Mpps", number=True, form="{:.4g}", scale=1e6),
    Column("seconds", "seconds", number=True, form="{:.4g}"),
    Column("offered", "packets", number=True, form="{:,}"),
    Column("lost", "lost", number=True, form="{:,}"),
    Column("upper", "loss below (95 %)", number=True, form="{:.2g}"),
    Column("target", "target", number=True, form="{:.2g}"),
    Column("met", "shown"),
)


def search_sheet(answer: SearchAnswer, run: Path) -> Sheet:
    """The sheet: loads where the method answers at loads, a soak's own row, else rates."""
    notes = [*_words(answer), *telemetry_lines(answer.telemetry), *answer.notes]
    rates = [rate.rate_pps for rate in answer.rates.values()]
    notes += [*basis_notes(answer.manifest, rates), f"run: {run}"]
    title = f"{answer.method} of {answer.dataplane}"
    columns: Sequence[Column] = _RATES
    items: Sequence[Any] = list(answer.rates.items())
    if answer.loads:
        columns, items = _LOADS, answer.loads
    elif answer.soak is not None:
        columns, items = _SOAK, [answer.soak]
    lead = [answer.invalid] if answer.invalid else []
    return Sheet.of(columns, items, answer, title=title, lead=lead, notes=notes)


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
            f"counted in the data plane: {estimate_text(estimate)} {estimate.unit} ({name})"
        )
    if answer.cycles_check is not None:
        found.append(check_words(answer.cycles_check))
    made_again = ", ".join(f"{count} {why}" for why, count in answer.refused.items())
    again = f"; made again: {made_again}" if made_again else ""
    found.append(f"{answer.trials} trials of {answer.trial_seconds:g} s{again}")
    return found
