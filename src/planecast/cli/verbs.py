"""The table of verbs, and the group that loads a verb's module when it is asked for.

Loading every verb for ``planecast --help`` would import numpy, scipy, DuckDB and Plotly: the help
is printed from this table instead. A verb is one file ``cli/<verb>.py`` with ``register(app)``,
which adds its one command to the app; a verb whose file isn't there is left out.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

VERBS: dict[str, str] = {
    "doctor": "What this machine can measure, what disturbs it, how to fix it.",
    "measure": "Forward packets and measure a scenario.",
    "profile": "Count instructions by stage.",
    "calibrate": "Fit the model to measured configurations.",
    "predict": "Answer a scenario by the model.",
    "sweep": "Very many points by the model, over all cores or a Dask cluster.",
    "optimise": "The cheapest placement or machine that meets a rate, loss and latency.",
    "bounds": "The upper bounds that no upgrade can exceed.",
    "sensitivity": "Which component and which number matter: tornado and Sobol.",
    "validate": "Calibrate on some points, predict the others, measure them, print the error.",
    "curve": "Loss and latency against offered load, measured and simulated.",
    "search": "The highest loads that a data plane takes: NDR, PDR, RFC 2544, RFC 9004, soak.",
    "dataplane": "Start the data plane of a scenario, and keep it.",
    "survey": "Data planes side by side under what varies, as the documents' tables.",
    "generator": "Send packets, driven over HTTP by Open Traffic Generator's clients.",
    "partition": "Give the data plane its share of threads, cache, bandwidth and clock.",
    "reproduce": "The published documents' figures beside ours.",
    "machine": "The machines and cards of the catalogue, and this host's own entry.",
    "compare": "Runs side by side.",
    "trend": "One scenario over many runs, and where its level changed.",
    "explain": "Where the cycles go, what limits, what to try next.",
    "report": "One offline HTML file of a run, or of several side by side.",
    "export": "Results for other programs: Prometheus.",
    "query": "SQL over all runs.",
    "schema": "JSON Schema of the files you write, for your editor.",
}
"""Each verb and its line in the help, in the order of the help."""


def _there(verb: str) -> bool:
    return find_spec(f"planecast.cli.{verb}") is not None


def load_verb(verb: str) -> Any:
    """The command of a verb, its module imported."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    importlib.import_module(f"planecast.cli.{verb}").register(app)
    command = typer.main.get_command(app)
    command.name = verb
    for one in (command, *getattr(command, "commands", {}).values()):
        if any("--format" in parameter.opts for parameter in one.params):
            one.params.append(_wide())
    return command


def _wide() -> Any:
    """``--wide``, which all verbs with a table have."""
    app = typer.Typer(add_completion=False)

    @app.command()
    def holder(
        wide: Annotated[
            bool,
            typer.Option(
                "--wide",
                expose_value=False,
                callback=_set_wide,
                help="Tables as wide as they are, not folded to the terminal or 80 columns.",
            ),
        ] = False,
    ) -> None:
        del wide

    (option,) = (one for one in typer.main.get_command(app).params if "--wide" in one.opts)
    return option


def _set_wide(wanted: bool) -> None:
    from planecast.cli.output import WIDE

    WIDE.wanted = wanted


class _Unloaded(TyperCommand):
    """A verb as the help shows it; it turns into the real command when it is to run."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return load_verb(str(self.name)).make_context(info_name, args, parent=parent, **extra)


class LazyGroup(TyperGroup):
    """The group of all verbs."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [verb for verb in VERBS if _there(verb)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in VERBS or not _there(cmd_name):
            return None
        return _Unloaded(name=cmd_name, callback=None, help=VERBS[cmd_name])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # What the base class looks for the nearest name in.
        self.commands = {verb: self.get_command(ctx, verb) for verb in self.list_commands(ctx)}
        return super().resolve_command(ctx, args)
