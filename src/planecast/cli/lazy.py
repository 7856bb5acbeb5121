"""The group of all verbs, which loads a verb's module when it is asked for.

Loading every verb for ``planecast --help`` would import numpy, scipy, DuckDB and Plotly: the help
is printed from the table in `planecast.cli.verbs` instead.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer._click.exceptions import NoArgsIsHelpError, UsageError
from typer.core import TyperCommand, TyperGroup

from planecast.cli.verbs import GROUPS, VERBS
from planecast.errors import InputError


def _check(context: Any) -> None:
    """Before a verb's work: options that have no effect, and files that can't be written so."""
    from planecast.cli.shared.option_rules import Typed, check_options, rules_of
    from planecast.cli.shared.output_files import check_files

    typed, rules = Typed(context), rules_of(context.command.callback)
    check_options(typed, rules)
    check_files(typed, rules)


class _Verb(TyperCommand):
    """A verb, or a command of one."""

    def invoke(self, ctx: Any) -> Any:
        _check(ctx)
        return super().invoke(ctx)


class _Verbs(typer.Typer):
    """What a verb's module is registered with."""

    def command(self, name: str | None = None, *, cls: Any = None, **more: Any) -> Any:
        return super().command(name, cls=cls or _Verb, **more)


class VerbGroup(TyperGroup):
    """A verb with commands of its own: its help has their first sentences whole."""

    def invoke(self, ctx: Any) -> Any:
        _check(ctx)
        return super().invoke(ctx)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(_WHOLE)) for name, one in self.commands.items()]
            )


_WHOLE = 1000
"""Characters that no first sentence has."""


def load_verb(verb: str) -> Any:
    """The command of a verb, its module imported."""
    from planecast.cli.shared.option_rules import choices_of

    app = _Verbs(
        cls=VerbGroup,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    module = importlib.import_module(f"planecast.cli.verbs.{verb}")
    if hasattr(module, "register"):
        module.register(app)
    else:
        app.command()(getattr(module, verb))
    command = typer.main.get_command(app)
    command.name = verb
    for one in (command, *getattr(command, "commands", {}).values()):
        if any("table" in choices_of(parameter) for parameter in one.params):
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
    from planecast.cli.shared.output import WIDE

    WIDE.wanted = wanted


class _Unloaded(TyperCommand):
    """A verb as the help shows it; it turns into the real command when it is to run. The context's
    object, if there is one, is called when the verb is loaded."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        verb = load_verb(str(self.name))
        if parent is not None and parent.obj is not None:
            parent.obj()
        return verb.make_context(info_name, args, parent=parent, **extra)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """A mistake on the command line is a sentence like any other, not a box."""
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except UsageError as error:
        said = " ".join(error.format_message().split()).rstrip(".")
        said = said.replace(". Did you", "; did you").replace(": Value error, ", ": ")
        path = error.ctx.command_path if error.ctx is not None else "planecast"
        verb = path.partition(" ")[2]
        raise InputError(f"{said[:1].lower()}{said[1:]}", verb, f"see {path} --help") from None


class LazyGroup(TyperGroup):
    """The group of all verbs."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with _one_sentence():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _one_sentence():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for verbs in GROUPS.values():
            if cmd_name in verbs:
                line = verbs[cmd_name]
                return _Unloaded(cmd_name, callback=None, help=line)
        return None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl(list(verbs.items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # What the base class looks for the nearest name in.
        self.commands = {verb: self.get_command(ctx, verb) for verb in VERBS}
        return super().resolve_command(ctx, args)
