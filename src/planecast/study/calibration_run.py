"""The run whose calibration is predicted with, and what an answer says of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from planecast.errors import InputError, first_refusal
from planecast.model.calibration import EDITION, Calibration
from planecast.model.supported import COUNTED
from planecast.results.basis import Basis, Choice
from planecast.results.manifest import same_host
from planecast.results.store import (
    CALIBRATION,
    RESULT,
    RunDirectory,
    find_run,
    list_runs,
    none_in,
)
from planecast.scenario import SCENARIO_KEYS, Scenario, value_if_any
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.read_file import parsed_json, read_of_run

COUNTERS = "calibrate-counters-"
"""In the name of a run whose calibration is of imported counters."""
COUNTED_SCENARIO = "counted-scenario.json"
"""What was counted, where it is known."""
_HEAD_BYTES = 256
"""Of a calibration's file, in which its kind stands."""
_BOUND = ("workload", "traffic", "dataplane")
"""Parts of a scenario between which counters do not carry over."""
_BOUND_PLACEMENT = {
    f"placement.{name}" for name in ("burst", "page_size", "rx_ring", "tx_ring", "cuts")
}
"""What of a placement changes instructions and misses in a way that counters do not show: every
value would have the same answer."""


class Chosen(NamedTuple):
    """A calibration, and what an answer that rests on it says of it."""

    model: Calibration
    basis: Basis
    counted: Scenario | None = None
    """What a calibration from counters is of, where it is known."""

    def binds(self, key: str) -> bool:
        """Whether it answers for one value of a key alone: that which was counted."""
        return self.model.counted is not None and _bound(key)

    def refuse_other_workloads(
        self, scenarios: Sequence[Scenario], varied: Sequence[str] = ()
    ) -> None:
        """Raises InputError for scenarios that a calibration from counters does not cover: of
        another workload than the one that was counted, or of several; `varied` are keys of them
        that take several values."""
        if self.model.counted is None or not scenarios:
            return
        expected = self.counted or scenarios[0]
        of = expected.name if self.counted is not None else "one workload without a name"
        for scenario in scenarios:
            differing = (key for key in SCENARIO_KEYS if _differs(key, scenario, expected))
            key = next((key for key in varied if _bound(key)), None) or next(differing, None)
            if key is not None:
                raise InputError(
                    f"the calibration is of counters of {of}, and the scenario differs in it",
                    key,
                    "count that one, or calibrate by measuring: planecast calibrate STUDY",
                )


def _bound(key: str) -> bool:
    part = key.partition(".")[0]
    return (part in _BOUND and key != "traffic.seed") or key in _BOUND_PLACEMENT


def _differs(key: str, scenario: Scenario, expected: Scenario) -> bool:
    return _bound(key) and value_if_any(scenario, key) != value_if_any(expected, key)


def calibration_of(
    named: str | None, root: Path, *, counted: bool = False, kind: str | None = None
) -> Chosen:
    """The calibration of a run as verbs name it; None: the latest of the network function `kind`
    and of this host.

    Where some run has one of the function, the latest is one of these, and where this host has one
    of these, it is this host's. Raises InputError when there is none. `counted`: one from imported
    counters will do, which knows no stages; the latest run is then looked for among those, too.
    """
    choice: Choice = "named"
    if named is None:
        path, text, choice = _latest(root, kind, counted=counted)
    else:
        path = find_run(named, root).path / CALIBRATION
        text = _text(path)
    found = _read(path, text)
    if found.counted is not None and not counted:
        raise InputError(
            "this calibration is of counters and knows no stages",
            str(path),
            "predict and sweep take it, with --engine solve",
        )
    counted_of = path.with_name(COUNTED_SCENARIO)
    known = counted_of.is_file() and found.counted is not None
    scenario = _counted_scenario(counted_of) if known else None
    return Chosen(found, _basis(path, text, found, choice), scenario)


def _counted_scenario(path: Path) -> Scenario:
    try:
        return TypeAdapter(Recorded).validate_json(_text(path))
    except ValidationError as error:
        raise InputError(
            f"can't read what was counted: {first_refusal(error)}", str(path)
        ) from None


def _latest(root: Path, kind: str | None, *, counted: bool) -> tuple[Path, str, Choice]:
    """The newest calibration of this host and of a network function, and its text; else of this
    host, else of all hosts, those of the present model first. Raises InputError where there is
    none."""
    having = [
        run.path / CALIBRATION
        for run in reversed(list_runs(root, holding=CALIBRATION))
        if counted or COUNTERS not in run.path.name
    ]
    if not having:
        raise none_in(root, "no run has a calibration", "planecast calibrate STUDY")
    best, found, text = (False,) * 4, having[0], ""
    # Those of programs have megabytes of traces: they are read where nothing else is left.
    begins = {path: _begins_as(path, kind) for path in having}
    for path in sorted(having, key=lambda path: not begins[path]):
        if best[0] and not begins[path]:
            break
        seen = _text_if_any(path)
        said = _seen(_Calibration, seen)
        current, own = said.edition == EDITION, kind in (None, said.kind)
        rank = (
            current and own,
            current and said.kind == COUNTED,
            # One of an older model is refused, with what to do; one of another function says less.
            own,
            said.kind != COUNTED and same_host(said.manifest.host),
        )
        if rank > best or not text:
            best, found, text = rank, path, seen
        if rank[0] and rank[3]:
            break  # none is fitter, and there may be hundreds
    choice: Choice = "latest of this host" if best[3] else "latest, of another host"
    return found, text or _text(found), choice


def _begins_as(path: Path, kind: str | None) -> bool:
    """Whether a calibration may be of the network function, by its first lines."""
    try:
        with path.open("rb") as file:
            found = re.search(rb'"kind": "([^"]*)"', file.read(_HEAD_BYTES))
    except OSError:
        return True
    return kind is None or found is None or found[1].decode(errors="replace") in (kind, COUNTED)


def is_current(path: Path) -> bool:
    """Whether a file holds a calibration of this model, not of an older one, by what its first
    look shows: whoever reads all of it says what else is wrong."""
    return bool(_seen(_Calibration, _text_if_any(path)).edition == EDITION)


def _basis(path: Path, text: str, found: Calibration, choice: Choice) -> Basis:
    """What an answer says of a calibration; its validation is that of the same run."""
    partial = RunDirectory(path.parent).partial
    said = _seen(_Validation, "" if partial else _text_if_any(path.with_name(RESULT)))
    validated = said.mean_error_percent is not None
    host = found.manifest.host
    return Basis(
        run=path.parent.resolve().name,
        digest=hashlib.sha256(text.encode()).hexdigest()[:12],
        made_at=found.manifest.started_at,
        # Who imports counters may sit at any machine.
        cpu=found.counted.machine.title if found.counted is not None else str(host.get("cpu", "")),
        this_host=found.counted is None and same_host(host),
        choice=choice,
        held_out=sum(point.held_out for point in said.points) or None if validated else None,
        mean_error_percent=said.mean_error_percent,
        coverage_percent=said.coverage_percent,
        noise_floor_percent=said.noise_floor_percent,
    )


class _Host(BaseModel):
    host: dict[str, Any] = {}


class _Calibration(BaseModel):
    """What distinguishes calibrations, at a glance: whoever reads all of one says what is wrong."""

    edition: Any = None
    kind: Any = None
    manifest: _Host = _Host()


Look = TypeVar("Look", bound=BaseModel)


class _Point(BaseModel):
    held_out: bool = False


class _Validation(BaseModel):
    """What an answer says of a validation; nothing of results of other kinds."""

    mean_error_percent: float | None = None
    coverage_percent: float | None = None
    noise_floor_percent: float | None = None
    points: list[_Point] = []


def _seen(look: type[Look], text: str) -> Look:
    """What JSON text shows at a glance; nothing where it is none."""
    try:
        return look.model_validate_json(text)
    except ValidationError:
        return look()


def _text_if_any(path: Path) -> str:
    try:
        return read_of_run(path)
    except InputError:
        return ""


def _text(path: Path) -> str:
    if not path.exists():
        raise InputError(
            "the run has no calibration", str(path), "name a run of calibrate or validate"
        )
    return read_of_run(path)


_AGAIN = "make it again: planecast calibrate STUDY"


def _read(path: Path, text: str) -> Calibration:
    try:
        return Calibration.model_validate_json(text)
    except ValidationError as error:
        data = parsed_json(text, path)
        whole = isinstance(data, dict) and isinstance(data.get("parameters"), list)
        if whole and data.get("edition") != EDITION:
            what = "this calibration is of an older model"
        else:
            problem = error.errors(include_url=False)[0]
            key, why = ".".join(map(str, problem["loc"])), problem["msg"].lower()
            what = f"this is not a calibration of this model: {key}: {why}"
        raise InputError(what, str(path), _AGAIN) from None
