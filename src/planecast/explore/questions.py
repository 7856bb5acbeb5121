"""The questions that the page asks, by name: JSON in, JSON out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from planecast.catalog import names
from planecast.errors import InputError
from planecast.explain.stall_causes import CAUSES
from planecast.explore.controls import Control
from planecast.explore.copying import command_line, scenario_yaml
from planecast.explore.front import computed_front, recorded_front
from planecast.explore.grid import curve, heat_map
from planecast.explore.measured import dots, value_json
from planecast.explore.past import history
from planecast.explore.point import answer, machine_title, on_machines
from planecast.explore.recalibrate import recalibrated
from planecast.explore.session import Session
from planecast.explore.timed import timed
from planecast.report.colours import cause_colour, stage_colour
from planecast.report.figures.causes import cause_title
from planecast.results import runs_folder
from planecast.scenario import FUNCTIONS, Scenario, value_at
from planecast.scenario.points import keys_of
from planecast.study.calibration_run import Chosen

Json = dict[str, Any]


def _asked(session: Session, body: Mapping[str, Any]) -> tuple[Scenario, Chosen]:
    scenario = session.scenario(_changes(body))
    return scenario, session.chosen(scenario.forwards)


def _changes(body: Mapping[str, Any]) -> dict[str, Any]:
    found = body.get("changes", {})
    if not isinstance(found, dict):
        raise InputError("changes are no object", "changes", "send {key: value}")
    return found


def _control(session: Session, body: Mapping[str, Any], name: str) -> Control:
    scenario, chosen = _asked(session, body)
    key = body.get(name)
    for control in session.controls(scenario, chosen):
        if control.key == key:
            return control
    raise InputError(f"unknown key {key}", name)


def ask_page(session: Session, body: Json) -> Json:
    """What the page needs once: names, colours, machines, what each function has an answer for."""
    del body
    stages = ["source", *dict.fromkeys(s for own in FUNCTIONS.values() for s in own), "tx"]
    if not session.own:
        stages = list(session.chosen(session.base.forwards).model.stages)
    return {
        "name": session.base.name,
        "program": None if session.own else session.base.forwards,
        "sweep": None if session.sweep is None else session.sweep.path.name,
        "base": _values(session.base),
        "kinds": session.kinds(),
        "functions": {kind: list(own) for kind, own in FUNCTIONS.items()},
        "machines": {name: machine_title(name) for name in names("cpus")},
        "stage_colours": {stage: stage_colour(stage) for stage in [*stages, "loop"]},
        "cause_colours": {cause: cause_colour(cause) for cause in CAUSES},
        "cause_titles": {cause: cause_title(cause) for cause in CAUSES},
    }


def _values(scenario: Scenario) -> Json:
    return {key: value_json(value_at(scenario, key)) for key in keys_of(scenario)}


def ask_controls(session: Session, body: Json) -> Json:
    """The controls of the scenario's network function."""
    scenario, chosen = _asked(session, body)
    return {"controls": [asdict(one) for one in session.controls(scenario, chosen)]}


def ask_answer(session: Session, body: Json) -> Json:
    """The closed form's answer here."""
    began = time.perf_counter()
    scenario, chosen = _asked(session, body)
    found = answer(scenario, chosen)
    found["values"] = _values(scenario)
    found["measured"] = dots(session.measured, scenario)
    found["milliseconds"] = 1e3 * (time.perf_counter() - began)
    return found


def ask_machines(session: Session, body: Json) -> Json:
    """The closed form's answer on other machines."""
    scenario, chosen = _asked(session, body)
    names = [str(name) for name in body.get("machines", [])]
    return {"machines": on_machines(scenario, chosen, names)}


def ask_curve(session: Session, body: Json) -> Json:
    """A curve over one key."""
    scenario, chosen = _asked(session, body)
    control = _control(session, body, "key")
    return {
        **curve(scenario, chosen, control),
        "measured": dots(session.measured, scenario, [control.key]),
    }


def ask_heat(session: Session, body: Json) -> Json:
    """A heat map over two keys."""
    scenario, chosen = _asked(session, body)
    return heat_map(
        scenario, chosen, _control(session, body, "across"), _control(session, body, "up")
    )


def ask_history(session: Session, body: Json) -> Json:
    """Series of runs whose scenario is the page's, with their levels."""
    scenario = session.scenario(_changes(body))
    return history(session.past, scenario)


def ask_timed(session: Session, body: Json) -> Json:
    """Loss and latency from the simulator, here or on a machine."""
    scenario, chosen = _asked(session, body)
    machine = body.get("machine")
    return timed(scenario, chosen, _number(body, "load"), None if machine is None else str(machine))


def ask_front(session: Session, body: Json) -> Json:
    """The Pareto front over some keys, or of the recorded sweep."""
    prices = body.get("prices")
    if not isinstance(prices, dict):
        raise InputError("prices are no object", "prices", "send {key: price of each unit}")
    wanted = {key: _number(prices, key) for key in prices}
    if body.get("recorded"):
        if session.sweep is None:
            raise InputError("no sweep is open", what_to_do="planecast explore RUN of a sweep")
        return recorded_front(session.sweep, wanted)
    scenario, chosen = _asked(session, body)
    controls = {one.key: one for one in session.controls(scenario, chosen)}
    unknown = next((key for key in wanted if key not in controls), None)
    if unknown is not None:
        raise InputError(f"unknown key {unknown}", "prices")
    return computed_front(scenario, chosen, [controls[key] for key in wanted], wanted)


def _number(body: Mapping[str, Any], name: str) -> float:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name}: got {value}", what_to_do="say a number")
    return float(value)


def ask_measure(session: Session, body: Json) -> Json:
    """Begins to measure the point on this machine."""
    session.measuring.start(session.scenario(_changes(body)), _number(body, "seconds"))
    return session.measuring.state()


def ask_measuring(session: Session, body: Json) -> Json:
    """The measurement's progress."""
    del body
    return session.measuring.state()


def ask_stop(session: Session, body: Json) -> Json:
    """Ends the measurement."""
    del body
    session.measuring.stop()
    return session.measuring.state()


def ask_add(session: Session, body: Json) -> Json:
    """A new calibration, with what was measured from the page added."""
    _, chosen = _asked(session, body)
    run = recalibrated(session, chosen, session.measuring.done)
    return {"run": run.name}


def ask_copy(session: Session, body: Json) -> Json:
    """The scenario as YAML, and commands that ask the same."""
    scenario, chosen = _asked(session, body)
    changes = session.changes(scenario) if session.file else {}
    calibration = session.calibration_word(chosen)
    rests = {"explore": calibration, "predict": calibration, "measure": None}
    runs = None if session.root == runs_folder() else str(session.root.absolute())
    return {
        "yaml": scenario_yaml(scenario),
        "file": session.file,
        "commands": {
            verb: command_line(verb, session.file, changes, rest, runs)
            for verb, rest in rests.items()
        },
    }


QUESTIONS: dict[str, Callable[[Session, Json], Json]] = {
    "page": ask_page,
    "controls": ask_controls,
    "answer": ask_answer,
    "machines": ask_machines,
    "curve": ask_curve,
    "heat": ask_heat,
    "timed": ask_timed,
    "front": ask_front,
    "history": ask_history,
    "measure": ask_measure,
    "measuring": ask_measuring,
    "stop": ask_stop,
    "add": ask_add,
    "copy": ask_copy,
}
