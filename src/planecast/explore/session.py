"""Session: what one page asks of: a base scenario, and the calibration of each network function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from planecast.dataplanes.in_memory import refuse_outside
from planecast.errors import InputError, PlanecastError
from planecast.explore.controls import Control, controls_of
from planecast.explore.measuring import Measuring
from planecast.explore.past import Past
from planecast.explore.relevance import with_relevance
from planecast.model.supported import study_of
from planecast.results import Result, RunDirectory
from planecast.scenario import FUNCTIONS, SCENARIO_KEYS, Scenario, with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.points import value_if_any
from planecast.study.calibration_run import Chosen, calibration_of

_KIND = "workload.kind"
_STAGES = "workload.stages"
_PROGRAM = "dataplane.kind"


@dataclass
class Session:
    """A page's base scenario, where its runs are, and what was measured so far."""

    base: Scenario
    root: Path
    """Folder of all runs."""
    named: str | None = None
    """The calibration's run, where a person names one; None: each function's latest."""
    file: str | None = None
    """The base scenario's file, for commands to copy; None where it is a run's."""
    recorded: list[Result] = field(default_factory=list)
    """Measured results of the run that the page began with."""
    sweep: RunDirectory | None = None
    """The recorded sweep that the page began with."""
    _chosen: dict[str, Chosen] = field(default_factory=dict)
    _controls: dict[tuple[str, str], list[Control]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        if not self.own:
            refuse_outside(self.base, "modelled")
        self.measuring = Measuring(self.root)
        self.past = Past(self.root)

    @property
    def own(self) -> bool:
        """Whether planecast's own data plane forwards, not a program of others."""
        return self.base.dataplane.kind == OWN

    @property
    def measured(self) -> list[Result]:
        """What figures show next to predictions: recorded, and measured from the page."""
        return [*self.recorded, *self.measuring.done]

    def scenario(self, changes: Mapping[str, Any]) -> Scenario:
        """The base with these dotted keys changed; another network function has all its stages.

        Raises InputError for an unknown key, for a value that isn't allowed, and for another data
        plane: it has other keys.
        """
        wanted = dict(changes)
        program = self.base.dataplane.kind
        if wanted.get(_PROGRAM, program) != program:
            raise InputError(
                f"this page is of {self.base.forwards}",
                _PROGRAM,
                "open another one: planecast explore SCENARIO",
            )
        if self.own:
            kind = wanted.get(_KIND, self.base.workload.kind)
            if kind != self.base.workload.kind and kind in FUNCTIONS:
                wanted.setdefault(_STAGES, FUNCTIONS[kind])
        return with_overrides(self.base, wanted)

    def chosen(self, kind: str) -> Chosen:
        """The calibration that answers for a network function, or a program as
        `Scenario.forwards` has it. Raises InputError without one."""
        with self._lock:
            if kind not in self._chosen:
                self._chosen[kind] = self._find(kind)
            return self._chosen[kind]

    def _find(self, kind: str) -> Chosen:
        found = calibration_of(self.named, self.root, counted=True, kind=kind)
        own = found.model.kind
        if found.model.counted is not None and found.counted is None:
            return found._replace(counted=self.base)  # the page's scenario is what was counted
        if found.model.counted is None and own != kind:
            raise InputError(
                f"there is no calibration of {kind}; the latest is of {own}",
                _KIND if kind in FUNCTIONS else "dataplane",
                f"make one: planecast calibrate {study_of(kind)}",
            )
        return found

    def calibration_word(self, chosen: Chosen) -> str:
        """What --calibration takes for it: a run's name, or its path where the run is elsewhere."""
        run = chosen.basis.run
        return self.named if self.named and not (self.root / run).is_dir() else run

    def use(self, run: Path) -> Chosen:
        """From now on the calibration of this run answers for its network function."""
        found = calibration_of(str(run), self.root)
        with self._lock:
            self._chosen[found.model.kind] = found
        return found

    def controls(self, scenario: Scenario, chosen: Chosen) -> list[Control]:
        """The controls of a network function, or of a program, and its calibration."""
        mark = (scenario.forwards, chosen.basis.digest)
        with self._lock:
            if mark not in self._controls:
                whole = scenario
                if self.own:  # with all of its stages, whichever run now: one may be added
                    whole = with_overrides(scenario, {_STAGES: FUNCTIONS[scenario.workload.kind]})
                found = controls_of(whole, chosen.model)
                self._controls[mark] = with_relevance(found, whole, chosen)
            return self._controls[mark]

    def kinds(self) -> dict[str, str]:
        """Each network function, or the program; why it has no answers, or an empty text."""
        if not self.own:
            return {self.base.forwards: ""}
        found = {}
        for kind in FUNCTIONS:
            try:
                self.chosen(kind)
                found[kind] = ""
            except PlanecastError as error:
                found[kind] = str(error)
        return found

    def changes(self, scenario: Scenario) -> dict[str, Any]:
        """The dotted keys in which a scenario differs from the base."""
        pairs = ((key, value_if_any(scenario, key)) for key in SCENARIO_KEYS)
        return {key: value for key, value in pairs if value != value_if_any(self.base, key)}
