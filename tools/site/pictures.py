"""The site's pictures: the figures of reports of recorded runs, as SVG in light and dark.

Each report is made by the program itself, from the runs in ``docs/examples`` and from answers that
the model and the simulator give by their calibration. Chromium draws the figures, by Kaleido.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import kaleido

REPOSITORY = Path(__file__).parent.parent.parent
EXAMPLES = REPOSITORY / "docs" / "examples"
EXPLAINED = next(EXAMPLES.glob("explain/runs/*-validate-vpe-upstream")).name
SCENARIO = "scenarios/vpe-upstream.yaml"
FLOWS = "traffic.flows=256,1024,4096,16384,65536"
VARIED = ["--vary", FLOWS, "--vary", "placement.burst=4,8,16,32,64"]

REPORTS: dict[str, list[list[str]]] = {
    "explanation": [["explain", f"{EXPLAINED}#3", "--against", f"{EXPLAINED}#1"]],
    "results": [["report", EXPLAINED]],
    "counters": [["explain", "--published", "l3fwd noHT"]],
    "predicted": [
        ["predict", SCENARIO, "--calibration", EXPLAINED, "--vary", FLOWS],
        ["report", "latest"],
    ],
    "sweep": [
        ["sweep", SCENARIO, "--calibration", EXPLAINED, "--workers", "1", *VARIED],
        ["report", "latest"],
    ],
}
"""By report: the commands that make it; the last one writes the page."""

WANTED = {
    "explanation-causes": ("explanation", "stage-causes"),
    "explanation-cycles": ("explanation", "cycles"),
    "explanation-steps": ("explanation", "steps-cause"),
    "results-stages": ("results", "stage-cycles"),
    "counters-tree": ("counters", "tree"),
    "predicted-throughput": ("predicted", "throughput"),
    "sweep-heat": ("sweep", "heat-0"),
}
"""By picture: the report, and the figure's id in it."""

WIDTH_PX = 900
_INK = {"light": "#1f2430", "dark": "#e4e7ee"}
_LINE = {"light": "#d5d9e2", "dark": "#434956"}
_FIGURE = re.compile(
    r'<script type="application/json" id="(?P<name>[\w-]+)-plot-data">(?P<json>.*?)</script>', re.S
)


def pictures() -> dict[str, bytes]:
    """Name (``<picture>-<scheme>.svg``) and SVG of each picture."""
    with tempfile.TemporaryDirectory(prefix="planecast-site-") as folder:
        figures = {report: _figures(report, Path(folder)) for report in REPORTS}
        made = [
            {
                "fig": _coloured(figures[report][anchor], scheme),
                "path": str(Path(folder, f"{name}-{scheme}.svg")),
                "opts": {"format": "svg", "width": WIDTH_PX},
            }
            for name, (report, anchor) in WANTED.items()
            for scheme in _INK
        ]
        kaleido.write_fig_from_object_sync(made)
        return {path.name: path.read_bytes() for path in Path(folder).glob("*.svg")}


def _figures(report: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Figures of a report by their id, as Plotly's JSON."""
    runs = folder / f"runs-{report}"
    shutil.copytree(EXAMPLES / "explain" / "runs", runs)
    page = folder / f"{report}.html"
    *before, last = REPORTS[report]
    for words in before:
        _run([*words, "--runs", str(runs)])
    own = [] if "--published" in last else ["--runs", str(runs)]
    _run([*last, *own, "-o", str(page)])
    found = _FIGURE.finditer(page.read_text(encoding="utf-8"))
    # A figure that a control of the page fills has no data of its own.
    return {match["name"]: json.loads(match["json"]) for match in found if match["json"]}


def _run(words: list[str]) -> None:
    command = [sys.executable, "-m", "planecast.cli.app", *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"planecast {' '.join(words)} failed: {done.stderr.strip()}")


def _coloured(figure: dict[str, Any], scheme: str) -> dict[str, Any]:
    """A figure with colours of text and grid, which a report takes from its style sheet."""
    layout = json.loads(json.dumps(figure["layout"]))
    layout["font"] = {**layout.get("font", {}), "color": _INK[scheme]}
    for name, axis in layout.items():
        if re.fullmatch(r"[xy]axis\d*", name):
            axis |= {"gridcolor": _LINE[scheme], "zerolinecolor": _LINE[scheme]}
    layout |= {"autosize": False, "width": WIDTH_PX}
    return {"data": figure["data"], "layout": layout}
