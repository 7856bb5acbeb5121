"""``planecast calibrate --from FILE``: a calibration from counters that were recorded on another
machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone, Needs
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.calibrate.counted_run import Condition, CountedRun
    from planecast.scenario.machine import Machine

_OF_COUNTERS = Needs("--from", why="a study is measured on this host")

FromOption = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="FILE[,KEY=VALUE…]",
        help="Calibrate from recorded counters, in place of a study: perf stat -x or -j, "
        "pcm -csv, CSV with a column an event. Keys: packets or pps, core_ghz, llc_ways, cores, "
        "places=CPU2+CPU4. Repeatable: runs of one workload.",
    ),
    Alone("--machine", "--of", "--runs", *ANSWER, why="imported counters do not use it"),
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="With --from: the machine that was counted on (planecast machine list), or its file.",
    ),
    _OF_COUNTERS,
]


ScenarioOption = Annotated[
    str | None,
    typer.Option(
        "--of",
        metavar="SCENARIO",
        help="With --from: the scenario that was counted. The calibration then answers for its "
        "workload, traffic and data plane, and refuses others.",
    ),
    _OF_COUNTERS,
]


def import_counters(
    files: list[str],
    machine: str | None,
    scenario: str | None,
    *,
    runs: RunsOption,
    form: FormatOption,
    output: OutputOption,
) -> None:
    """Reads the files, fits the model, writes the run, prints the parameters."""
    from planecast.calibrate.counter_results import imported_result
    from planecast.calibrate.from_counters import calibrate_counters
    from planecast.cli.shared.output import emit
    from planecast.cli.tables.calibration import counters_calibration_sheet
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.results.store import CALIBRATION
    from planecast.scenario import load_scenario
    from planecast.scenario.machine import machine_of
    from planecast.study.calibration_run import COUNTED_SCENARIO

    if machine is None:
        raise InputError(
            "the counted machine is not named", "calibrate --from", "add --machine NAME"
        )
    known = machine_of(machine)
    counted = None if scenario is None else load_scenario(scenario)
    read = [_read(text, known) for text in files]
    manifest = collect_manifest("import", 0)
    done = calibrate_counters(read, known, manifest)
    with RunDirectory.create(runs_folder(runs), "calibrate", f"counters-{known.name}") as run:
        run.write_json(CALIBRATION, done.calibration)
        if counted is not None:
            run.write_json(COUNTED_SCENARIO, counted)
        run.write_result([imported_result(one, known, manifest) for one in read])
    emit(counters_calibration_sheet(done, run.path), form, output)


def _read(text: str, machine: Machine) -> CountedRun:
    from planecast.calibrate.counted_run import counted_run
    from planecast.instruments.recorded import read_recording

    condition = condition_of(text, machine)
    return counted_run(read_recording(Path(condition.label)), condition, machine)


def condition_of(text: str, machine: Machine) -> Condition:
    """``counts.csv,pps=3.9Mpps,llc_ways=4`` as a file and what is known of its run.

    Raises InputError for a key that is none, one that appears twice, and a value that can't be.
    """
    from planecast.calibrate.counted_run import Condition

    parts = text.split(",")
    first = next((at for at, part in enumerate(parts) if at and "=" in part), len(parts))
    label = ",".join(parts[:first])  # a file's name may have commas
    found: dict[str, Any] = {}
    for part in parts[first:]:
        key, _, value = part.partition("=")
        if key in found:
            raise InputError(f"{key} appears twice", f"--from {text}", "keep one of the two")
        found[key] = _value(key.strip(), value.strip(), f"--from {text}")
    if "packets" in found and "pps" in found:
        raise InputError("packets and pps are both given", f"--from {text}", "give one of them")
    ways = found.get("llc_ways")
    if ways is not None and ways > machine.values.llc_ways.value:
        raise InputError(
            f"{machine.title} has {machine.values.llc_ways.value:g} ways",
            f"--from {text}",
            f"llc_ways={machine.values.llc_ways.value:g} are all of them",
        )
    return Condition(label, **found)


def _value(key: str, text: str, where: str) -> Any:
    from planecast.scenario.units import parse_rate_pps

    readers: dict[str, Callable[[str], Any]] = {
        "packets": float,
        "pps": parse_rate_pps,
        "core_ghz": lambda word: float(word.lower().removesuffix("ghz")),
        "llc_ways": int,
        "cores": int,
        "places": lambda word: frozenset(word.split("+")),
    }
    if key not in readers:
        raise InputError(f"unknown key {key}", where, f"known are {', '.join(readers)}")
    try:
        value = readers[key](text)
    except ValueError:
        raise InputError(f"{key}: got '{text}'", where, "give a number, such as 3.9Mpps") from None
    if not isinstance(value, frozenset) and not 0 < value < float("inf"):
        raise InputError(f"{key}: got {text}", where, "give a number above 0")
    return value
