"""Cases: what of a run is to be explained, and the calibration that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from planecast.errors import InputError
from planecast.explain.explain_input import Case
from planecast.explain.explanation import Explanation
from planecast.explain.known import Known
from planecast.explain.run import explain_case
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched import explain_search
from planecast.explain.searched_stages import simulated
from planecast.explain.traced_bounds import read_traced, traced_of
from planecast.model.calibration import Calibration
from planecast.results import RunDirectory, list_runs
from planecast.results.content import results_of
from planecast.results.own_clock import in_clock_of_host
from planecast.results.port_costs import latest_port_costs
from planecast.results.result import Result
from planecast.results.search import SearchAnswer
from planecast.results.store import CALIBRATION, none_in
from planecast.results.validation import Validation
from planecast.scenario import value_if_any
from planecast.scenario.dataplane import OWN
from planecast.scenario.read_file import read_model
from planecast.scenario.scenario import Scenario
from planecast.study.calibration_run import Chosen, is_current
from planecast.study.profile import Profile
from planecast.workload.counts import InstructionCounts

PROFILE = "profile.json"


def explained_run(
    run: RunDirectory,
    position: int | None,
    calibration: Chosen | None,
    *,
    apart: bool = True,
) -> Explanation:
    """The explanation of one result of a run, of a profile's counts, or of a search.

    `apart` as `explain_case` has it. Raises InputError for a position that isn't there.
    """
    if not ((run.path / PROFILE).is_file() or read_traced(run.path)):
        content = run.read()
        if isinstance(content, SearchAnswer):
            known = _search_basis(content, run.path.parent, calibration)
            found = explain_search(content, run.path.name, known)
            used = calibration is not None and any(one.modelled for one in found.stages)
            basis = calibration.basis if calibration and used else None
            return found.model_copy(update={"calibration": basis})
    if calibration is None:
        case = case_of(run, position, None)
        return explain_case(with_profile(case, run.path.parent), apart=apart)
    case = case_of(run, position, calibration.model)
    found = explain_case(with_profile(case, run.path.parent), apart=apart)
    return found.model_copy(update={"calibration": calibration.basis})


def latest_explicable(root: Path) -> RunDirectory:
    """The latest complete run with something to explain: a survey or a calibration of counters
    alone has rates and no cycles. Raises InputError when there is none."""
    for run in reversed(list_runs(root)):
        if run.partial:
            continue
        if (run.path / PROFILE).is_file():
            return run
        with suppress(InputError):  # a run of another version: an older one may do
            content = run.read()
            if isinstance(content, SearchAnswer) or results_of(content):
                return run
    raise none_in(root, "there is no complete run to explain", "planecast measure")


def with_profile(case: Case, root: Path) -> Case:
    """The case with what the latest profiles of the same workload and traffic under `root` show and
    neither the result nor a model does: instructions, and what single steps saw of the code."""
    model, result = case.calibration, case.result
    modelled = model is not None and model.is_of(case.scenario)
    counted = case.counts is not None or (
        result is not None and any(one.instructions_per_packet for one in result.stages.values())
    )
    profiles = [] if result is None else list(_profiles(case.scenario, root))
    found = _known(
        case.scenario,
        root,
        model,
        [] if counted or modelled else profiles,
        traced=case.traced is None and not modelled and case.scenario.dataplane.kind != OWN,
    )
    if found.traced is not None:
        case = replace(case, traced=found.traced, traced_by=found.traced_by)
    if found.counts is not None:
        case = replace(case, counts=found.counts, counted_by=found.counted_by)
    for name, profile in profiles:
        code = next((one.code for one in profile.counts if one.code is not None), None)
        if code is not None:
            return replace(case, code=code, code_by=name)
    return case


def _search_basis(answer: SearchAnswer, root: Path, calibration: Chosen | None) -> SearchBasis:
    """What the runs under `root` know of a searched data plane."""
    model = calibration.model if calibration else None
    known = _known(answer.scenario, root, model, _profiles(answer.scenario, root))
    ports, ports_by = latest_port_costs(root, answer.manifest.host) or (None, "")
    return SearchBasis(**vars(known), ports=ports, ports_by=ports_by)


def _known(
    scenario: Scenario,
    root: Path,
    model: Calibration | None,
    profiles: Iterable[tuple[str, Profile]],
    *,
    traced: bool = True,
) -> Known:
    """A model, what the latest of a scenario's profiles counted, and `traced`: the latest trace."""
    name, profile = next(iter(profiles), ("", None))
    trace, trace_by = (traced_of(scenario, root) if traced else None) or (None, "")
    return Known(
        calibration=model,
        counts=_best(profile) if profile else None,
        counted_by=name,
        traced=trace,
        traced_by=trace_by,
    )


def _best(profile: Profile) -> InstructionCounts:
    """Its counts of the native code, else the first ones."""
    native = [one for one in profile.counts if one.instrument == "singlestep"]
    return (native or list(profile.counts))[0]


def _profiles(scenario: Scenario, root: Path) -> Iterator[tuple[str, Profile]]:
    """Profiles of a scenario's workload and traffic, the latest first, by their runs."""
    for path in sorted(root.glob(f"*/{PROFILE}"), reverse=True):  # names begin with the time
        profile = _read_profile(RunDirectory(path.parent))
        same = (
            value_if_any(profile.scenario, "workload") == value_if_any(scenario, "workload")
            and profile.scenario.traffic == scenario.traffic
            and profile.scenario.dataplane == scenario.dataplane
        )
        if same:
            yield path.parent.name, profile


def case_of(run: RunDirectory, position: int | None, calibration: Calibration | None) -> Case:
    """One result of a run, or the counts of a profile.

    Without a position it is the first result. Raises InputError for a position that isn't there.
    """
    profile = run.path / PROFILE
    if profile.is_file():
        return _counted(profile.parent.name, _read_profile(run), calibration)
    traced = read_traced(run.path)
    if traced is not None:
        own, scenario = traced
        modelled = calibration is not None and calibration.is_of(scenario)
        kept = None if modelled else own
        return Case(run.path.name, scenario, calibration=calibration, traced=kept)
    content = run.read()
    results = results_of(content)
    if not results:
        raise InputError(
            "the run has rates and no result to explain",
            str(run.path),
            "name a run of measure, search, profile, validate or curve",
        )
    if (position or 0) >= len(results):
        raise InputError(
            f"there is no result #{(position or 0) + 1}",
            str(run.path),
            f"the run has {len(results)}",
        )
    result = results[position or 0]
    if calibration is not None:
        result = in_clock_of_host(result, calibration.hierarchy.tsc_hz)
    label = f"{run.path.name}#{(position or 0) + 1}"
    if isinstance(content, Validation):
        label += f" ({content.points[position or 0].label or 'base'})"
    if position is None and len(results) > 1:
        label += f" of {len(results)}"
    return Case(label, result.scenario, result, calibration=calibration)


class OwnCalibration(NamedTuple):
    """What is known of the calibration that belongs to a run."""

    run: str | None
    """The run that holds it; None where there is none that this version reads."""
    outdated: str
    """The name of a run that holds one of an older model."""

    def note(self, used: str) -> str:
        """A sentence on what it was explained with in place of one of an older model: that of the
        run `used`, or none. Empty where its own was there, or it never had one."""
        if self.run is not None or not self.outdated:
            return ""
        instead = f"that of {used} is used in its place" if used else "none is used"
        return (
            f"its own calibration ({self.outdated}) is of an older model: {instead}; make it "
            "again: planecast calibrate STUDY"
        )


def own_calibration(run: RunDirectory) -> OwnCalibration:
    """That of the run itself where it holds one, as a validation does; else of the run next to it
    that its answer rests on."""
    outdated = ""
    for folder in _calibrated(run):
        if is_current(folder / CALIBRATION):
            return OwnCalibration(str(folder), outdated)
        if not outdated and (folder / CALIBRATION).is_file():
            outdated = folder.name
    return OwnCalibration(None, outdated)


def _calibrated(run: RunDirectory) -> Iterator[Path]:
    """Where a run's own calibration may be."""
    yield run.path
    with suppress(InputError):
        content = run.read()
        answers: Iterable[SearchAnswer | Result] = results_of(content)
        if isinstance(content, SearchAnswer) and simulated(content):
            answers = [content]
        for answer in answers:
            if answer.manifest.calibration is not None:
                yield run.path.parent / answer.manifest.calibration.run


def workload_kind(run: RunDirectory, position: int | None) -> str | None:
    """The network function of what a run has to explain; None where it has no results."""
    if not ((run.path / PROFILE).is_file() or read_traced(run.path)):
        with suppress(InputError):
            content = run.read()
            if isinstance(content, SearchAnswer):
                return content.scenario.forwards
    try:
        return case_of(run, position, None).scenario.forwards
    except InputError:
        return None


def _counted(label: str, profile: Profile, calibration: Calibration | None) -> Case:
    return Case(label, profile.scenario, counts=profile.counts[0], calibration=calibration)


def _read_profile(run: RunDirectory) -> Profile:
    return read_model(run.path / PROFILE, Profile, "the profile", "make it again")
