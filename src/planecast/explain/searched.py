"""Explaining a search: rates, the program's own statistics, and other runs of it.

There are no counters, and only our own data plane runs a stage clock. What is left are two sources:
the trials, which know what was offered and lost, with telemetry at the rates that were found; and
the program's own statistics in a trial at that rate: Open vSwitch's cycles with and without
packets, VPP's clocks by node, our own stages'. Causes are the calibrated model's
(`searched_stages`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planecast.dataplanes.polls import PROGRAM
from planecast.dataplanes.vpp_runtime import THREAD_CLOCKS
from planecast.explain.caveats import NO_COUNTERS, clock_and_model
from planecast.explain.explanation import (
    CauseCycles,
    Explanation,
    RoleShare,
    StageExplanation,
)
from planecast.explain.preempted_thread import whole_of
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched_stages import (
    POLLING,
    Divided,
    divided_by,
    searched_stages,
    simulated,
)
from planecast.explain.searched_words import (
    advice,
    another_guest,
    basis_notes,
    cache_hits,
    certainty,
    extrapolated,
    limits,
    not_explained,
    polls_within,
    said,
    unknown,
)
from planecast.explain.stall_causes import UNATTRIBUTED, in_order
from planecast.explain.topdown_estimate import computed_tree
from planecast.results.arithmetic import total
from planecast.results.estimate import Estimate
from planecast.results.search import SearchAnswer
from planecast.results.telemetry import TSC, Telemetry
from planecast.workload.counts import Role

_NOTHING = SearchBasis()
GIVEN = (
    "stages are what the simulator was given, the calibrated model's cost of full bursts from "
    "memory: at the rate that was found bursts may be shorter, and a card, a device or "
    "interruptions of the scenario come on top"
)
"""Of a simulated search."""


def explain_search(answer: SearchAnswer, label: str, known: SearchBasis = _NOTHING) -> Explanation:
    """What a search and the data plane's own statistics say of where its cycles go; by stage and
    cause where other runs know the program."""
    name, rate = next(iter(answer.rates.items()), ("", None))
    watched = next((seen for seen in answer.telemetry if seen.rate == name), None)
    by = divided_by(answer, watched, known)
    given = by.model.whole if by.model is not None and simulated(answer) else None
    whole = given or _whole(answer.second_opinion, watched)
    stages = tuple(searched_stages(answer, watched, whole, by))
    whole, preempted = whole_of(whole, stages)
    idle = _idle_share(stages, whole)
    causes = tuple(_causes(stages, whole))
    counted = watched.instructions_per_packet if watched else None
    return Explanation(
        label=f"{label} ({answer.dataplane})",
        scenario=answer.scenario,
        cycles_per_packet=whole,
        throughput_pps=rate.rate_pps if rate else None,
        instructions_per_packet=counted or total(stage.instructions for stage in stages),
        ipc=watched.ipc if watched else None,
        stages=stages,
        causes=causes,
        roles=tuple(_roles(stages, watched)),
        nodes=computed_tree(causes, whole) if whole is not None else (),
        limits=(
            *((answer.invalid,) if answer.invalid else preempted),
            *another_guest(watched, causes, whole),
            *limits(name, rate, stages, whole, idle),
            *cache_hits(answer),
            *not_explained(answer, causes, whole, by),
            *(watched.limits if watched is not None else ()),
        ),
        certainty=(*certainty(answer, rate, whole, watched), *extrapolated(by, known)),
        advice=tuple(advice(answer, idle)),
        unknown=(*unknown(answer.scenario, stages, watched, by), *polls_within(answer)),
        notes=(
            *_sources(watched),
            *_basis(answer, by, known, stages),
            *said(answer),
            *answer.notes,
        ),
        manifest=answer.manifest,
    )


def _whole(opinion: Mapping[str, Estimate], watched: Telemetry | None) -> Estimate | None:
    """TSC cycles a packet, empty polls among them: of all polls where these were counted, for they
    have the stages', of the same trial; by the clock; else as the program says."""
    if PROGRAM in opinion:
        return opinion[PROGRAM]
    if watched is not None and watched.cycles_of == TSC and watched.cycles_per_packet is not None:
        return watched.cycles_per_packet
    return opinion.get("pmd") or opinion.get(THREAD_CLOCKS)


def _sources(watched: Telemetry | None) -> tuple[str, ...]:
    if watched is None or not watched.events:
        return (NO_COUNTERS.partition(":")[0], *(watched.marks if watched is not None else ()))
    return watched.marks


def _basis(
    answer: SearchAnswer, by: Divided, known: SearchBasis, stages: tuple[StageExplanation, ...]
) -> tuple[str, ...]:
    given = (GIVEN,) if simulated(answer) and by.model is not None else ()
    return (*given, *basis_notes(by, known, stages), *clock_and_model(stages))


def _causes(stages: tuple[StageExplanation, ...], whole: Estimate | None) -> Iterator[CauseCycles]:
    if not stages and whole is not None:
        yield CauseCycles(cause=UNATTRIBUTED, cycles=whole)
    for cause in in_order({part.cause for stage in stages for part in stage.causes}):
        own = [part.cycles for stage in stages for part in stage.causes if part.cause == cause]
        summed = total(own)
        if summed is not None:
            yield CauseCycles(cause=cause, cycles=summed)


def _roles(stages: tuple[StageExplanation, ...], watched: Telemetry | None) -> Iterator[RoleShare]:
    split = watched.split if watched is not None else None
    instructions: dict[Role, float | None] = {
        "I/O": split.io if split else None,
        "processing": split.processing if split else None,
        "other": split.other if split else None,
    }
    for role, count in instructions.items():
        cycles = total(stage.cycles for stage in stages if stage.role == role)
        if cycles is not None or count is not None:
            counted = None
            if count is not None:
                counted = Estimate(
                    value=count, samples=1, unit="instructions/packet", kind="measured"
                )
            yield RoleShare(role=role, cycles=cycles, instructions=counted)


def _idle_share(stages: tuple[StageExplanation, ...], whole: Estimate | None) -> float | None:
    """Share of its cycles in which the thread found no packet; None when it doesn't say."""
    idle = next((stage.cycles for stage in stages if stage.stage == POLLING), None)
    return idle.value / whole.value if idle and whole and whole.value > 0 else None
