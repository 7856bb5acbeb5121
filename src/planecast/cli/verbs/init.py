"""``planecast init``: a working scenario of the data plane that somebody wants to measure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.errors import InputError, MissingError

if TYPE_CHECKING:
    from planecast.scenario.starter import Starter, StarterKind

_KINDS = ("testpmd", "l3fwd", "ovs", "vpp", "command")
_FRAME_BYTES, _LEAST_BYTES, _MOST_BYTES = 64, 64, 1518
_FLOWS, _MOST_FLOWS = 3125, 1 << 22


KindArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help=f"What is to be measured: {'|'.join(_KINDS)}; command: a DPDK program of yours.",
        show_default=False,
    ),
]
CommandOption = Annotated[
    str | None,
    typer.Option(
        "--command",
        metavar="LINE",
        help="command: the line that starts it, as you type it; planecast's CPUs and ports "
        "take the place of its own.",
    ),
]
ProgramOption = Annotated[
    str | None,
    typer.Option("--program", metavar="PATH", help="Path of the binary, where it isn't found."),
]
FrameBytesOption = Annotated[
    int | None,
    typer.Option(
        "--frame-bytes",
        min=_LEAST_BYTES,
        max=_MOST_BYTES,
        help=f"Default: {_FRAME_BYTES}.",
        show_default=False,
    ),
]
FlowsOption = Annotated[
    int | None,
    typer.Option("--flows", min=1, max=_MOST_FLOWS, help=f"Default: {_FLOWS}.", show_default=False),
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Default: KIND.yaml.", show_default=False),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]


def init(
    kind: KindArgument = None,
    command: CommandOption = None,
    program: ProgramOption = None,
    frame_bytes: FrameBytesOption = None,
    flows: FlowsOption = None,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Write a scenario to begin with, and print what to type next.

    On a terminal it asks for what no option says; elsewhere it takes the defaults.
    """
    from planecast.cli.shared.options import check_writable
    from planecast.results.atomic import write_text, written_through
    from planecast.scenario.starter import next_commands

    asks = on_a_terminal()
    chosen = _kind(kind, asks=asks)
    starter = _starter(chosen, command, program, (frame_bytes, flows), asks=asks)
    path = output or Path(f"{chosen}.yaml")
    if asks and output is None:
        path = Path(typer.prompt("File", default=str(path)))
    check_writable(path, str(path))
    if path.exists() and not written_through(path) and not force:
        raise InputError("the file is there already", str(path), "name another one, or add --force")
    missing = _missing(starter)
    write_text(path, starter.text)
    typer.echo(f"{path} is written. Next:\n")
    for line in next_commands(str(path)):
        typer.echo(f"  {line}")
    if missing:
        typer.echo(f"\nplanecast: not yet: {missing}", err=True)


def on_a_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _kind(named: str | None, *, asks: bool) -> StarterKind:
    """Raises InputError for none, or one that isn't known."""
    from planecast.scenario.starter import TITLES

    if named is None and asks:
        for number, (name, title) in enumerate(TITLES.items(), 1):
            typer.echo(f"  {number}  {name}: {title}")
        by_number = dict(zip("12345", TITLES, strict=True))
        known = _one_of({*by_number, *TITLES})
        typed = str(typer.prompt("What is to be measured", default="1", value_proc=known))
        named = dict[str, str](by_number).get(typed, typed)
    for kind in TITLES:
        if kind == named:
            return kind
    what = "nothing is named to be measured" if named is None else f"got '{named}'"
    raise InputError(what, "init", "name one of " + ", ".join(_KINDS))


def _one_of(names: Collection[str]) -> Callable[[object], str]:
    """An answer that is one of these; another one is asked for again."""

    def read(typed: object) -> str:
        if (text := str(typed).strip()) not in names:
            raise typer.BadParameter(f"'{text}' is none of them")
        return text

    return read


def _whole(low: int, high: int) -> Callable[[object], int]:
    """An answer that is a whole number in a range; another one is asked for again."""

    def read(typed: object) -> int:
        text = str(typed).strip()
        if not text.isdecimal() or not low <= int(text) <= high:
            raise typer.BadParameter(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)

    return read


def _starter(
    kind: StarterKind,
    command: str | None,
    program: str | None,
    numbers: tuple[int | None, int | None],
    *,
    asks: bool,
) -> Starter:
    """What the options say, and for the rest the answers or the defaults. Raises InputError for
    options that don't go together."""
    from planecast.host import Root
    from planecast.host.memory import free_large_pages
    from planecast.scenario.starter import Starter

    if command is not None and kind != "command":
        raise InputError(f"{kind} has no command line", "--command", "leave it out")
    if program is not None and kind == "command":
        raise InputError("the command line names the program", "--program", "leave it out")
    if kind == "command" and command is None:
        if not asks:
            raise InputError("its command line is not known", "init command", "add --command LINE")
        command = typer.prompt("The line that starts it, as you type it")
    frame_bytes, flows = numbers
    if asks and frame_bytes is None:
        sizes = _whole(_LEAST_BYTES, _MOST_BYTES)
        frame_bytes = typer.prompt("Frame size, bytes", default=_FRAME_BYTES, value_proc=sizes)
    if asks and flows is None:
        flows = typer.prompt("Flows", default=_FLOWS, value_proc=_whole(1, _MOST_FLOWS))
    return Starter(
        kind,
        frame_bytes=frame_bytes or _FRAME_BYTES,
        flows=flows or _FLOWS,
        program=program,
        command=command,
        large_pages=free_large_pages(Root()) > 0,
    )


def _missing(starter: Starter) -> str:
    """What this machine lacks to start it, in a sentence. Raises InputError for what could not be
    started anywhere."""
    from planecast.cleanup import private_folder
    from planecast.dataplanes.dut_chain import DutChain
    from planecast.scenario import load_scenario

    with private_folder(for_sockets=True) as folder:
        draft = Path(folder) / "scenario.yaml"
        draft.write_text(starter.text, encoding="utf-8")
        try:
            DutChain(load_scenario(draft), 0).planned(Path(folder))
        except MissingError as error:
            return str(error)
    return ""
