"""The answer at one point: packets a second, cycles by stage and cause, what limits, and on which
calibration all of it rests; on several machines side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.explain import Case, Explanation, explain_case
from planecast.model.prediction import Prediction, predict
from planecast.results import Estimate, Manifest, Result, collect_manifest
from planecast.results.basis import Basis
from planecast.results.own_clock import in_own_clock
from planecast.scenario import SCENARIO_KEYS, Scenario, with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.own_clock import own_clock_factor
from planecast.scenario.points import value_if_any
from planecast.study.calibration_run import Chosen
from planecast.sweep.answer import extrapolates

Json = dict[str, Any]


def answer(scenario: Scenario, chosen: Chosen) -> Json:
    """The closed form's answer. Raises InputError for what the model doesn't know."""
    chosen.refuse_other_workloads([scenario])
    asked = plain_view(scenario)
    manifest = manifest_of(chosen.basis)
    predicted = predict([asked], chosen.model)
    result = solved(asked, chosen, manifest, predicted)
    return {
        **_headline(result),
        **_breakdown(asked, chosen, predicted),
        "left_out": _left_out(scenario, asked),
        "basis": chosen.basis.sentence(),
        "this_host": chosen.basis.this_host,
        "warnings": chosen.basis.warnings([result.cycles_per_packet]),
    }


def on_machines(scenario: Scenario, chosen: Chosen, machines: Sequence[str]) -> list[Json]:
    """The same on each of `machines`: a question of its own, for each takes as long as the answer
    here does. Raises InputError for what the model doesn't know."""
    chosen.refuse_other_workloads([scenario])
    asked = plain_view(scenario)
    manifest = manifest_of(chosen.basis)
    return [_on(name, asked, chosen, manifest) for name in machines]


@lru_cache(maxsize=16)
def manifest_of(basis: Basis) -> Manifest:
    """The manifest of answers on a page that rest on this calibration; made once, for a third of
    an answer's time would go into it."""
    return collect_manifest("solve", 1, calibration=basis)


def plain_view(scenario: Scenario) -> Scenario:
    """The scenario as the closed form knows it, at its own traffic. A program of others has no
    keys of the simulator's."""
    if scenario.dataplane.kind != OWN:
        return scenario
    view = closed_form_view(scenario)
    return view.model_copy(update={"traffic": scenario.traffic})


def solved(
    scenario: Scenario, chosen: Chosen, manifest: Manifest, predicted: Prediction | None = None
) -> Result:
    """The closed form's result, cycles in the scenario's machine's own clock; `predicted` is what
    the model says of it, where it was asked before."""
    (result,) = solve([scenario], chosen.model, manifest, predicted)
    return in_own_clock(result, chosen.model.hierarchy.tsc_hz)


def estimate_json(estimate: Estimate | None) -> Json | None:
    """An estimate with its interval, sample count, unit and kind."""
    return None if estimate is None else estimate.model_dump(mode="json")


def _headline(result: Result) -> Json:
    return {
        "machine": machine_title(result.scenario.machine),
        "throughput": estimate_json(result.throughput_pps),
        "cycles": estimate_json(result.cycles_per_packet),
        "instructions": estimate_json(result.instructions_per_packet),
        "ipc": estimate_json(result.ipc),
        "capped_by": result.capped_by,
        "beyond": extrapolates(result),
        "notes": list(result.notes),
    }


def machine_title(name: str) -> str:
    """What a machine of the catalogue is called; the calibrated host by that."""
    return "the calibrated host" if name == HOST else machine_of(name).title


def explained(asked: Scenario, chosen: Chosen, predicted: Prediction | None = None) -> Explanation:
    """Where the model says the cycles go, in the calibrated host's clock, and what limits."""
    case = Case("", asked, calibration=chosen.model, predicted=predicted)
    return explain_case(case, apart=False, advised=False)


def _breakdown(asked: Scenario, chosen: Chosen, predicted: Prediction) -> Json:
    if chosen.model.counted is not None:
        return {"stages": [], "limits": ["counters know no stages: what limits isn't known"]}
    found = explained(asked, chosen, predicted)
    clock = own_clock_factor(asked.machine, chosen.model.hierarchy.tsc_hz)

    def cycles(estimate: Estimate | None) -> Json | None:
        own = None if estimate is None else estimate.scaled(clock, estimate.unit)
        return estimate_json(own)

    stages = [
        {
            "stage": stage.stage,
            "cycles": cycles(stage.cycles),
            "instructions": estimate_json(stage.instructions),
            "causes": [{"cause": c.cause, "cycles": cycles(c.cycles)} for c in stage.causes],
        }
        for stage in found.stages
        if stage.cycles is not None
    ]
    return {"stages": stages, "limits": list(found.limits), "certainty": list(found.certainty)}


def _left_out(scenario: Scenario, asked: Scenario) -> list[str]:
    """Keys that the closed form ignores and the simulator uses."""
    return [key for key in SCENARIO_KEYS if value_if_any(scenario, key) != value_if_any(asked, key)]


def _on(name: str, asked: Scenario, chosen: Chosen, manifest: Manifest) -> Json:
    """The answer on another machine, or why there is none."""
    try:
        there = with_overrides(asked, {"machine": name})
        return {"name": name, **_headline(solved(there, chosen, manifest))}
    except InputError as error:
        return {"name": name, "machine": machine_title(name), "refused": error.what}
