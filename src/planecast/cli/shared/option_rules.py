"""Which options have an effect with which others: said at each option, checked in one place.

An option's annotation has its rules next to typer's::

    Annotated[str | None, typer.Option("--precision"), Needs("--engine simulate")]

A condition is written as it is typed: ``--series``, ``--engine simulate``, both of ``--published
--against``, ``--output *.html``, or an argument's value, ``probe``. Defaults count: where nobody
names a method, ``--method mlr`` holds. ``--dry-run`` has no rules: it is put behind a command that
is to be run otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from planecast.errors import InputError

ANSWER = ("--format", "--output", "--wide")
"""Options that say how an answer is written."""


class Needs:
    """The option has an effect where one of these conditions holds; `why`, in place of that."""

    def __init__(self, *any_of: str, why: str = "") -> None:
        self.any_of = any_of
        self.why = why


class Excludes:
    """The option has no effect where one of these conditions holds."""

    def __init__(self, *conditions: str) -> None:
        self.conditions = conditions


class Alone:
    """Where the option is given, only these others have an effect; `why`, in place of that."""

    def __init__(self, *others: str, why: str = "") -> None:
        self.others = others
        self.why = why


class Typed:
    """What was typed after a verb."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.parameters = list(context.command.params)

    def given(self, parameter: Any) -> bool:
        """Whether a person typed it."""
        source = self._context.get_parameter_source(str(parameter.name))
        return source is not None and source.name == "COMMANDLINE"

    def value(self, parameter: Any) -> Any:
        """Its value, typed or not."""
        return self._context.params.get(parameter.name)

    def option(self, name: str) -> Any:
        """The parameter of a name such as ``--format``; None where the verb has none."""
        found = (one for one in self.parameters if name in (*one.opts, *one.secondary_opts))
        return next(found, None)

    def holds(self, condition: str) -> bool:
        """Whether all parts of a condition hold."""
        return all(self._part_holds(name, wanted) for name, wanted in parts_of(condition))

    def _part_holds(self, name: str, wanted: str | None) -> bool:
        if not name:
            values = [self.value(one) for one in self.parameters if not one.opts[0].startswith("-")]
            return any(fnmatchcase(str(value), str(wanted)) for value in values)
        parameter = self.option(name)
        value = None if parameter is None else self.value(parameter)
        if wanted is not None:
            return value is not None and fnmatchcase(str(value), wanted)
        if parameter is not None and name in parameter.secondary_opts:
            return value is False
        return value is not None and value is not False and value not in ([], ())


def label_of(parameter: Any) -> str:
    """What a person calls a parameter: its long name, an argument as the help has it."""
    if parameter.opts[0].startswith("-"):
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name).strip("[]…").upper()


def choices_of(parameter: Any) -> tuple[str, ...]:
    """The values that a parameter takes; none where it takes others."""
    return tuple(map(str, parameter.type_descriptor.choices or ()))


def rules_of(command: Callable[..., Any]) -> Mapping[str, tuple[Any, ...]]:
    """What stands next to typer's part of each parameter's annotation, by its name."""
    parameters = inspect.signature(inspect.unwrap(command), eval_str=True).parameters
    found = {name: getattr(one.annotation, "__metadata__", ()) for name, one in parameters.items()}
    return {name: said for name, said in found.items() if said}


def check_options(typed: Typed, rules: Mapping[str, tuple[Any, ...]]) -> None:
    """Raises InputError for an option that can have no effect with what else was typed."""
    given = [one for one in typed.parameters if typed.given(one)]
    for rule, one in _of_kind(Alone, given, rules):
        other = next((o for o in given if o is not one and _stands_apart(o, rule)), None)
        if other is not None and typed.holds(label_of(one)):
            named = label_of(one)
            advice = f"leave it out with {named}" if rule.why else "leave it out"
            what = rule.why or f"it has no effect with {named}"
            raise InputError(what, label_of(other), advice)
    for rule, one in _of_kind(Needs, given, rules):
        if not any(map(typed.holds, rule.any_of)):
            words = _in_words(rule.any_of)
            several = "one of them" if len(rule.any_of) > 1 else "that"
            what = rule.why or f"it has no effect without {words}"
            advice = f"add {words if rule.why else several}, or leave it out"
            raise InputError(what, label_of(one), advice)
    for rule, one in _of_kind(Excludes, given, rules):
        clash = next(filter(typed.holds, rule.conditions), None)
        if clash is not None:
            raise InputError(f"it has no effect with {clash}", label_of(one), "leave it out")


def _stands_apart(other: Any, rule: Alone) -> bool:
    return label_of(other) not in rule.others


def _of_kind(
    kind: type[Any], given: list[Any], rules: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[Any, Any]]:
    for one in given:
        for rule in rules.get(str(one.name), ()):
            if isinstance(rule, kind):
                yield rule, one


def parts_of(condition: str) -> Iterator[tuple[str, str | None]]:
    """Name and value of each part; an argument has no name."""
    words = condition.split()
    while words:
        name = words.pop(0) if words[0].startswith("-") else ""
        yield name, (words.pop(0) if words and not words[0].startswith("-") else None)


def _in_words(conditions: tuple[str, ...]) -> str:
    """``--method latency, soak or --from``: an option's name stands once."""
    said: list[str] = []
    before = ""
    for condition in conditions:
        name, _, value = condition.partition(" ")
        said.append(value if name == before and value else condition)
        before = name
    return listed(said)


def listed(words: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
