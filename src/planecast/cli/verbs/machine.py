"""``planecast machine list|show|probe|ports``: the machines and cards that the catalogue knows, and
what is measured of this host."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.shared.option_rules import Excludes, Needs
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption, check_writable
from planecast.cli.shared.output import emit
from planecast.cli.tables.sheet import Column, Sheet
from planecast.errors import InputError, MissingError, RunError

if TYPE_CHECKING:
    from planecast.instruments.machine_probe import MachineProbe
    from planecast.scenario.machine import Machine, Microarchitecture
    from planecast.scenario.model import Noun

Action = Literal["list", "show", "probe", "ports"]

_LISTED = (
    Column("name", "name"),
    Column("title", "machine"),
    Column("microarchitecture", "cores of"),
    Column("cores", "cores", number=True, of=lambda found: int(found.values.cores.value)),
    Column("base_ghz", "GHz", number=True, of="values.base_ghz.value"),
    Column("llc_mib", "LLC, MiB", number=True, of="values.llc_mib.value"),
    Column("memory_gbs", "memory, GB/s", number=True, of="values.memory_gbs.value"),
)
_SHOWN = (
    Column("key", "key"),
    Column("value", "value", number=True),
    Column("status", "status"),
    Column("source", "source"),
)


def machine(
    action: Annotated[
        Action,
        typer.Argument(
            help="list: every machine and card. show: one with the source of each value. probe: "
            "measure this host, and write its own entry. ports: measure what a packet and a byte "
            "cost in each kind of port.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            help="show: a machine, a card, or a YAML file. probe: the file to write. "
            "ports: kinds with commas between them; default: all."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="NAME",
            help="probe: the machine that shows what can't be measured. Default: by the CPU's "
            "model number.",
            show_default=False,
        ),
        Needs("probe"),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="probe: measure again, cached or not."),
        Needs("probe"),
    ] = False,
    runs: Annotated[RunsOption, Needs("ports")] = None,
    form: Annotated[FormatOption, Excludes("probe")] = None,
    output: Annotated[OutputOption, Excludes("probe")] = None,
) -> None:
    """The machines and network cards of the catalogue, and this host's own entry."""
    if action == "list":
        if name is not None:
            raise InputError("list takes no name", name, "planecast machine show " + name)
        emit(_list(), form, output)
    elif action == "ports":
        emit(_ports(name, runs), form, output)
    elif name is None:
        what = "which machine" if action == "show" else "which file to write"
        raise InputError(f"{action} needs to know {what}", "planecast machine " + action)
    elif action == "show":
        emit(_show(name), form, output)
    else:
        _probe(Path(name), like, fresh=fresh)


def _list() -> Sheet:
    from planecast.catalog import names
    from planecast.scenario.machine import card_of, machine_of

    cards = [card_of(entry) for entry in names("nics")]
    notes = ["Cards: " + ", ".join(f"{card.name} ({card.title})" for card in cards)]
    notes.append("`planecast machine show NAME` lists every value with its source.")
    sheet = Sheet.of(_LISTED, map(machine_of, names("cpus")), notes=notes)
    listed = [{"name": card.name, "title": card.title} for card in cards]
    return replace(sheet, document={"machines": sheet.rows, "cards": listed})


def _show(name: str) -> Sheet:
    from planecast.catalog import names
    from planecast.scenario.machine import card_of, machine_of, microarchitecture_of

    if name in names("nics"):
        card = card_of(name)
        return Sheet(_SHOWN, _facts(card.values, card.sources), title=card.title, document=card)
    if name in names("microarchitectures"):
        core = microarchitecture_of(name)
        rows = [*_facts(core.values, core.sources), *_allocation(core)]
        return Sheet(_SHOWN, rows, title=core.title, document=core)
    found = machine_of(name)
    rows = [*_facts(found.values, found.sources), *_core_facts(found)]
    return Sheet(_SHOWN, rows, title=found.title, document=found)


def _core_facts(found: Machine) -> list[dict[str, Any]]:
    from planecast.scenario.machine import microarchitecture_of

    kind = microarchitecture_of(found.microarchitecture)
    if found.own_core is not None:
        return [*_facts(found.own_core, found.sources), *_allocation(kind)]
    return [*_facts(found.core, kind.sources), *_allocation(kind)]


def _allocation(kind: Microarchitecture) -> list[dict[str, Any]]:
    return _facts(kind.allocation, kind.sources) if kind.allocation is not None else []


def _facts(values: Noun, sources: dict[str, str]) -> list[dict[str, Any]]:
    rows = []
    for key in type(values).model_fields:
        fact = getattr(values, key)
        if isinstance(fact, tuple):
            rows += [
                {
                    "key": f"{key} at {point.gbs:.4g} GB/s",
                    "value": f"{point.ns:.4g} ns",
                    "status": point.status,
                    "source": sources.get(point.source, point.source),
                }
                for point in fact
            ]
        elif fact is not None:
            source = sources.get(fact.source, fact.source)
            value = f"{fact.value:g}" if isinstance(fact.value, float) else str(fact.value)
            rows.append({"key": key, "value": value, "status": fact.status, "source": source})
    return rows


def _state_text(probed: MachineProbe) -> str:
    """What the other tenants left when the probe was made, in a sentence."""
    from planecast.machine.page_conflicts import page_conflicts

    assert probed.state is not None
    private = max((level.claimed_bytes for level in probed.levels[:-1]), default=0)
    lifetime = probed.state.lifetime_seconds(private)
    lives = "was not reached" if lifetime is None else f"is {1e3 * lifetime:.1f} ms"
    stream = probed.state.stream_lines_per_cycle.value
    conflict = "lines a page apart conflict in it; " if page_conflicts([probed.state]) > 1 else ""
    return (
        f"shared cache: the age at which half of the lines are gone {lives}; {conflict}memory "
        f"streams {stream:.3f} lines a TSC cycle"
    )


def _probe(path: Path, like: str | None, *, fresh: bool) -> None:
    from planecast.instruments.catalog_entry import entry_text, likeness, measured_entry
    from planecast.instruments.loaded_latency import loaded_latency
    from planecast.instruments.probe import probe_machine
    from planecast.results.atomic import write_text

    if path.suffix != ".yaml":
        raise InputError("an entry is a YAML file", str(path), f"name it {path.name}.yaml")
    check_writable(path, str(path))
    other = likeness(like)
    probed = probe_machine(fresh=fresh)
    idle_ns = probed.memory_latency_cycles.value / probed.tsc_hz * 1e9
    loaded, why = None, "it takes a second CPU"
    try:
        loaded = loaded_latency(idle_ns, fresh=fresh)
    except RunError as error:
        why = f"{error.what}; {error.what_to_do}" if error.what_to_do else error.what
    entry = measured_entry(path.stem, probed, other, loaded)
    write_text(path, entry_text(entry))
    if loaded is None:
        typer.echo(f"memory under load is not in it: {why}")
    else:
        shown = ", ".join(f"{ns:.0f} ns at {gbs:.1f} GB/s" for gbs, ns in loaded.risen())
        used = f"{100 * loaded.undisturbed_share:.0f} % of the slices were undisturbed"
        typer.echo(f"memory under load: {shown}; {used}")
    for note in probed.notes:
        typer.echo(note)
    if probed.state is not None:
        typer.echo(_state_text(probed))
    typer.echo(f"{path}: {entry.title}; `planecast machine show {path}` lists what was measured")


def _ports(kinds: str | None, runs: Path | None) -> Sheet:
    """Measures the kinds (all: None), and keeps them in a run.

    Raises InputError for a kind that there isn't, MissingError without a second CPU.
    """
    from planecast.cli.shared.progress import progress_bar
    from planecast.cli.tables.port_costs import port_costs_sheet
    from planecast.engines.measure.port_costs import (
        KINDS,
        ROUNDS,
        SIZES,
        Figure,
        figure_columns,
        measured_cost,
    )
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.results.port_costs import PORT_COSTS, PortCost, PortCosts

    wanted = _kinds(kinds, KINDS)
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise MissingError("a generator needs a CPU of its own", "machine ports", "two are needed")
    cpus = allowed[-1], allowed[0]
    manifest = collect_manifest("measure", 1)
    run = RunDirectory.create(runs_folder(runs), "ports", "testpmd-io")
    found: list[PortCost] = []
    figures: list[Figure] = []
    total, done = len(wanted) * len(SIZES) * ROUNDS, 0
    with run, progress_bar("measuring ports") as progress:
        for kind in wanted:

            def step(kind: str = kind) -> None:
                nonlocal done
                done += 1
                progress(done, total, kind)

            cost, made = measured_cost(kind, cpus, SIZES, ROUNDS, step)
            found.append(cost)
            figures += made
        if not figures:
            why = "; ".join(f"{cost.kind}: {cost.why_not}" for cost in found)
            raise MissingError(f"no port could be measured: {why}", "machine ports")
        costs = PortCosts(cpu=cpus[0], ports=tuple(found), manifest=manifest)
        run.write_json(PORT_COSTS, costs)
        run.write_trials(figure_columns(figures))
    return port_costs_sheet(costs, run.path)


def _kinds(named: str | None, there: Sequence[str]) -> Sequence[str]:
    kinds = there if named is None else [word.strip() for word in named.split(",")]
    unknown = next((kind for kind in kinds if kind not in there), None)
    if unknown is not None:
        known = ", ".join(there)
        raise InputError(f"there is no port kind '{unknown}'", "ports", f"one of {known}")
    return kinds
