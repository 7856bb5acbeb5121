"""A calibration with measured points added: fitted again to all of its points and these.

A calibration is a posterior, and takes no single points in. But its run keeps the results of the
points that it was fitted to, the probed hierarchy and the counted instructions; the fit to them and
to the added ones is a new calibration, in a run of its own, not validated yet. The added ones were
measured at another time than the others, and not in turns with them: what the machine's state
changed since is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planecast.errors import InputError
from planecast.explore.session import Session
from planecast.model.calibrate import calibrate
from planecast.results import Result, RunDirectory, collect_manifest
from planecast.results.content import results_of
from planecast.results.store import CALIBRATION, find_run
from planecast.results.validation import Validation
from planecast.study.calibration_run import Chosen

_HOST = ("cpu", "cpu_id", "cpus")


def recalibrated(session: Session, chosen: Chosen, added: Sequence[Result]) -> Path:
    """The run of the new calibration, which the session uses from then on.

    Raises InputError for a calibration whose points weren't kept, for points of another host or
    network function, and where there is nothing to add.
    """
    known = fitted_points(session, chosen)
    fresh = [one for one in added if one not in known]
    if not fresh:
        raise InputError("there is no measured point to add", what_to_do="measure one first")
    for one in fresh:
        _refuse_another(one, chosen)
    manifest = collect_manifest("measure", fresh[0].scenario.traffic.seed)
    everything = [*known, *fresh]
    model = chosen.model
    fitted = calibrate(everything, model.hierarchy, model.instructions, manifest, model.program)
    run = RunDirectory.create(session.root, "calibrate", fitted.kind)
    with run:
        run.write_json(CALIBRATION, fitted)
        run.write_result(everything)
    session.use(run.path)
    return run.path


def fitted_points(session: Session, chosen: Chosen) -> list[Result]:
    """The measured results that a calibration was fitted to. Raises InputError where its run has
    none."""
    kept = session.root / chosen.basis.run
    run = RunDirectory(kept) if kept.is_dir() else find_run(session.named or "", session.root)
    content = run.read()
    if isinstance(content, Validation):
        return [p.measured for p in content.points if not p.held_out and not p.checked]
    found = [one for one in results_of(content) if one.cycles_per_packet.kind == "measured"]
    if len(found) != chosen.model.points:
        raise InputError(
            "the calibration's run doesn't hold the points that it was fitted to",
            str(run.path),
            "calibrate by a study: planecast calibrate STUDY",
        )
    return found


def _refuse_another(one: Result, chosen: Chosen) -> None:
    theirs, ours = chosen.model.manifest.host, one.manifest.host
    if any(theirs.get(fact) != ours.get(fact) for fact in _HOST):
        raise InputError(
            f"the point was measured on {ours.get('cpu')}, "
            f"the calibration is of {theirs.get('cpu')}",
            what_to_do="calibrate this host: planecast calibrate STUDY",
        )
    if one.scenario.forwards != chosen.model.kind:
        raise InputError(
            f"the point is of {one.scenario.forwards}, the calibration of {chosen.model.kind}",
            what_to_do="choose that function first",
        )
