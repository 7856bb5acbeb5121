"""What `predict` loads: nothing that starts programs or measures, which takes most of the time."""

from __future__ import annotations

import subprocess
import sys

SLOW = (
    "scipy.stats",
    "plotly",
    "duckdb",
    "planecast.dataplanes.dut_factory",
    "planecast.generators",
    "planecast.instruments.probe",
)


def test_the_closed_form_loads_nothing_that_measures() -> None:
    script = (
        "import sys; import planecast.cli.verbs.predict, planecast.study.calibration_run;"
        "import planecast.engines.solve, planecast.cli.tables.results;"
        f"print([name for name in {SLOW!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
