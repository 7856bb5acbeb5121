"""Which points of a study this machine can measure; the others are left out, with reasons."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.errors import InputError
from planecast.host import Root
from planecast.host.lcore_order import lcore_order
from planecast.host.memory import large_pages
from planecast.scenario.cpus import format_cpus, parse_cpus
from planecast.scenario.host_cpus import cpus_here, neighbour_cpus
from planecast.scenario.points import PointValue, point_label, value_if_any
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Study

Points = tuple[dict[str, PointValue], ...]


def possible(study: Study, root: Root | None = None) -> tuple[Study, tuple[str, ...]]:
    """The study without the points that need what isn't here, and why each was left out.

    What the base itself needs is no reason: then nothing could be measured, and measuring says so.
    """
    root = root or Root()
    order = lcore_order(root)
    usual = set(_lacking(study.scenario, root, order))
    skipped: list[str] = []

    def kept(points: Points) -> Points:
        found = []
        for point, scenario in zip(points, study.scenarios(points), strict=True):
            why = [reason for reason in _lacking(scenario, root, order) if reason not in usual]
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


def _lacking(scenario: Scenario, root: Root, order: tuple[int, ...]) -> Sequence[str]:
    """What of it this machine doesn't have, as sentences."""
    found = []
    try:
        needed = {*cpus_here(scenario, order), *neighbour_cpus(scenario, order)}
    except InputError as error:
        return [error.what]
    online = root.text("sys/devices/system/cpu/online").strip()
    absent = needed.difference(parse_cpus(online)) if online else ()
    if absent:
        found.append(f"there is no CPU {format_cpus(sorted(absent))} on this machine")
    pages = value_if_any(scenario, "placement.page_size") or "auto"
    if pages != "auto" and not large_pages(root):
        found.append(
            "no 2 MiB pages are available (none are reserved, transparent ones are off), so all "
            "points have 4 KiB ones" + ("" if pages == "4KiB" else f", not {pages}")
        )
    return found
