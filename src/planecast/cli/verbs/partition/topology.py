"""``planecast partition topology``: sockets, caches, cores, clocks, cards, what can be divided."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.options import FormatOption, OutputOption
from planecast.cli.shared.output import chosen_format, emit, page_path, write_out, write_page
from planecast.cli.shared.output_files import Page
from planecast.cli.tables.sheet import Column, Sheet
from planecast.errors import InputError, MissingError

if TYPE_CHECKING:
    from planecast.host.topology import Core, Topology

SysfsOption = Annotated[
    Path,
    typer.Option(
        "--sysfs", metavar="DIR", help="Read sys and proc under this folder: a recording."
    ),
]

_COLUMNS = (
    Column("cpu", "CPU", number=True, of=lambda pair: pair[1]),
    Column("siblings", "siblings", of=lambda pair: _siblings(*pair)),
    Column("socket", "socket", number=True, of=lambda pair: pair[0].socket),
    Column("node", "node", number=True, of=lambda pair: pair[0].node),
    Column("llc", "LLC", number=True, of=lambda pair: pair[0].llc),
    Column("base_mhz", "base MHz", number=True, of=lambda pair: pair[0].frequency.base_mhz),
    Column("most_mhz", "turbo MHz", number=True, of=lambda pair: pair[0].frequency.most_mhz),
    Column("priority", "priority", of=lambda pair: pair[0].frequency.priority),
    Column("isolated", "isolated", of=lambda pair: pair[0].isolated),
)
"""Of a core and one of its CPUs."""


def topology(
    sysfs: SysfsOption = Path("/"),
    form: FormatOption = None,
    output: Annotated[OutputOption, Page()] = None,
) -> None:
    """Show the machine: sockets, nodes, caches, cores, siblings, clocks, cards, RDT, isolation.

    -o machine.html draws it.
    """
    machine = topology_of(sysfs)
    page = page_path(form, output)
    if page is not None:
        from planecast.cli.tables.machine_picture import remarks
        from planecast.report.machine_page import machine_html

        write_page(page, machine_html(machine, list(remarks(machine))))
        return
    if chosen_format(form, output) == "table":
        from planecast.cli.tables.machine_picture import picture

        write_out("\n".join(picture(machine)) + "\n", output)
        return
    document = {**asdict(machine), "fingerprint": machine.fingerprint}
    cpus = [(core, cpu) for core in machine.cores for cpu in core.threads]
    emit(Sheet.of(_COLUMNS, cpus, document), form, output)


def topology_of(sysfs: Path) -> Topology:
    """The machine recorded in a folder, or this one.

    Raises InputError for a folder without CPUs in it, MissingError where sysfs isn't mounted.
    """
    from planecast.host.root import Root
    from planecast.host.topology import read_topology

    root = Root(sysfs.resolve() if sysfs != Path("/") else sysfs)
    machine = read_topology(root)
    if not machine.cores:
        where = "sys/devices/system/cpu/online"
        if root.live:
            raise MissingError("the kernel reports no CPU", f"/{where}", "mount /sys")
        raise InputError(
            f"there is no {where} in it",
            f"--sysfs {sysfs}",
            "name a folder that holds a machine's sys and proc",
        )
    return machine


def _siblings(core: Core, cpu: int) -> str:
    return " ".join(str(other) for other in core.threads if other != cpu)
