"""The table of traced and described lines in ``docs/how-to/profile.md``.

    .venv/bin/python tools/site/traced_table.py

traces planecast's own functions, with the scenarios as shipped, for some minutes, and writes the
table.
"""

from __future__ import annotations

import sys

from page_table import REPOSITORY, write_table

from planecast.scenario import Scenario, load_scenario
from planecast.study.descriptor_misses import descriptor_misses
from planecast.study.traced_program import trace_once
from planecast.workload.traced.profile import TracedProfile

PAGE = REPOSITORY / "docs" / "how-to" / "profile.md"
FUNCTIONS = (
    *("vpe-upstream", "vpe-downstream", "ip4", "l2bridge", "l2patch", "macswap", "compute"),
)
SIZES = {"32 KiB": 512, "48 KiB": 768, "1 MiB": 16384, "32 MiB": 524288}
"""Lines of caches: first levels of today's cores, a second level, a last one."""
PACKETS = {"compute": 2048}
"""An iteration is thousands of instructions."""


def rows(name: str, scenario: Scenario, trace: TracedProfile) -> list[str]:
    """A row a stage, and the packet's sum: traced and described."""
    described = descriptor_misses(scenario, tuple(SIZES.values()))
    traced = {size: trace.misses(size) for size in SIZES.values()}
    stages = [*described, "other", "**packet**"]
    lines = []
    for stage in stages:
        cells = []
        for place, found in enumerate(traced.values()):
            if stage == "**packet**":
                both = sum(found.values()), sum(own[place] for own in described.values())
            else:
                both = found.get(stage, 0.0), described.get(stage, (0.0,) * len(SIZES))[place]
            cells.append(" / ".join(f"{value:.2f}" for value in both))
        lines.append(f"| {name if stage == stages[0] else ''} | {stage} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Traces, and writes the page."""
    lines = [
        f"| function | stage | {' | '.join(f'beyond {size}' for size in SIZES)} |",
        "|---|---|" + "---|" * len(SIZES),
    ]
    for name in FUNCTIONS:
        print(name, file=sys.stderr, flush=True)
        scenario = load_scenario(REPOSITORY / "scenarios" / f"{name}.yaml")
        lines += rows(name, scenario, trace_once(scenario, PACKETS.get(name)))
    write_table(PAGE, "traced", lines)


if __name__ == "__main__":
    main()
