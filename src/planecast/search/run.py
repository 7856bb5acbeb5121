"""A search from its question to its answer: repetition by repetition, on any tester."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from planecast.errors import InputError, RunError
from planecast.results.manifest import Manifest
from planecast.results.search import Bounds, FoundRate, SearchAnswer
from planecast.search import loads, rfc2544
from planecast.search.asked import Asked
from planecast.search.bursts import burst_answer, longest_burst
from planecast.search.combine import equal_rates
from planecast.search.cpu_shares import starved
from planecast.search.cycle_crosscheck import check_cycles
from planecast.search.highest_load import highest_load, link_words
from planecast.search.mlr import search_losses
from planecast.search.pauses import with_pauses
from planecast.search.precision import precision_notes
from planecast.search.question import Question
from planecast.search.repetitions import (
    handoff_note,
    outlying_notes,
    sibling_note,
    state_note,
)
from planecast.search.rfc2544 import search_throughput
from planecast.search.session import MARGINS, Session
from planecast.search.telemetry import Watched, found_rates, instruments, observe
from planecast.search.tester import Opinion

NOT_RESTARTED = (
    "what forwards was there already and was not restarted between repetitions: how much a "
    "start changes the rate is not in the interval"
)


def check_question(question: Question) -> None:
    """Raises InputError for a question that can't be asked."""
    if question.rate_pps is not None and question.rate_pps > question.link_pps:
        named = f"{question.rate_pps / 1e6:.4g} Mpps"
        raise InputError(
            f"{named} is more than the link carries: {link_words(question)}",
            "--rate",
            "name less, or say what the link is: --link-gbps",
        )
    instruments(question.telemetry, question.scenario)


def search(
    question: Question,
    session: Session,
    manifest: Manifest,
    watched: Watched | None = None,
    *,
    model_share: float = 0.0,
) -> SearchAnswer:
    """The answer; of `watched`, with what telemetry shows at its rates.

    `model_share` is what the calibration leaves open of simulated rates (95 %).

    Raises InputError for a question that can't be asked, RunError as trials do.
    """
    check_question(question)
    session.leaves_out = question.method in _LEAVING_OUT
    asked = Asked.begun(question, session, highest_load(question), model_share)
    found = _METHODS[question.method](asked)
    tester = session.tester
    rates = with_pauses(found.pop("rates", {}), question.scenario, session.journal.trials)
    notes = [*equal_rates(dict(rates)), *asked.preempted]
    for name, rate_found in rates.items():
        notes += outlying_notes(name, rate_found.bounds, session.journal.trials)
        notes += state_note(name, rate_found.bounds, session.journal.trials)
    notes += handoff_note(session.journal.trials)
    notes += sibling_note(session.journal.trials)
    notes += precision_notes(rates, question)
    if question.scenario.dataplane.kind == "external":
        notes.append(NOT_RESTARTED)
    rate = next((rate.rate_pps.value for rate in rates.values()), 0.0)
    opinion = session.opinion(rate) if rate > 0 else Opinion()
    check = check_cycles(session, asked.ceiling) if opinion.own else None
    answer = SearchAnswer(
        method=question.method,
        scenario=question.scenario,
        dataplane=tester.dataplane,
        trial_seconds=question.trial_seconds,
        trials=len(session.journal.trials),
        refused=dict(session.refused),
        invalid=starved(session.journal.trials, left_out=session.leaves_out),
        second_opinion=dict(opinion.own),
        cycles_check=check,
        rates=rates,
        notes=(*notes, *found.pop("notes", ())),
        manifest=manifest,
        **found,
    )
    return answer if watched is None else _with_telemetry(answer, question, session, watched)


def _with_telemetry(
    answer: SearchAnswer, question: Question, session: Session, watched: Watched
) -> SearchAnswer:
    """The answer, looked at. What fails now costs the telemetry, not the answer."""
    wanted = instruments(question.telemetry, question.scenario)
    try:
        observed = observe(watched, found_rates(answer), wanted, session.closing)
    except RunError as error:
        note = f"telemetry failed: {error}"
        return answer.model_copy(update={"notes": (*answer.notes, note)})
    return answer.model_copy(update={"telemetry": observed})


def _mlr(asked: Asked) -> dict[str, Any]:
    question = asked.question
    found = asked.repeat(
        lambda: search_losses(asked.session, asked.ceiling, question.goals, question.start),
        lambda bounds: list(bounds.values()),
    )
    return {"rates": _by_goal(asked, found)}


def _by_goal(asked: Asked, found: list[dict[str, Bounds]]) -> dict[str, FoundRate]:
    return {
        name: asked.rate([bounds[name] for bounds in found], goal.loss_ratio)
        for name, goal in asked.question.goals.items()
    }


def _throughput(asked: Asked) -> dict[str, Any]:
    goal = asked.question.binary
    found = asked.repeat(
        lambda: search_throughput(asked.session, asked.ceiling, goal), lambda bounds: [bounds]
    )
    return {"rates": {rfc2544.NAME: asked.rate(found, goal.loss_ratio)}}


def _mrr(asked: Asked) -> dict[str, Any]:
    trials = asked.question.step_trials
    found = asked.repeat(
        lambda: loads.mrr(asked.session, asked.ceiling, trials), lambda bounds: [bounds]
    )
    share = loads.lost_time(asked.session.believed)
    left_out = (
        f"in {share:.1%} of the trials' time the generator or the data plane had lost its CPU"
    )
    notes = (f"MRR: {left_out}; that time is left out",) if share >= loads.SHOWN else ()
    return {"rates": {"MRR": asked.rate(found, None)}, "notes": notes}


def _curve(asked: Asked) -> dict[str, Any]:
    question = asked.question
    found = asked.repeat_alike(
        lambda: loads.loss_curve(
            asked.session, asked.ceiling, loads.CURVE_STEP, question.step_trials
        )
    )
    return {
        "loads": tuple(loads.load_answers(found, asked.session.tester.kind)),
        "notes": (f"100 % is {asked.ceiling.pps / 1e6:.4g} Mpps: {asked.ceiling.why}",),
    }


def _rate_first(asked: Asked) -> tuple[float, dict[str, FoundRate]]:
    """The rate that was named, or else the throughput, searched in one repetition."""
    rate = asked.question.rate_pps
    if rate is not None:
        if MARGINS[0] * rate > asked.ceiling.pps:
            raise RunError(
                f"{rate / 1e6:.4g} Mpps can't be offered: {asked.ceiling.why}",
                "--rate",
                f"name {asked.ceiling.pps / 1e6:.4g}Mpps or less",
            )
        return rate, {}
    asked.session.begin(0)
    goal = asked.question.binary
    bounds = asked.offered(lambda: search_throughput(asked.session, asked.ceiling, goal))
    if bounds.low_pps <= 0:
        raise RunError(
            "no rate loses as little as the goal says, so there is none to continue with",
            asked.question.method,
            "allow more (--loss), or name a rate (--rate)",
        )
    return bounds.low_pps, {rfc2544.NAME: asked.rate([bounds], asked.question.loss)}


def _latency(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    trials = asked.question.step_trials
    shares = loads.LATENCY_SHARES
    found = asked.repeat_at(lambda: loads.at_shares(asked.session, rate, shares, trials))
    return {
        "rates": rates,
        "loads": tuple(loads.load_answers(found, asked.session.tester.kind)),
    }


def _soak(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    seconds = asked.question.soak_seconds
    found = asked.repeat_at(
        lambda: loads.soak(asked.session, rate, seconds / asked.question.repetitions)
    )
    trials = [trial for repetition in found for trial in repetition]
    return {
        "rates": rates,
        "soak": loads.soak_answer(trials, rate, asked.question.loss_target),
    }


def _bursts(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    lengths = asked.repeat_alike(lambda: longest_burst(asked.session, asked.ceiling))
    if asked.ceiling.pps <= rate:
        raise RunError(
            f"{rate / 1e6:.4g} Mpps pass at any length, and bursts came at no more than "
            f"{asked.ceiling.pps / 1e6:.4g}, so no buffer was ever filled: {asked.ceiling.why}",
            "back-to-back",
            "measure while the machine is quieter, or a data plane that is slower than what feeds "
            "it",
        )
    return {
        "rates": rates,
        "burst": burst_answer(lengths, asked.ceiling, rate, asked.session.tester.kind),
    }


_LEAVING_OUT = ("mrr", "soak")
"""Methods that leave out the time in which a CPU was lost, instead of making trials again."""
_METHODS: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
    "mlr": _mlr,
    "rfc2544": _throughput,
    "mrr": _mrr,
    "loss-curve": _curve,
    "latency": _latency,
    "soak": _soak,
    "back-to-back": _bursts,
}
