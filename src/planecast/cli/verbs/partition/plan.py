"""``planecast partition plan`` and ``show``: a division for tenants, and its commands."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.shared.option_rules import Excludes, Needs
from planecast.cli.shared.options import FormatOption, OutputOption
from planecast.cli.shared.output import emit, page_path, write_page
from planecast.cli.shared.output_files import Page, Written
from planecast.cli.tables.division import plan_notes, plan_sheet
from planecast.cli.verbs.partition.apply import (
    ApplyOption,
    StateOption,
    ThroughOption,
    apply_plan,
    backend,
)
from planecast.cli.verbs.partition.topology import SysfsOption, topology_of
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.partition.machine import Machine
    from planecast.partition.plan import Plan

TenantsArgument = Annotated[
    str,
    typer.Argument(metavar="TENANTS", help="A tenants file, or a plan that was written to JSON."),
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="Plan for a machine that isn't here: a name of planecast machine list, or a YAML "
        "file of machine probe; one socket of it. host: this one, whatever the file says.",
        show_default=False,
    ),
]
TriesOption = Annotated[
    int,
    typer.Option("--tries", min=1, max=100_000, help="Divisions that the search may try."),
    Excludes("*.json"),
]

_MOST_PLAN_BYTES = 16 << 20


def plan(
    tenants: TenantsArgument,
    sysfs: SysfsOption = Path("/"),
    machine: MachineOption = None,
    tries: TriesOption = 400,
    apply: ApplyOption = False,
    through: ThroughOption = "resctrl",
    state: Annotated[StateOption, Needs("--apply"), Written()] = None,
    form: FormatOption = None,
    output: Annotated[OutputOption, Page()] = None,
) -> None:
    """Divide the machine: cores, cache ways, bandwidth and clocks, with what is predicted of it.

    Nothing is changed without --apply. -o plan.json keeps the plan, -o plan.html draws it;
    `partition show` prints its commands; `partition --undo` restores what was there before --apply.
    """
    if apply and (sysfs != Path("/") or machine not in (None, "host")):
        asked = f"--sysfs {sysfs}" if sysfs != Path("/") else f"--machine {machine}"
        raise InputError(
            "a machine that isn't this one can't be changed", asked, "leave one of the two out"
        )
    made, site = plan_of(tenants, sysfs, tries, machine, through)
    if apply:
        apply_plan(made, site.topology, backend(through), state)
    page = page_path(form, output)
    if page is not None:
        from planecast.report.machine_page import plan_html

        write_page(page, plan_html(made, site.topology, plan_notes(made)))
        return
    emit(plan_sheet(made), form, output)


def show(
    tenants: TenantsArgument,
    form: Annotated[
        Literal["pqos", "resctrl", "taskset", "cgroup", "ovs", "dpdk", "sst"],
        typer.Option("--as", help="Whose commands or options."),
    ] = "pqos",
    sysfs: SysfsOption = Path("/"),
    machine: MachineOption = None,
    through: ThroughOption = "resctrl",
    tries: TriesOption = 400,
) -> None:
    """Print a plan as the commands of another tool. Runs none of them."""
    from planecast.partition.export_commands import show as lines_of

    made, site = plan_of(tenants, sysfs, tries, machine, through)
    for line in lines_of(made, form, site.topology):
        sys.stdout.write(line + "\n")


def plan_of(
    path: str,
    sysfs: Path,
    tries: int,
    machine: str | None = None,
    through: Literal["resctrl", "pqos"] = "resctrl",
) -> tuple[Plan, Machine]:
    """The plan that a file holds, or that its tenants get; and the machine it is for.

    `machine` overrides the file's. Raises InputError for a file that is neither, and for a plan of
    another machine.
    """
    from planecast.partition.machine import Machine
    from planecast.partition.plan import make_plan
    from planecast.partition.tenants import load_tenancy

    asked = site_of(machine, sysfs, through) if machine is not None else None
    if path.endswith(".json"):
        made = read_plan(Path(path))
        here = asked or site_of("host", sysfs, through)
        if here.topology.fingerprint != made.fingerprint:
            raise InputError(
                f"the plan is for another machine, {made.machine}",
                path,
                "name that machine with --machine or its recording with --sysfs, or plan for this "
                "one",
            )
        return made, here
    tenancy = load_tenancy(path)
    described = Machine.of(tenancy.machine) if tenancy.machine is not None else None
    site = asked or described or site_of("host", sysfs, through)
    return make_plan(site, tenancy, tries), site


def site_of(machine: str, sysfs: Path, through: Literal["resctrl", "pqos"]) -> Machine:
    """A machine by its name; ``host`` is this one, or the one recorded under `sysfs`.

    Where resctrl isn't mounted and all goes through pqos, that shows what can be divided. Raises
    InputError for a name that there isn't, MissingError without pqos.
    """
    from planecast.partition.machine import Machine, MachineShape, Timing, described
    from planecast.scenario.machine import HOST
    from planecast.scenario.problems import validated

    if machine == HOST:
        here = topology_of(sysfs)
        if through == "pqos" and sysfs == Path("/") and not here.rdt.mounted:
            from planecast.partition.pqos import Pqos

            pqos = Pqos()
            pqos.check()
            here = replace(here, rdt=pqos.offer())
        return Machine(here, Timing())
    if sysfs != Path("/"):
        raise InputError("two machines are named", f"--machine {machine}", "leave --sysfs out")
    return Machine.of(validated(MachineShape, described(machine), lambda _: f"--machine {machine}"))


def read_plan(path: Path) -> Plan:
    """A plan from the file that ``plan -o`` wrote. Raises InputError for what is none."""
    from planecast.partition.plan import Plan
    from planecast.scenario.read_file import read_text

    text = read_text(path, _MOST_PLAN_BYTES)
    try:
        return Plan.model_validate_json(text)
    except ValueError:
        raise InputError(
            "this is not a plan",
            str(path),
            "write one: planecast partition plan TENANTS -o plan.json",
        ) from None
