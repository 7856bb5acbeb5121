"""``planecast generator``: the traffic generator. ``serve`` has it driven over HTTP by OTG."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer

from planecast.errors import InputError

_MOST_BYTES = 64 << 20


def register(app: typer.Typer) -> None:
    """Add the verb, and what it can do, to `app`."""
    app.callback()(generator)
    app.command()(serve)


def generator() -> None:
    """The traffic generator. (`planecast-generator` itself sends what an INI file says.)"""


BindOption = Annotated[
    str,
    typer.Option(
        "--bind",
        metavar="ADDRESS",
        help="Where to listen; by default this host alone can connect.",
    ),
]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="TCP port; 0: any that is free.")
]
LcoresOption = Annotated[
    str | None,
    typer.Option(
        "--lcores",
        metavar="CPU[,CPU]",
        help="CPU that sends and receives, or one for each; else the last.",
    ),
]
MainCpuOption = Annotated[
    int | None,
    typer.Option("--main-cpu", metavar="CPU", help="Where the main lcore sleeps."),
]
LinkGbpsOption = Annotated[
    float,
    typer.Option("--link-gbps", min=0.001, max=10000, help="Line rate that percentages refer to."),
]
CatchUpMsOption = Annotated[
    float,
    typer.Option(
        "--catch-up-ms",
        min=0.001,
        max=1e6,
        help="Packets later than this are dropped instead of sent.",
    ),
]
DryRunOption = Annotated[
    Path | None,
    typer.Option(
        "--dry-run",
        metavar="CONFIG.json",
        help="Print what the generator would be given for a configuration, and end.",
    ),
]
FormOption = Annotated[
    Literal["text", "json"],
    typer.Option("--format", help="How it reports its address."),
]


def serve(
    bind: BindOption = "127.0.0.1",
    port: PortOption = 8080,
    lcores: LcoresOption = None,
    main_cpu: MainCpuOption = None,
    link_gbps: LinkGbpsOption = 10.0,
    catch_up_ms: CatchUpMsOption = 1.0,
    dry_run: DryRunOption = None,
    form: FormOption = "text",
) -> None:
    """Serve the Open Traffic Generator API over HTTP until Ctrl-C; snappi drives it.

    Nobody is asked for a password: whoever reaches the port opens devices and sends packets.
    """
    from planecast.generators.otg import Resources, Session
    from planecast.generators.otg.server import open_server
    from planecast.generators.otg.server import serve as serve_requests

    there = sorted(os.sched_getaffinity(0))
    resources = Resources(
        lcores=_cpus(lcores) if lcores is not None else (there[-1],),
        main_cpu=there[0] if main_cpu is None else main_cpu,
        link_gbps=link_gbps,
        run={"catch_up_us": f"{catch_up_ms * 1000:.9g}"},
    )
    if dry_run is not None:
        _explain(dry_run, resources)
        return
    session = Session(resources)
    server = open_server(session, bind, port)
    signal.signal(signal.SIGTERM, _interrupt)
    host = f"[{bind}]" if ":" in bind else bind
    url = f"http://{host}:{server.server_address[1]}"
    typer.echo(
        json.dumps({"url": url}) if form == "json" else f"listening on {url} (Ctrl-C ends it)"
    )
    serve_requests(server, session)


def _interrupt(number: int, frame: Any) -> NoReturn:
    """A polite end is as good as Ctrl-C: the generator ends with us."""
    raise KeyboardInterrupt


def _cpus(text: str) -> tuple[int, ...]:
    """In the order of the text: the first sends."""
    parts = text.split(",")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise InputError(
            f"got '{text}'", "--lcores", "name a CPU for both, such as 1, or two, such as 1,2"
        )
    return tuple(int(part) for part in parts)


def _explain(path: Path, resources: Any) -> None:
    """Prints the INI file. Raises InputError for what is unsupported."""
    from planecast.generators.otg import OtgError, plan_of
    from planecast.scenario.read_file import read_text

    try:
        document = json.loads(read_text(path, _MOST_BYTES))
        plan = plan_of(document, resources)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON: {error}", str(path)) from error
    except OtgError as error:
        raise InputError("; ".join(error.errors), str(path)) from error
    for warning in plan.warnings:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(plan.text(), nl=False)
