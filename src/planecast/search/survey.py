"""A survey's points, measured one after the other: each kept as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from planecast.engines.measure import measure
from planecast.errors import InputError, PlanecastError
from planecast.machine.ceilings import card_ceilings
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.search import SearchAnswer
from planecast.results.survey import SurveyPoint, of_whom
from planecast.results.telemetry import TSC
from planecast.scenario.machine import card_of
from planecast.scenario.survey import Survey
from planecast.search.feasible_points import Case
from planecast.search.journal import Journal
from planecast.search.measured import MeasuredTester
from planecast.search.question import Question
from planecast.search.run import search
from planecast.search.session import Session
from planecast.search.telemetry import CORE, NONE
from planecast.study.instructions import count_instructions
from planecast.study.profile import bursts_with
from planecast.workload.counts import InstructionCounts, by_kind

NOT_YET = "not measured yet"
"""Of a point whose turn has not come: a survey that was stopped has some."""
Keep = Callable[[list[SurveyPoint]], object]

PORTS_OF_A_CORE = 4
MOST_PORTS = 16
PORTS_OF_A_CARD = 4
"""As the document has it: four ports a core up to 16, on two cards at the least, four ports each
(BSDP, sections 4.2.3 and 4.3.4)."""


def survey_points(
    survey: Survey,
    cases: Sequence[Case],
    folder: Path,
    manifest: Manifest,
    *,
    progress: Progress = lambda done, total, words: None,
    keep: Keep = lambda points: None,
) -> list[SurveyPoint]:
    """Every case as a point, in order; one that fails says why, and the others continue.

    `keep` gets all points whenever there is another one. Raises KeyboardInterrupt alone.
    """
    found = [point_of(case) for case in cases]
    due = [number for number, case in enumerate(cases) if not case.why_not]
    together = {n: cases[n] for n in due if cases[n].subject.by == "measure"}
    alone = [number for number in due if cases[number].subject.by == "search"]
    keep(found)
    for done, number in enumerate(alone):
        case = cases[number]
        announce = _announcer(
            progress, done, len(due), f"{case.subject.label}, {case.flows:,} flows"
        )
        try:
            journal = folder / f"{number:02d}.jsonl"
            answer = _searched(survey, case, journal, manifest, announce)
            found[number] = _of_search(found[number], answer)
        except PlanecastError as error:
            found[number] = found[number].model_copy(update={"why_not": str(error)})
        keep(found)
    if together:
        progress(len(alone), len(due), f"measuring {len(together)} points in turns")
        _measure_together(survey, together, found, manifest, progress)
        keep(found)
    return found


def _announcer(progress: Progress, done: int, total: int, words: str) -> Callable[[str], None]:
    """Called with words on a point's progress."""
    return lambda said: progress(done, total, f"{words}: {said}")


def point_of(case: Case) -> SurveyPoint:
    """The case before it is measured."""
    return SurveyPoint(
        label=case.subject.label,
        threads=case.threads,
        cores=case.cores,
        flows=case.flows,
        ghz=case.ghz,
        by=case.subject.by,
        why_not=case.why_not or NOT_YET,
    )


def _searched(
    survey: Survey,
    case: Case,
    journal: Path,
    manifest: Manifest,
    closing: Callable[[str], None],
) -> SearchAnswer:
    settings = survey.file.search
    question = Question(
        method=settings.method,
        engine="measure",
        scenario=case.scenario,
        repetitions=settings.repetitions,
        trial_seconds=settings.trial_seconds,
        goal_trials=settings.trials,
        step_trials=settings.trials,
        link_gbps=settings.link_gbps,
        telemetry=_telemetry(survey, case),
    )
    tester = MeasuredTester(case.scenario, None)
    try:
        with Journal(journal) as trials:
            session = Session(tester, trials, question.trial_seconds, closing=closing)
            return search(question, session, manifest, tester)
    finally:
        tester.close()


def _telemetry(survey: Survey, case: Case) -> str:
    """Instruments that count by stage are for our data plane; others' get the rest."""
    text = survey.file.search.telemetry
    if case.scenario.dataplane.kind == "ours":
        return text
    kept = [word for word in text.split(",") if word.strip() not in ("callgrind", "singlestep")]
    return ",".join(kept) or NONE


def _of_search(point: SurveyPoint, answer: SearchAnswer) -> SurveyPoint:
    if answer.invalid:
        return point.model_copy(update={"why_not": answer.invalid})
    observed = answer.telemetry[0] if answer.telemetry else None
    first = next(iter(answer.rates.values()), None)
    changes: dict[str, object] = {
        "why_not": "",
        "rates": {name: rate.rate_pps for name, rate in answer.rates.items()},
        "capped_by": first.capped_by if first is not None else "",
        "notes": answer.notes,
    }
    if observed is not None:
        changes |= {
            "cycles_per_packet": observed.cycles_per_packet,
            "cycles_of": observed.cycles_of,
            "instructions_per_packet": observed.instructions_per_packet,
            # Over time-stamp cycles it would be that of another clock than the core's.
            "ipc": observed.ipc if observed.cycles_of == CORE else None,
            "split": observed.split,
        }
    return point.model_copy(update=changes)


def _measure_together(
    survey: Survey,
    due: Mapping[int, Case],
    found: list[SurveyPoint],
    manifest: Manifest,
    progress: Progress,
) -> None:
    """Measures the cases, by the number of their point, in turns."""
    scenarios = [case.scenario for case in due.values()]
    try:
        results = measure(scenarios, survey.file.budget, manifest, progress=progress)
    except PlanecastError as error:
        for number in due:
            found[number] = found[number].model_copy(update={"why_not": str(error)})
        return
    for (number, case), result in zip(due.items(), results, strict=True):
        counts = _counts(survey, case)
        found[number] = _of_result(found[number], result, counts)


def _counts(survey: Survey, case: Case) -> InstructionCounts | None:
    """Instructions by stage; none when nobody asked, or where they can't be counted."""
    text = survey.file.search.telemetry
    if text == NONE:
        return None
    instrument: Literal["callgrind", "singlestep"] = (
        "callgrind" if "callgrind" in text else "singlestep"
    )
    try:
        return count_instructions(
            case.scenario, instrument, bursts_with(case.scenario.placement.burst)
        )
    except PlanecastError:
        return None


def _of_result(point: SurveyPoint, result: Result, counts: InstructionCounts | None) -> SurveyPoint:
    changes: dict[str, object] = {
        "why_not": "",
        "rates": {"throughput": result.throughput_pps},
        "capped_by": result.capped_by or "core",
        "cycles_per_packet": result.cycles_per_packet,
        "cycles_of": TSC,
        "notes": result.notes,
    }
    if counts is not None:
        split = by_kind(counts, result.scenario.placement.burst)
        changes["split"] = split
        changes["instructions_per_packet"] = _single(split.total, "instructions/packet")
    return point.model_copy(update=changes)


def _single(value: float, unit: str) -> Estimate:
    return Estimate(value=value, samples=1, unit=unit, kind="measured")


def ceilings_of(survey: Survey) -> dict[str, dict[str, float]]:
    """What the named card lets through, by number of cores; none without a card."""
    if survey.file.card is None:
        return {}
    try:
        card = card_of(survey.file.card)
    except InputError as error:
        raise InputError(error.what, "card", error.what_to_do) from None
    frame = survey.scenarios[0].traffic.frame_bytes
    found = {}
    for cores in survey.file.vary.cores:
        ports = min(PORTS_OF_A_CORE * cores, MOST_PORTS)
        cards = max(2, ports // PORTS_OF_A_CARD)
        found[str(cores)] = card_ceilings(card, ports, cards, frame)
    return found


def filled(points: Sequence[SurveyPoint], earlier: Sequence[SurveyPoint]) -> list[SurveyPoint]:
    """The points, those that were not measured taken from another run of the survey."""

    def place(point: SurveyPoint) -> tuple[object, ...]:
        return point.label, point.threads, point.cores, point.flows, point.ghz

    other = {place(point): point for point in earlier if point.measured}
    return [point if point.measured else other.get(place(point), point) for point in points]


def not_varied(points: Sequence[SurveyPoint]) -> list[str]:
    """Every reason why something was not measured, once, with whom it is about."""
    return of_whom(points, lambda point: (point.why_not,) if point.why_not else ())
