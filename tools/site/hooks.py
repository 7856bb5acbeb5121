"""mkdocs hooks: the pages that are made from the code, and the pictures."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import api_pages
import key_pages
import pictures
import root_pages
import verb_pages
from mkdocs.structure.files import File, Files


def on_config(config: Any) -> Any:
    """Fill the parts of the navigation that have a page for each verb, room and note."""
    notes = sorted(Path(config["docs_dir"], "lab-notes").glob("*.md"), reverse=True)
    sections = {
        "Verbs": verb_pages.navigation(),
        "Python API": api_pages.navigation(),
        "Lab notes": [f"lab-notes/{note.name}" for note in notes],
    }
    for part in config["nav"]:
        for entries in part.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    entry.update(
                        {name: sections[name] for name, value in entry.items() if value == []}
                    )
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages and pictures."""
    pages = {
        **verb_pages.verb_pages(),
        **api_pages.api_pages(),
        **root_pages.root_pages(),
        key_pages.PATH: key_pages.key_page(),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for name, picture in pictures.pictures().items():
        files.append(File.generated(config, f"pictures/{name}", content=picture))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links out of docs/ (to studies, sources) into plain code: the site doesn't hold them."""
    folder = Path("docs") / Path(page.file.src_uri).parent
    outside = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)]*)?\)")

    def turned(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / match.group(2)))
        if target.parts[:1] == ("docs",) and target.parts[1:2] != ("examples",):
            return match.group(0)
        if page.file.src_uri in root_pages.PAGES:
            return match.group(0)
        return root_pages.inside(page.file.src_uri, match.group(0), folder)

    return outside.sub(turned, markdown)
