"""The table of instructions by stage of programs of others in ``docs/how-to/profile.md``.

    .venv/bin/python tools/site/stage_table.py

counts l3fwd, testpmd and Open vSwitch, with the scenarios as shipped, for some minutes, and writes
the table again.
"""

from __future__ import annotations

import sys

from page_table import REPOSITORY, write_table

from planecast.scenario import load_scenario, with_overrides
from planecast.study.counted_program import count_program

PAGE = REPOSITORY / "docs" / "how-to" / "profile.md"
BURSTS = (8, 32)
PROGRAMS = {
    "testpmd io": ("testpmd-io", {}),
    "testpmd macswap": ("testpmd-io", {"dataplane.mode": "macswap"}),
    "l3fwd": ("l3fwd", {}),
    "Open vSwitch": ("ovs-l2xc", {}),
}


def rows(name: str, file: str, changes: dict[str, object]) -> list[str]:
    """A row a stage: instructions a packet in bursts of 32, and of 8."""
    base = load_scenario(REPOSITORY / "scenarios" / f"{file}.yaml")
    counts = count_program(with_overrides(base, {**changes, "placement.cpus": "0"}), BURSTS)
    found = []
    for number, stage in enumerate([*counts.stages, "other", "total"]):
        part = counts.part(stage)
        cells = " | ".join(f"{part.at(burst):.1f}" for burst in reversed(BURSTS))
        shown = f"**{stage}**" if stage == "total" else stage
        found.append(f"| {'' if number else name} | {shown} | {cells} |")
    return found


def main() -> None:
    """Counts, and writes the page."""
    lines = ["| program | stage | in bursts of 32 | of 8 |", "|---|---|---|---|"]
    for name, (file, changes) in PROGRAMS.items():
        print(name, file=sys.stderr, flush=True)
        lines += rows(name, file, dict(changes))
    write_table(PAGE, "counted", lines)


if __name__ == "__main__":
    main()
