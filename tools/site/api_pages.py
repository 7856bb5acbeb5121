"""Reference pages of the Python interface: a page a room, its modules by mkdocstrings."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "src" / "planecast"
FOLDER = "reference/api"

ROOMS = {
    "scenario": "Questions",
    "results": "Answers",
    "engines": "Engines: many scenarios in, as many results out",
    "model": "The cost model",
    "machine": "Mechanisms of a machine",
    "workload": "What a data plane does with a packet",
    "dataplanes": "Data planes",
    "generators": "Traffic generators and neighbours",
    "search": "Searches",
    "sweep": "Sweeps",
    "explain": "Explanations",
    "partition": "Partition",
    "study": "Studies: calibration and validation",
    "topdown": "Top-down metrics",
    "report": "Reports",
}
"""The rooms that a program may import, most used first."""


def api_pages() -> dict[str, str]:
    """Path in the site and Markdown of a page for each room, and of the list of them."""
    pages = {f"{FOLDER}/index.md": _index()}
    for room, title in ROOMS.items():
        pages[f"{FOLDER}/{room}.md"] = _room_page(room, title)
    return pages


def navigation() -> list[dict[str, str] | str]:
    """The section of the API in the site's navigation."""
    return [f"{FOLDER}/index.md", *({room: f"{FOLDER}/{room}.md"} for room in ROOMS)]


def _index() -> str:
    lines = [
        "# Python API",
        "",
        "Each room is a package `planecast.<room>`; the order of imports is in the",
        "[architecture](../../explanation/architecture.md).",
        "",
        "| room | |",
        "|---|---|",
        *(f"| [`{room}`]({room}.md) | {title} |" for room, title in ROOMS.items()),
    ]
    return "\n".join(lines) + "\n"


def _room_page(room: str, title: str) -> str:
    # Pages of people come first in the search.
    lines = ["---", "search:", "  boost: 0.4", "---", ""]
    lines += [f"# {room}", "", f"{title}. Package `planecast.{room}`.", ""]
    for file in sorted((PACKAGE / room).rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] == "__init__" or not _has_interface(file):
            continue
        lines += [f"## {'.'.join(parts[2:])}", "", f"::: {'.'.join(parts)}", ""]
        lines += ["    options:", "      show_root_heading: false"]
        lines += ["      show_root_toc_entry: false", ""]
    return "\n".join(lines) + "\n"


def _has_interface(file: Path) -> bool:
    """Whether a module defines something public."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    return any(
        isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
        for node in body
    )
