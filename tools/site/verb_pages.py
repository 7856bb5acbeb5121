"""Reference pages of the verbs, made from the options that the program itself parses."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.cli import get_docs_for_click

from planecast.cli.lazy import load_verb
from planecast.cli.verbs import GROUPS

FOLDER = "reference/verbs"


def verb_pages() -> dict[str, str]:
    """Path in the site and Markdown of a page for each verb, and of the list of them."""
    pages = {f"{FOLDER}/index.md": _index()}
    for verbs in GROUPS.values():
        for verb in verbs:
            pages[f"{FOLDER}/{verb}.md"] = verb_page(verb)
    return pages


def verb_page(verb: str) -> str:
    """Usage, arguments and options of a verb and of its subcommands."""
    command: Any = load_verb(verb)
    context = typer.Context(command, info_name=f"planecast {verb}")
    text = get_docs_for_click(obj=command, ctx=context, name=f"planecast {verb}")
    lines = [_escaped(line) for line in text.splitlines()]
    # typer's heading is code, which the navigation and the search show with its backquotes.
    return "\n".join([f"# {verb}", *lines[1:]]) + "\n"


def navigation() -> list[dict[str, str] | str | dict[str, list[dict[str, str]]]]:
    """The section of the verbs in the site's navigation, grouped as in the help."""
    groups = [
        {group: [{verb: f"{FOLDER}/{verb}.md"} for verb in verbs]}
        for group, verbs in GROUPS.items()
    ]
    return [f"{FOLDER}/index.md", *groups]


def _index() -> str:
    lines = [
        "# Verbs",
        "",
        "`planecast VERB --help` prints the same text. What each verb answers, and why close ones",
        "are separate: [the decision](../../decisions/verbs.md).",
        "",
    ]
    for group, verbs in GROUPS.items():
        lines += [f"## {group}", "", "| verb | |", "|---|---|"]
        lines += [f"| [`{verb}`]({verb}.md) | {line} |" for verb, line in verbs.items()]
        lines.append("")
    return "\n".join(lines) + "\n"


def _escaped(line: str) -> str:
    """A line of the help as Markdown: words in angle brackets are no tags, and no link is meant."""
    option = re.match(r"\* `[^`]*`", line)
    start = option.end() if option else 0
    rest = line[start:].replace("<", "&lt;").replace("[", "\\[")
    return line if line.startswith(("$ ", "```")) else line[:start] + rest
