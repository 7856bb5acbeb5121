"""Survey: a study as the documents have them: several data planes, what varies, all else alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from planecast.errors import InputError
from planecast.scenario.document import Document, read_document
from planecast.scenario.keys import Location
from planecast.scenario.load import load_scenario
from planecast.scenario.model import Count, Noun, listed
from planecast.scenario.override import merged, set_place
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Name, Scenario
from planecast.scenario.study import Budget

How = Literal["search", "measure"]


def _numbers(value: Any) -> Any:
    # One is a list, too, as after --set.
    return listed([value] if isinstance(value, int | float) else value)


class Subject(Noun):
    """A data plane of a survey."""

    label: str
    """What tables and figures call it."""
    scenario: str
    """A scenario file, relative to the survey's own."""
    by: How = "search"
    """search: NDR and PDR of packets from a generator; measure: planecast's own data plane with its
    own source, which needs no CPU for a generator."""
    set: dict[str, Any] = Field(default_factory=dict)
    """Dotted keys over the scenario."""


class Varied(Noun):
    """What varies; a list of one says what it is."""

    threads: Annotated[tuple[Literal[1, 2], ...], BeforeValidator(_numbers)] = (1,)
    """Busy hardware threads of a core: 1 is the documents' noHT, 2 their HT."""
    cores: Annotated[tuple[Count, ...], BeforeValidator(_numbers)] = (1,)
    flows: Annotated[tuple[Count, ...], BeforeValidator(_numbers)] = ()
    """Active flows; none: each scenario's own."""
    ghz: Annotated[tuple[float, ...], BeforeValidator(_numbers)] = ()
    """Clocks. A point is measured when the CPU is fixed to that clock: planecast sets none."""


class Settings(Noun):
    """How points are searched."""

    method: Literal["mlr", "rfc2544", "mrr"] = "mlr"
    repetitions: Annotated[int, Field(ge=1, le=1000)] = 2
    trial_seconds: Annotated[float, Field(gt=0, le=86400)] = 0.02
    trials: Annotated[int, Field(ge=1, le=1000)] = 11
    """Trials that a bound or a step rests on."""
    telemetry: str = "auto"
    """As `planecast search --telemetry`."""
    link_gbps: Annotated[float, Field(gt=0, le=10_000)] = 40.0


class SurveyFile(Noun):
    """A survey as its YAML file holds it."""

    name: Name
    question: str
    """What is asked, in a sentence."""
    document: str = ""
    """Which tables and figures of which document it has the shape of."""
    subjects: tuple[Subject, ...] = Field(min_length=1)
    vary: Varied = Varied()
    card: str | None = None
    """A network card of the catalogue whose ceilings are drawn: ports and cards as the document."""
    search: Settings = Settings()
    budget: Budget = Budget()
    """How long is measured, for subjects that are measured."""


class Survey(Noun):
    """A survey with its scenarios read."""

    file: SurveyFile
    scenarios: Annotated[tuple[Scenario, ...], BeforeValidator(listed)]
    """Of each subject."""


def load_survey(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Survey:
    """The survey of a YAML file, with `overrides` (dotted keys of the survey) on top.

    Raises InputError with file and line for whatever is wrong.
    """
    changes = dict(overrides or {})
    document = read_document(path)
    data = dict(document.data)
    for key in ("subjects",):
        if isinstance(data.get(key), list):
            data[key] = tuple(data[key])
    file = validated(SurveyFile, merged(data, changes), set_place(changes, document.where))
    return Survey(
        file=file,
        scenarios=tuple(
            _scenario(document, number, subject) for number, subject in enumerate(file.subjects)
        ),
    )


def _scenario(document: Document, number: int, subject: Subject) -> Scenario:
    place: Location = ("subjects", number)
    path = Path(document.path).parent / subject.scenario
    if not path.is_file():
        raise InputError(
            f"scenario: there is no file {path}",
            document.where((*place, "scenario")),
            "name a scenario file relative to the survey's own folder",
        )
    found = load_scenario(path, subject.set)
    if subject.by == "measure" and found.dataplane.kind != "ours":
        raise InputError(
            f"{subject.label}: measure has planecast's own data plane alone",
            document.where((*place, "by")),
            "search it (by: search)",
        )
    return found
