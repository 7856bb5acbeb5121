"""Pages of the repository's root in the site, with their links turned to it."""

from __future__ import annotations

import os
import re
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
PAGES = {
    "explanation/architecture.md": "ARCHITECTURE.md",
    "decisions/contributing.md": "CONTRIBUTING.md",
    "reference/changelog.md": "CHANGELOG.md",
}
"""Path in the site, file in the repository."""

_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]*)(#[^)]*)?\)")


def root_pages() -> dict[str, str]:
    """Path in the site and Markdown of each page."""
    return {
        path: inside(path, (REPOSITORY / name).read_text(encoding="utf-8"), Path())
        for path, name in PAGES.items()
    }


def inside(path: str, text: str, folder: Path) -> str:
    """Text of a page at `path` of the site whose links start at `folder` of the repository: links
    to pages lead to them, those to other files of the repository become plain code."""

    def turned(match: re.Match[str]) -> str:
        label, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if not target or ":" in target:
            return match.group(0)
        page = _page_of(Path(os.path.normpath(folder / target)))
        if page is not None:
            return f"[{label}]({os.path.relpath(page, Path(path).parent)}{anchor})"
        name = os.path.normpath(folder / target)
        return label if label.strip("`") == name else f"{label} (`{name}`)"

    return _LINK.sub(turned, text)


def _page_of(target: Path) -> str | None:
    """The site's page for a file or folder of the repository, if it has one."""
    for page, name in PAGES.items():
        if target == Path(name):
            return page
    if target.parts[:1] != ("docs",) or target.parts[1:2] == ("examples",):
        return None
    inner = Path(*target.parts[1:])
    return str(inner / "index.md" if not inner.suffix else inner)
