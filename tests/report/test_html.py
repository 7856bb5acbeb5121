"""The HTML file: whole by itself, escaped, the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from planecast.report import report_html
from planecast.results import Result
from planecast.results.validation import Validation

EVIL = '</script><b onclick="x">&amp;'


def own_part(html: str) -> str:
    """The page without Plotly's script."""
    return re.sub(r"<script>/\*\*\n\* plotly\.js.*?</script>", "", html, flags=re.DOTALL)


def test_plotly_is_in_it_once_and_nothing_points_outside(validation: Validation) -> None:
    html = report_html(validation)
    own = own_part(html)
    assert len(html) - len(own) > 1_000_000
    assert "http" not in own.replace('http-equiv="Content-Security-Policy"', "")
    assert not re.search(r"""(src|href|action)\s*=\s*["']?[^"'#]""", own)
    assert "@import" not in own
    assert "url(" not in own


def test_without_figures_there_is_no_plotly(results: list[Result]) -> None:
    bare = results[0].model_copy(update={"stages": {}})
    html = report_html(bare)
    assert len(html) < 50_000
    assert "plotly.js" not in html


def test_every_text_is_escaped(make_validation: Callable[..., Validation]) -> None:
    whole = make_validation()
    manifest = whole.manifest.model_copy(
        update={
            "command": EVIL,
            "started_at": EVIL,
            "engine": EVIL,
            "host": {EVIL: EVIL, "cpu": EVIL},
            "versions": {EVIL: EVIL},
        }
    )
    point = whole.points[0]
    measured = point.measured.model_copy(
        update={
            "notes": (EVIL,),
            "drops": {EVIL: 5},
            "stages": {EVIL: point.measured.stages["acl"]},
        }
    )
    changed = point.model_copy(update={"label": EVIL, "reproduce": EVIL, "measured": measured})
    html = report_html(
        make_validation(
            study=EVIL,
            manifest=manifest,
            calibration={EVIL: next(iter(whole.calibration.values()))},
            points=(changed, *whole.points[1:]),
        ),
        partial=EVIL,
    )
    own = own_part(html)
    assert EVIL not in own
    assert "<b onclick" not in own
    assert own.count("&lt;/script&gt;&lt;b onclick=&#34;x&#34;&gt;&amp;amp;") > 12


def test_figures_are_json_that_holds_the_results(validation: Validation) -> None:
    html = report_html(validation)
    texts = re.findall(r'<script type="application/json" id="([\w-]+)">(.*?)</script>', html)
    figures = {name: json.loads(text) for name, text in texts}
    plots = re.findall(r'class="plot" id="([\w-]+)"', own_part(html))
    assert list(figures) == [f"{plot}-data" for plot in plots]
    traces = {trace["name"]: trace for trace in figures["measured-predicted-plot-data"]["data"]}
    expected = [
        point.measured.cycles_per_packet.value
        for point in validation.points
        if point.held_out and not point.extrapolates
    ]
    assert traces["held out"]["x"] == expected


def test_the_same_run_gives_the_same_bytes(make_validation: Callable[..., Validation]) -> None:
    assert report_html(make_validation()) == report_html(make_validation())
