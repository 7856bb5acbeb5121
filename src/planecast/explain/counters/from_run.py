"""A run without counters as counters would show it: what makes the two comparable."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.explain.counters.explanation import CounterExplanation, ExplainedMetric
from planecast.explain.explanation import Explanation
from planecast.results.estimate import Estimate, ratio
from planecast.results.manifest import collect_manifest
from planecast.topdown.load import meaning_of


def as_counters(found: Explanation) -> CounterExplanation:
    """The computed tree of a run, with instructions, cycles and IPC, as an explanation of
    counters. Bounds are left out: the centre of one, less a counted share, is no change."""
    return CounterExplanation(
        label=found.label,
        tool="no counters",
        architecture="computed from instructions, cycles and the model",
        smt=False,
        limits=found.limits,
        certainty=found.certainty,
        advice=found.advice,
        nodes=tuple(
            node.model_copy(update={"share": None}) if node.bound else node for node in found.nodes
        ),
        metrics=tuple(_metrics(found)),
        unknown=found.unknown,
        notes=found.notes,
        manifest=found.manifest or collect_manifest("explain", 0),
    )


def _metrics(found: Explanation) -> Iterator[ExplainedMetric]:
    instructions, ipc = found.instructions_per_packet, found.ipc
    if ipc is not None:
        yield _metric("instructions_per_cycle", ipc)
    if instructions is not None:
        yield _metric("instructions", instructions)
    if instructions is not None and ipc is not None:
        # Both are known, so cycles of the core are; those of the run are the time-stamp counter's.
        ends = {"low": instructions.value, "high": instructions.value}
        cycles = ratio(instructions.model_copy(update=ends), ipc)
        if cycles is not None:
            yield _metric("cycles", cycles.scaled(1.0, "core cycles/packet"))
    elif found.cycles_per_packet is not None:
        yield _metric("cycles", found.cycles_per_packet.scaled(1.0, "TSC cycles/packet"))


def _metric(name: str, value: Estimate) -> ExplainedMetric:
    meaning = meaning_of(name)
    return ExplainedMetric(
        metric=name, title=meaning.title, group="core", value=value, means=meaning.means
    )
