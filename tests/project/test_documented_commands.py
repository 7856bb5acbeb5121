"""Every command that the documents show: its verb, options and files are there.

Commands are parsed as the program parses them, and not run: those that are quick have tests of
their own next to their verbs, and the others take minutes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planecast.cli.lazy import load_verb
from planecast.cli.verbs import VERBS
from planecast.native import native_folder

REPOSITORY = Path(__file__).parent.parent.parent
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")])
_FENCE = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_INLINE = re.compile(r"`((?:sudo )?planecast[^`\n]*)`")
_COMMAND = re.compile(r"(?:sudo )?(?:\.venv/bin/)?(planecast|make)\b")


def shown() -> Iterator[tuple[str, str, bool]]:
    """Document, command, and whether it stands in full, to be copied."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(REPOSITORY))
        for block in _FENCE.findall(text):
            for line in re.sub(r"\\\n\s*", " ", block).splitlines():
                if _COMMAND.match(line):
                    yield name, line, True
        for command in _INLINE.findall(text):
            if re.match(r"(sudo )?planecast [a-z-]", command):
                yield name, command, False


COMMANDS = list(dict.fromkeys(shown()))


def words(command: str) -> list[str]:
    """Of a command: without sudo, path and comment."""
    plain = shlex.split(re.sub(r"\s+# .*", "", command).removeprefix("sudo "))
    return [word for word in plain if word != "…"]


def test_documents_show_commands() -> None:
    names = {document for document, _, _ in COMMANDS}
    assert {
        "README.md",
        "docs/how-to/otg.md",
        "docs/how-to/doctor.md",
        "docs/how-to/comparing.md",
    } <= names


@pytest.mark.parametrize(("document", "command", "full"), COMMANDS)
def test_a_documented_command_is_one(document: str, command: str, full: bool) -> None:
    program, *rest = words(command)
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
        assert set(rest) <= set(targets), document
        return
    if rest[0].startswith("-"):
        assert rest[0] in ("-h", "--help", "--version"), document
        return
    assert rest[0] in VERBS, f"{document}: there is no verb {rest[0]}"
    files = [word for word in rest if word.startswith(("scenarios/", "studies/"))]
    assert all((REPOSITORY / file).is_file() for file in files), document
    verb = load_verb(rest[0])
    if full:
        parse(verb, rest[0], rest[1:])
    else:
        known = {option for command in family(verb) for option in options(command)}
        assert {word.partition("=")[0] for word in rest if word[:2] == "--"} <= known, document


def parse(verb: Any, name: str, arguments: list[str]) -> None:
    """Raises click's own error for what the program would refuse."""
    context = verb.make_context(name, list(arguments))
    if hasattr(verb, "commands"):
        # What is left over is the subcommand and its words.
        left = [*context._protected_args, *context.args]
        found, below, rest = verb.resolve_command(context, left)
        assert below is not None
        below.make_context(found, rest, parent=context)


def family(verb: Any) -> list[Any]:
    return [verb, *getattr(verb, "commands", {}).values()]


def options(command: Any) -> list[str]:
    return ["--help", *(name for parameter in command.params for name in parameter.opts)]


def test_what_is_no_command_is_found() -> None:
    with pytest.raises(Exception, match="No such option: --margins"):
        parse(load_verb("compare"), "compare", ["A", "B", "--margins", "2"])
    with pytest.raises(Exception, match="No such command 'served'"):
        parse(load_verb("generator"), "generator", ["served"])


def test_documented_programs_are_built() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    named = set(re.findall(r"`(planecast-[a-z0-9-]+)(?: --keys)?`", text))
    assert "planecast-generator" in named
    if not (native_folder() / "planecast-dataplane").exists():
        pytest.skip("the native programs are not built")
    assert [name for name in sorted(named) if not (native_folder() / name).exists()] == []
