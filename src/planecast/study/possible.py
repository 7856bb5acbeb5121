"""Which points of a study this machine can measure; the others are left out, with reasons."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.host import Root
from planecast.host.memory import large_pages
from planecast.scenario.cpus import format_cpus, parse_cpus
from planecast.scenario.points import PointValue, point_label
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Study

Points = tuple[dict[str, PointValue], ...]


def possible(study: Study, root: Root | None = None) -> tuple[Study, tuple[str, ...]]:
    """The study without the points that need what isn't here, and why each was left out.

    What the base itself needs is no reason: then nothing could be measured, and measuring says so.
    """
    root = root or Root()
    usual = set(_lacking(study.scenario, root))
    skipped: list[str] = []

    def kept(points: Points) -> Points:
        found = []
        for point, scenario in zip(points, study.scenarios(points), strict=True):
            why = [reason for reason in _lacking(scenario, root) if reason not in usual]
            if why:
                skipped.append(f"left out {point_label(point)}: {'; '.join(why)}")
            else:
                found.append(point)
        return tuple(found)

    fewer = study.model_copy(
        update={
            "calibrate": kept(study.calibrate),
            "hold_out": kept(study.hold_out),
            "check": kept(study.check),
        }
    )
    return fewer, tuple(skipped)


def _lacking(scenario: Scenario, root: Root) -> Sequence[str]:
    """What of it this machine doesn't have, as sentences."""
    found = []
    needed = {*scenario.placement.cpus, *scenario.neighbour_cpus}
    online = root.text("sys/devices/system/cpu/online").strip()
    absent = needed.difference(parse_cpus(online)) if online else ()
    if absent:
        found.append(f"there is no CPU {format_cpus(sorted(absent))} on this machine")
    pages = scenario.placement.page_size
    if pages != "auto" and not large_pages(root):
        found.append(
            "no 2 MiB pages can be had (none are reserved, transparent ones are off), so all "
            "points have 4 KiB ones" + ("" if pages == "4KiB" else f", not {pages}")
        )
    return found
