"""Explaining a recording: from what other tools counted to limits, certainty and advice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from planecast.errors import InputError
from planecast.explain.counters.architecture import definition_for, sibling_busy
from planecast.explain.counters.explanation import CounterExplanation, ExplainedMetric
from planecast.explain.counters.nodes import (
    MARKED_BELOW,
    REFUSED_BELOW,
    Known,
    explained_metrics,
    explained_nodes,
    from_vectors,
    known_nodes,
    shared_nodes,
)
from planecast.explain.counters.readings import explained_readings
from planecast.explain.counters.vectors import CYCLES, Vectors, vectors_of
from planecast.explain.counters.verdict import Tree, advice, certainty, limits
from planecast.instruments.recorded import Recording
from planecast.results.estimate import Kind
from planecast.results.manifest import collect_manifest
from planecast.topdown import Definition

_BASIC = frozenset({"cycles", "instructions", "cpu-cycles"})
_EVENTS_SHOWN = 8
_NAMES_SHOWN = 4


@dataclass(frozen=True)
class Asked:
    """What is known in addition to the recording."""

    label: str
    """Which file."""
    architecture: str | None = None
    """A definition's name; by default what the events fit."""
    smt: bool | None = None
    """Whether both threads of a core were busy; by default what the events say."""
    packets: float | None = None
    """Packets that were forwarded while it counted."""
    pps: float | None = None
    """Packets a second."""
    places: frozenset[str] = frozenset()
    """CPUs or cores to look at; all when empty."""
    kind: Kind = "computed"
    """What shares in the file are: ``published`` for those of a document."""


def explain_recording(
    recording: Recording, asked: Asked, extra: tuple[ExplainedMetric, ...] = ()
) -> CounterExplanation:
    """What a recording says about what limits a data plane; `extra` is what else is known.

    Raises InputError for a recording without any value that can be used, places that it doesn't
    have, and packets a second without a length.
    """
    _check_places(recording, asked)
    definition, doubt = definition_for(recording, asked.architecture)
    vectors = vectors_of(recording, definition, set(asked.places) or None)
    recorded = set(vectors.events) | set(vectors.rejected)
    smt = sibling_busy(definition, recorded) if asked.smt is None else asked.smt
    packets = _packets(recording, asked)
    evaluation = from_vectors(definition, vectors, smt)
    known = known_nodes(definition, vectors, evaluation, smt)
    shared, strangers = shared_nodes(_of_places(recording, asked), definition)
    for name, share in shared.items():
        known.setdefault(name, replace(share, kind=asked.kind))
    reasons = _reasons(definition, vectors, smt) if recording.counts else {}
    nodes = explained_nodes(definition, known, reasons, smt)
    metrics = (
        *explained_metrics(definition, vectors, evaluation, smt, packets),
        *explained_readings(recording),
        *extra,
    )
    _check_something(recording, vectors, any(node.share for node in nodes), metrics, asked)
    tree = Tree(nodes)
    lacking = _lacking(definition, tree, vectors, smt) if recording.counts else {}
    return CounterExplanation(
        label=asked.label,
        tool=recording.tool,
        architecture=f"{'read as ' if doubt else ''}{definition.file.title}",
        smt=smt,
        limits=tuple(limits(tree, metrics, smt)),
        certainty=tuple(
            certainty(
                tree,
                max(_rounds(known), vectors.rounds),
                min((value.running for value in known.values()), default=1.0),
                vectors.rejected,
                _cautions(definition, smt),
            )
        ),
        advice=tuple(advice(tree, metrics, lacking)),
        nodes=nodes,
        metrics=metrics,
        unknown=tuple(_unknown(recording, vectors, strangers, packets)),
        notes=tuple(_notes(recording, vectors, doubt, smt, asked)),
        manifest=collect_manifest("explain", 0),
    )


def _rounds(known: Mapping[str, Known]) -> int:
    return max((value.rounds.size for value in known.values()), default=0)


def _check_places(recording: Recording, asked: Asked) -> None:
    there = {count.place for count in recording.counts}
    there |= {share.place for share in recording.shares}
    strange = asked.places - there
    if strange:
        named = ", ".join(sorted(place for place in there if place)[:8]) or "none"
        gone = ", ".join(sorted(strange))
        raise InputError(f"{gone} is not in the file", "--place", f"it has {named}")


def _of_places(recording: Recording, asked: Asked) -> Recording:
    if not asked.places:
        return recording
    shares = tuple(share for share in recording.shares if share.place in asked.places)
    return replace(recording, shares=shares)


def _packets(recording: Recording, asked: Asked) -> float | None:
    if asked.packets is not None or asked.pps is None:
        return asked.packets
    if recording.seconds is None:
        raise InputError(
            "the file doesn't say how long it counted", "--pps", "give --packets instead"
        )
    return asked.pps * recording.seconds


def _check_something(
    recording: Recording,
    vectors: Vectors,
    nodes: bool,
    metrics: tuple[ExplainedMetric, ...],
    asked: Asked,
) -> None:
    """Raises InputError when nothing can be said, with the reason that fits."""
    if nodes or metrics:
        return
    if _hidden(recording):
        raise InputError(
            "the counters were hidden (<not supported>): a virtual machine without vPMU",
            asked.label,
            "count on the host or on bare metal, or use planecast explain RUN, which needs none",
        )
    if recording.counts and not vectors.events and not vectors.rejected:
        names = ", ".join(vectors.unknown[:_NAMES_SHOWN])
        raise InputError(
            f"no event is known to any definition (it has {names})",
            asked.label,
            "name the micro-architecture with --arch, or record its events",
        )
    reasons = [f"{event} {why}" for event, why in vectors.rejected.items()]
    first = f": {reasons[0]}" if reasons else ""
    raise InputError(
        f"nothing follows from what was counted{first}",
        asked.label,
        "record the events of level 1 (planecast explain --events ARCH lists them)",
    )


def _hidden(recording: Recording) -> bool:
    """Whether the counters that every core has were asked for and not there."""
    basic = [count for count in recording.counts if count.event.rstrip(":u") in _BASIC]
    return bool(basic) and all("not supported" in count.reason for count in basic)


def _reasons(definition: Definition, vectors: Vectors, smt: bool) -> dict[str, str]:
    """Why a node isn't known: the first event that it lacks."""
    found = {}
    for name in definition.nodes:
        lacking = sorted(definition.events_of(name, smt) - vectors.events.keys())
        if lacking:
            why = vectors.rejected.get(lacking[0], "not counted")
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            found[name] = f"{lacking[0]}{more}: {why}"
    return found


def _lacking(
    definition: Definition, tree: Tree, vectors: Vectors, smt: bool
) -> dict[str, tuple[str, ...]]:
    """Events that a node's unknown parts need, by the node's name."""
    found = {}
    for node in definition.nodes.values():
        missing: set[str] = set()
        for part in definition.children(node.name):
            shown = tree.nodes.get(part.name)
            if shown is None or shown.share is None:
                missing |= definition.events_of(part.name, smt) - vectors.events.keys()
        if missing:
            names = sorted(missing)[:_EVENTS_SHOWN]
            rest = len(missing) - len(names)
            found[node.name] = (*names, f"{rest} more") if rest else tuple(names)
    return found


def _cautions(definition: Definition, smt: bool) -> list[str]:
    found = list(definition.file.cautions.get("always", ()))
    return found + list(definition.file.cautions.get("smt", ())) if smt else found


def _unknown(
    recording: Recording, vectors: Vectors, strangers: set[str], packets: float | None
) -> Iterator[str]:
    if packets is None and any(event in vectors.events for event in CYCLES):
        yield "figures a packet: give --packets N or --pps X, as the data plane counted them"
    if vectors.unknown:
        named = ", ".join(vectors.unknown[:_NAMES_SHOWN])
        rest = len(vectors.unknown) - _NAMES_SHOWN
        more = f" and {rest} more" if rest > 0 else ""
        yield f"what {named}{more} say: not in the tree"
    if strangers:
        named = ", ".join(sorted(strangers)[:_NAMES_SHOWN])
        yield f"where {named} belong: this definition has no such nodes"
    if recording.counts:
        never = [c for c in recording.counts if "not counted" in c.reason or c.running == 0]
        if never and len(never) < len(recording.counts):
            yield (
                f"{never[0].event}: it was never counted. No counter was free: count fewer events "
                "at once, and switch off the NMI watchdog, which keeps one (sysctl "
                "kernel.nmi_watchdog=0)"
            )


def _notes(
    recording: Recording, vectors: Vectors, doubt: str, smt: bool, asked: Asked
) -> Iterator[str]:
    yield from recording.remarks
    yield from vectors.remarks
    if doubt:
        yield doubt
    if asked.smt is None and recording.counts:
        yield (
            "both threads of a core are taken as busy"
            if smt
            else "a thread is taken as alone on its core; --smt if its sibling was busy"
        )
    if vectors.places > 1:
        yield f"summed over {vectors.places} places; --place looks at one"
    places = {share.place for share in recording.shares}
    if len(places) > 1 and not asked.places:
        yield f"the mean over {len(places)} places ({', '.join(sorted(places)[:_NAMES_SHOWN])} …)"
    if any(count.running < MARKED_BELOW for count in recording.counts):
        yield (
            "events took turns on the counters (multiplexing): values are scaled up; a ratio of "
            f"events that ran below {100 * REFUSED_BELOW:.0f} % of the time, each at another, is "
            "refused"
        )
    if recording.shares or recording.counts:
        yield "shares of clocks (L1, L2, DRAM, store …) overlap: they don't add up to their parent"
