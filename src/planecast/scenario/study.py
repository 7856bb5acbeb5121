"""Study: what to calibrate on, what to hold out, and how much time to spend on measuring."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from planecast.errors import InputError
from planecast.scenario.document import Document, read_document
from planecast.scenario.draw import drawn_points
from planecast.scenario.keys import Location
from planecast.scenario.load import load_scenario, resolve_files
from planecast.scenario.model import Count, Noun, typed
from planecast.scenario.override import check_key, merged, set_place, with_overrides
from planecast.scenario.points import (
    PlacedPoint,
    PointValue,
    point_label,
    point_schema,
    read_points,
)
from planecast.scenario.problems import Where, validated
from planecast.scenario.scenario import Name, Scenario
from planecast.scenario.units import parse_duration_s


class Budget(Noun):
    """How much measuring a study does; engines that don't measure ignore it."""

    seconds: Annotated[
        float,
        typed(parse_duration_s),
        Field(ge=1, le=86400),
    ] = 90.0
    """Wall-clock time to measure for, over all points together, in seconds; starts of the data
    plane come on top."""
    patience: Annotated[
        float,
        typed(parse_duration_s),
        Field(ge=0, le=86400),
    ] = 20.0
    """Seconds more at the most, while a point has too few undisturbed windows."""
    restarts: Annotated[Count, Field(ge=1, le=1000)] = 3
    """Times a data plane's process is restarted, for page placement varies between starts."""
    windows: Annotated[Count, Field(ge=1, le=65536)] = 64
    """Measured windows of one trial."""
    packets: Annotated[Count, Field(ge=32, le=2**32)] = 2048
    """Packets of one window on each lcore."""
    warmup: Annotated[Count, Field(ge=0, le=2**32)] = 65536
    """Packets that each lcore forwards before a trial's first window."""
    settle: Annotated[
        float,
        typed(parse_duration_s),
        Field(ge=0, le=60),
    ] = 0.1
    """Seconds that a trial keeps warming up for at the most, until its cost is steady; 0: windows
    begin after `warmup` packets."""


class Study(Noun):
    """A base scenario, the points to calibrate on, and the points to hold out."""

    name: Name
    """Short name; it becomes part of the run's folder."""
    scenario: Scenario
    """The base that every point changes."""
    calibrate: tuple[dict[str, PointValue], ...]
    """Points whose measurements the model is fitted to."""
    hold_out: tuple[dict[str, PointValue], ...]
    """Points that the calibration doesn't see: predicted, then compared with measurements."""
    check: tuple[dict[str, PointValue], ...] = ()
    """Points that are compared likewise, but were chosen by somebody: no score counts them."""
    seed: int | None = None
    """That the points to hold out were drawn with; None: they are listed."""
    budget: Budget = Budget()
    """How much measuring to do."""
    source: str = ""
    """The file that its base scenario stands in, as a command can name it."""

    def scenarios(self, points: tuple[dict[str, PointValue], ...]) -> list[Scenario]:
        """The scenarios that these points stand for, in order."""
        return [with_overrides(self.scenario, point) for point in points]


_Points = Annotated[
    list[Any],
    WithJsonSchema({"type": "array", "items": point_schema(), "minItems": 1}),
]


class Draw(Noun):
    """Points that nobody chooses: drawn over what the calibration points span."""

    draw: Annotated[Count, Field(ge=1, le=1000)]
    """How many."""


FILLED = 1
"""Distinguishes the draw of calibration points from that of held-out ones, whose seed may be the
same."""


class Fill(Draw):
    """More points to calibrate on, drawn as held-out ones are: errors between points that vary one
    key are of another kind than errors where all keys differ."""

    seed: Annotated[int, Field(ge=0)] = 1
    """The study's own, so that calibrations of two runs are of the same points."""


class StudyFile(Noun):
    """A study as its YAML file holds it (Study is the same with the points spread out)."""

    name: Name
    """Short name; it becomes part of the run's folder."""
    scenario: str | dict[str, Any]
    """Path of a scenario file, relative to the study's own; or the scenario itself."""
    calibrate: _Points
    """Points to fit the model to: mappings of dotted keys, or grids with vary and set."""
    fill: Fill | None = None
    """Further points to calibrate on, drawn over what those under `calibrate` span."""
    hold_out: _Points | Draw
    """Points to hold out: how many to draw, or a list of them."""
    check: _Points | None = None
    """Points to compare, too, that no score counts: a list that somebody chose is no blind test."""
    budget: Budget = Budget()
    """How much measuring to do."""


def load_study(
    path: str | Path, overrides: Mapping[str, Any] | None = None, *, seed: int | None = None
) -> Study:
    """The study of a YAML file.

    `seed` is that of points that are drawn; None: one is drawn, too. `overrides` are dotted keys as
    ``--set`` gives them: those that begin with ``budget.`` change the budget, the others the base
    scenario, under the points.

    Raises InputError with file and line for whatever is wrong: an unknown key, a value that isn't
    allowed, nothing held out, a point that stands twice.
    """
    document = read_document(path)
    changes = dict(overrides or {})
    budget = {key: value for key, value in changes.items() if key.startswith("budget.")}
    base_changes = {key: value for key, value in changes.items() if key not in budget}
    data = {"hold_out": [], **document.data}
    file = validated(StudyFile, merged(data, budget), set_place(budget, document.where))
    base = _base(document, file, base_changes)
    calibrate = read_points(document, "calibrate", base)
    drawn = isinstance(file.hold_out, Draw)
    if seed is not None and not drawn:
        raise InputError(
            "the held-out points are listed, not drawn",
            f"--seed {seed}",
            f"leave it out, or draw them ({document.where(('hold_out',))})",
        )
    hold_out = [] if drawn else read_points(document, "hold_out", base)
    check = read_points(document, "check", base)
    for points, key in ((calibrate, "calibrate"), (hold_out, "hold_out")):
        if drawn and key == "hold_out":
            continue
        if not points:
            untested = "nothing is held out, so no prediction would be tested"
            raise InputError(
                untested if key == "hold_out" else "nothing to calibrate on",
                document.where((key,)),
                f"list at least one point under {key}:",
            )
    _refuse_twins(calibrate, [*hold_out, *check])
    fitted = tuple(dict(placed.point) for placed in calibrate)
    if file.fill is not None:
        fitted += drawn_points(base, fitted, file.fill.draw, (file.fill.seed, FILLED))
    held = tuple(dict(placed.point) for placed in hold_out)
    if isinstance(file.hold_out, Draw):
        seed = secrets.randbelow(1 << 31) if seed is None else seed
        held = drawn_points(base, fitted, file.hold_out.draw, seed)
    return Study(
        name=file.name,
        scenario=base,
        calibrate=fitted,
        hold_out=held,
        check=tuple(dict(placed.point) for placed in check),
        seed=seed if drawn else None,
        budget=file.budget,
        source=_source(document, file),
    )


def _source(document: Document, file: StudyFile) -> str:
    if isinstance(file.scenario, str):
        return os.path.normpath(Path(document.path).parent / file.scenario)
    return str(document.path)


def _base(document: Document, file: StudyFile, changes: Mapping[str, Any]) -> Scenario:
    if isinstance(file.scenario, str):
        scenario = Path(document.path).parent / file.scenario
        if not scenario.is_file():
            raise InputError(
                f"scenario: there is no file {scenario}",
                document.where(("scenario",)),
                "name a scenario file relative to the study's own folder",
            )
        return load_scenario(scenario, changes)

    def inline(location: Location) -> str:
        return document.where(("scenario", *location))

    place: Where = set_place(changes, inline)
    for key in changes:
        check_key(key, place(tuple(key.split("."))))
    data = merged(file.scenario, changes)
    if "traffic.pcap" not in changes:
        resolve_files(data, Path(document.path).parent)
    return validated(Scenario, data, place)


def _refuse_twins(calibrate: list[PlacedPoint], hold_out: list[PlacedPoint]) -> None:
    """A point that stands twice would be counted twice; one on both sides tests nothing."""
    seen: list[tuple[PlacedPoint, bool]] = []
    for held, points in ((False, calibrate), (True, hold_out)):
        for placed in points:
            for other, other_held in seen:
                if other.scenario == placed.scenario:
                    _refuse_twin(placed, held, other, other_held)
            seen.append((placed, held))


def _refuse_twin(placed: PlacedPoint, held: bool, other: PlacedPoint, other_held: bool) -> None:
    label = point_label(placed.point)
    if held and not other_held:
        raise InputError(
            f"the held-out point {label} is calibrated on as well, at {other.where}",
            placed.where,
            "remove it from one of the two lists",
        )
    raise InputError(
        f"the point {label} is the same configuration as the one at {other.where}",
        placed.where,
        "remove one of the two",
    )
