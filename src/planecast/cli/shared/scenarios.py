"""The scenarios and the study that a verb is asked about, and notes on what it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from planecast.results import Result
    from planecast.scenario import Scenario

ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A scenario's YAML file.")
]
MaybeStudyArgument = Annotated[
    str | None, typer.Argument(metavar="STUDY", help="A study's YAML file.", show_default=False)
]


def with_note(result: Result, note: str) -> Result:
    """The result with one note more."""
    return result.model_copy(update={"notes": (*result.notes, note)})


def scenarios_of(
    path: str, changes: dict[str, Any], varied: dict[str, list[Any]]
) -> tuple[Scenario, list[str], list[Scenario]]:
    """(base, labels, scenarios): one for every combination of the varied values."""
    import itertools

    from planecast.scenario import load_varied, point_label, value_at, with_overrides
    from planecast.scenario.override import set_place

    base = load_varied(path, changes, {key: values[0] for key, values in varied.items()})
    labels, scenarios = [], []
    for values in itertools.product(*varied.values()):
        raw = dict(zip(varied, values, strict=True))
        scenario = with_overrides(base, raw, set_place(raw, option="--vary"))
        scenarios.append(scenario)
        labels.append(point_label({key: value_at(scenario, key) for key in raw}))
    if not varied:
        labels = [base.name]
    return base, labels, scenarios
