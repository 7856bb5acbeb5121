"""Results as Prometheus reads them from a text file (node_exporter's textfile collector)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from planecast.results.columns import quantities
from planecast.results.csit_name import csit_name
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.results.scenario_labels import own_label
from planecast.results.search import SearchAnswer

_LABELS = ("scenario", "point", "test", "kind")
_BOUNDS = ("value", "low", "high")
_FAMILIES = {
    "rate_pps": ("Packets a second of a rate that a search found: NDR, PDR, throughput, MRR.",
                 (*_LABELS, "bound", "rate")),
    "latency_ns": ("Nanoseconds from arrival to departure.", (*_LABELS, "bound", "quantile")),
    "stage_cycles_per_packet": ("Cycles of the time-stamp counter a packet in one stage.",
                                (*_LABELS, "bound", "stage")),
    "dropped_packets": ("Packets dropped in the run.", (*_LABELS, "cause")),
    "started_seconds": ("When the run began, in seconds since 1970.", _LABELS),
}  # fmt: skip
"""Metrics that are no column of a result: their help and labels."""


def prometheus_text(results: Iterable[Result], searches: Iterable[SearchAnswer] = ()) -> str:
    """The exposition of results and of searches' rates; of several of one scenario and kind the
    last counts.

    ``point`` is in what the scenario differs from its function's defaults, ``bound`` ``value``,
    ``low`` or ``high``: the estimate and its 95 % interval. The run is no label: each run would be
    a series of its own, and none would continue.
    """
    registry = CollectorRegistry()
    columns = {
        column.name: (column.meaning, (*_LABELS, "bound") if column.is_metric else _LABELS)
        for column in quantities()
    }
    gauges = {
        name: Gauge(f"planecast_{name}", words, labels, registry=registry)
        for name, (words, labels) in (columns | _FAMILIES).items()
    }
    for result in results:
        _set(gauges, result)
    for search in searches:
        _set_rates(gauges, search)
    return generate_latest(registry).decode()


def _set(gauges: dict[str, Gauge], result: Result) -> None:
    kind = result.throughput_pps.kind
    scenario = result.scenario
    about = (scenario.name, own_label(scenario), csit_name(scenario), kind)

    def put(name: str, estimate: Estimate | None, *more: str) -> None:
        if estimate is None:
            return
        for bound in _BOUNDS:
            number = getattr(estimate, bound)
            if number is not None:
                gauges[name].labels(*about, bound, *more).set(number)

    for column in quantities():
        if column.is_metric:
            put(column.name, column.estimate(result))
        elif column.read(result) is not None:
            gauges[column.name].labels(*about).set(column.read(result))
    for quantile, estimate in result.latency_ns.items():
        put("latency_ns", estimate, quantile)
    for stage, cost in result.stages.items():
        put("stage_cycles_per_packet", cost.cycles_per_packet, stage)
    for cause, count in result.drops.items():
        gauges["dropped_packets"].labels(*about, cause).set(count)
    started = datetime.fromisoformat(result.manifest.started_at)
    gauges["started_seconds"].labels(*about).set(started.timestamp())


def _set_rates(gauges: dict[str, Gauge], search: SearchAnswer) -> None:
    """The rates of a search; an invalid one has none."""
    if search.invalid:
        return
    scenario = search.scenario
    names = (scenario.name, own_label(scenario), csit_name(scenario))
    kind = ""
    for name, rate in search.rates.items():
        kind = rate.rate_pps.kind
        for bound in _BOUNDS:
            number = getattr(rate.rate_pps, bound)
            if number is not None:
                gauges["rate_pps"].labels(*names, kind, bound, name).set(number)
    if kind:
        started = datetime.fromisoformat(search.manifest.started_at)
        gauges["started_seconds"].labels(*names, kind).set(started.timestamp())
