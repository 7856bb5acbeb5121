"""The page as one HTML file that asks nobody for anything.

Plotly's script is in it once; the figures are JSON that one small script draws. A content security
policy in the page forbids every request, so that what the tests see holds in every browser.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from planecast.report.page import Page

_TEMPLATES = Path(__file__).parent / "template"


def page_html(page: Page) -> str:
    """The page as HTML. Everything in it is escaped but the project's own style and scripts."""
    from plotly.offline import get_plotlyjs

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["figure_json"] = lambda figure: _json(figure.to_plotly_json())
    environment.filters["data_json"] = _json
    return environment.get_template("report.html.j2").render(
        page=page,
        style=Markup(_own("style.css")),
        tables=Markup(_own("tables.js")),
        folds=Markup(_own("folds.js")),
        draw=Markup(_own("draw.js")),
        recorded_script=Markup(_own("recorded.js")),
        plotly=Markup(get_plotlyjs()) if page.has_figures else Markup(""),
    )


def _own(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _json(data: Any) -> Markup:
    """Data as JSON inside a script element, which nothing in a text can close."""
    text = json.dumps(data, default=list, allow_nan=False, sort_keys=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
