"""The files that a verb writes: none twice, none over what is read, none named as what it isn't."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from planecast.cli.shared.option_rules import Typed, choices_of, label_of, listed
from planecast.errors import InputError

_NAMES = {"table": ".txt", "prometheus": ".prom"}
"""How a file of a format is named; others as the format."""


class Written:
    """The option names a file that is written."""


class Page:
    """The option's file is a page where its name ends in .html: where one of the conditions
    `given` holds, if there are any, and none of `unless`."""

    def __init__(self, *given: str, unless: tuple[str, ...] = ()) -> None:
        self.given = given
        self.unless = unless

    def holds(self, typed: Typed) -> bool:
        """Whether a page is made of what was typed."""
        made = not self.given or any(map(typed.holds, self.given))
        return made and not any(map(typed.holds, self.unless))


def check_files(typed: Typed, rules: Mapping[str, tuple[Any, ...]]) -> None:
    """Check, before the work, where an answer is to go. Raises InputError for a file that is named
    twice or is read, too, for a name of a format that the verb doesn't write, and for what a format
    can't be."""
    _refuse_twice(typed, rules)
    asked, output = typed.option("--format"), typed.option("--output")
    if asked is None or output is None:
        return
    from planecast.cli.shared.output import check_format, chosen_format

    path, form = typed.value(output), typed.value(asked)
    by_name = "table"
    if path is not None and not typed.given(asked):
        by_name = _by_name(path, typed, asked, rules.get(str(output.name), ()))
    chosen = chosen_format(form, path)
    check_format(chosen, path)
    wide = typed.option("--wide")
    if wide is not None and typed.given(wide) and (by_name, chosen) != ("table", "table"):
        raise InputError("only a table has a width", "--wide", "leave it out")


def _by_name(path: Path, typed: Typed, asked: Any, rules: tuple[Any, ...]) -> str:
    """The format that a file's name ends in: html of a page, table of no known one. Raises
    InputError for one that the answer is not written in."""
    from planecast.cli.shared.output import chosen_format, is_page

    found = "html" if is_page(path) else chosen_format(None, path)
    pages = [one for one in rules if isinstance(one, Page)]
    known = (
        any(one.holds(typed) for one in pages) if found == "html" else found in choices_of(asked)
    )
    if not known and found != "table":
        names = [_NAMES.get(one, f".{one}") for one in choices_of(asked)]
        more = " (planecast report makes a page of a run)" if found == "html" else ""
        raise InputError(
            f"this answer is not written as {path.suffix}",
            f"--output {path}",
            f"end the name in {listed(names)}{more}",
        )
    return found


def _refuse_twice(typed: Typed, rules: Mapping[str, tuple[Any, ...]]) -> None:
    from planecast.results.atomic import written_through

    seen: dict[Path, tuple[str, Path]] = {}
    for parameter in typed.parameters:
        path = typed.value(parameter)
        if not _is_written(parameter, rules) or path is None or written_through(path):
            continue
        there, label = path.resolve(), label_of(parameter)
        if there in seen:
            raise InputError(
                f"it is the file of {seen[there][0]}, too", f"{label} {path}", "name another one"
            )
        seen[there] = label, path
    for parameter in typed.parameters:
        if _is_written(parameter, rules):
            continue
        for read in _files_in(typed.value(parameter)):
            if read in seen:
                what = f"it would be written over what {label_of(parameter)} reads"
                option, path = seen[read]
                raise InputError(what, f"{option} {path}", "name another one")


def _is_written(parameter: Any, rules: Mapping[str, tuple[Any, ...]]) -> bool:
    return any(isinstance(one, Written) for one in rules.get(str(parameter.name), ()))


def _files_in(value: Any) -> Iterator[Path]:
    """The files that are there, of those that a value may name."""
    for one in value if isinstance(value, list | tuple) else (value,):
        if isinstance(one, str | Path) and str(one):
            with suppress(OSError, ValueError):  # no path at all
                if Path(one).is_file():
                    yield Path(one).resolve()
