"""``planecast dataplane SCENARIO``: start the data plane under test, and keep it."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from planecast.cli.shared.options import SetOption, overrides
from planecast.errors import InputError, PlanecastError, first_refusal

if TYPE_CHECKING:
    from planecast.dataplanes.dut_chain import DutChain
    from planecast.scenario import Scenario


def dataplane(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="A scenario's file; - reads one as a line of JSON."
        ),
    ],
    settings: SetOption = None,
) -> None:
    """Start a scenario's data plane between its ports, and keep it until its input ends (Ctrl-D).

    For a generator of your own, and for `planecast search` on another host (dataplane.host), which
    asks on the input: check, ports, begin, opinion. Answers are lines of JSON; the first says that
    it is ready, and in `note` when that is not known: of a command without dataplane.ready.
    """
    from planecast.dataplanes.dut_chain import DutChain
    from planecast.dataplanes.remote_dut import ready_line
    from planecast.scenario.host_cpus import cpus_here, refuse_absent

    for number in (signal.SIGTERM, signal.SIGHUP):  # HUP: the connection is gone
        signal.signal(number, _interrupt)
    wanted = _scenario(scenario, settings)
    if wanted.started.host is not None:
        raise InputError(
            f"the data plane is to run on {wanted.started.host}",
            "dataplane.host",
            "start it there, or leave it out",
        )
    refuse_absent(wanted)
    cpus = sorted(os.sched_getaffinity(0))
    taken = cpus_here(wanted)
    free = [cpu for cpu in cpus if cpu not in taken]
    with DutChain(wanted, (free or cpus)[0]) as line:
        assert line.ports is not None
        typer.echo(ready_line(line.ports, line.before, line.ready_note))
        for question in sys.stdin:
            typer.echo(json.dumps(_answer(line, question.strip())))


def _scenario(name: str, settings: list[str] | None) -> Scenario:
    from pydantic import ValidationError

    from planecast.scenario import Scenario, load_scenario, with_overrides

    if name != "-":
        return load_scenario(name, overrides(settings, None))
    try:
        read = Scenario.model_validate_json(sys.stdin.readline())
    except ValidationError as error:
        raise InputError(first_refusal(error), "the scenario on the input") from None
    return with_overrides(read, overrides(settings, None))


def _answer(line: DutChain, question: str) -> dict[str, Any]:
    try:
        if question == "check":
            line.check()
            return {"running": True}
        if question == "ports":
            return {"ports": dict(line.counters())}
        if question == "begin":
            line.begin_opinion()
            return {"begun": True}
        if question == "opinion":
            said = line.opinion()
            return {"opinion": {name: value.model_dump() for name, value in said.items()}}
    except PlanecastError as error:
        return {"error": str(error)}
    return {"error": "questions are: check, ports, begin, opinion"}


def _interrupt(number: int, frame: Any) -> NoReturn:
    """A polite end is as good as Ctrl-C: the programs end with us."""
    raise KeyboardInterrupt
