"""Variation: which points of a survey this machine can measure, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from planecast.errors import InputError
from planecast.host.lcore_order import core_groups
from planecast.host.root import Root
from planecast.scenario.cpus import format_cpus
from planecast.scenario.dataplane import OWN
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario
from planecast.scenario.survey import Subject, Survey

_SAME_CLOCK = 0.02
"""Clocks that differ by less are the same."""


@dataclass(frozen=True)
class Case:
    """One point to be measured, or the reason why it can't."""

    subject: Subject
    threads: int
    cores: int
    flows: int
    ghz: float | None
    scenario: Scenario
    """With CPUs and flows as the point has them; the subject's own where it can't be."""
    why_not: str = ""


def cases(survey: Survey, allowed: Sequence[int], root: Root | None = None) -> Iterator[Case]:
    """Every point of a survey on the CPUs that are allowed, subject by subject.

    Where no clock can be fixed there is one more point, at the clock as it is.
    """
    here = root or Root()
    cores = core_groups(allowed, here)
    vary = survey.file.vary
    clocks: tuple[float | None, ...] = vary.ghz or (None,)
    if all(_no_clock(ghz, [group[0] for group in cores], here) for ghz in clocks):
        clocks = (*clocks, None)  # then at least at the clock that there is
    for subject, scenario in zip(survey.file.subjects, survey.scenarios, strict=True):
        for threads, count, ghz, flows in product(
            vary.threads, vary.cores, clocks, vary.flows or (None,)
        ):
            yield _case(subject, scenario, (threads, count, ghz, flows), cores, here)


def _case(
    subject: Subject,
    scenario: Scenario,
    point: tuple[int, int, float | None, int | None],
    cores: list[tuple[int, ...]],
    root: Root,
) -> Case:
    threads, count, ghz, flows = point
    try:
        found = scenario if flows is None else _with_flows(scenario, flows)
    except InputError as error:
        return Case(subject, threads, count, flows or 0, ghz, scenario, str(error))
    active = found.traffic.flows
    why = _no_threads(threads, cores) or _no_cores(subject, threads, count, cores)
    why = why or _no_clock(ghz, [group[0] for group in cores], root)
    if not why and scenario.dataplane.kind != "external":  # whose CPUs are its own
        cpus = _cpus(threads, count, cores)
        found = with_overrides(found, {"placement.cpus": format_cpus(cpus)})
    return Case(subject, threads, count, active, ghz, found, why)


def _with_flows(scenario: Scenario, flows: int) -> Scenario:
    """More flows than the tables have make the tables larger; fewer leave them."""
    if scenario.dataplane.kind != OWN:
        return with_overrides(scenario, {"traffic.flows": flows})
    tables = max(scenario.workload.flows, flows)
    return with_overrides(scenario, {"workload.flows": tables, "traffic.flows": flows})


def _no_threads(threads: int, cores: list[tuple[int, ...]]) -> str:
    if threads == 1 or any(len(group) > 1 for group in cores):
        return ""
    return (
        "two threads of a core: no CPU here shows a sibling (a virtual machine, or hyper-threading "
        "is off)"
    )


def _no_cores(subject: Subject, threads: int, count: int, cores: list[tuple[int, ...]]) -> str:
    able = [group for group in cores if len(group) >= threads]
    if subject.by == "search":
        if count * threads > 1:
            return (
                f"{count * threads} lcores: a memory interface has one queue, so a search feeds one"
            )
        if sum(len(group) for group in cores) < 2:
            return "a search needs a CPU for the generator, and this machine lends one in all"
        return ""
    if count > len(able):
        return f"{count} cores: this machine lends {len(able)}"
    return ""


def _cpus(threads: int, count: int, cores: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The last cores forward: the first one has interrupts, and a search's generator."""
    able = [group for group in cores if len(group) >= threads]
    chosen = able[-count:]
    return tuple(sorted(cpu for group in chosen for cpu in group[:threads]))


def _no_clock(ghz: float | None, cpus: list[int], root: Root) -> str:
    """Why a point at a clock can't be measured now; empty when the CPUs are fixed to it."""
    if ghz is None:
        return ""
    folder = f"sys/devices/system/cpu/cpu{cpus[-1]}/cpufreq"
    least = root.number(f"{folder}/scaling_min_freq")
    most = root.number(f"{folder}/scaling_max_freq")
    if least is None or most is None:
        return f"{ghz:g} GHz: the clock can't be fixed here (no cpufreq: a hypervisor sets it)"
    if all(abs(khz / 1e6 / ghz - 1) <= _SAME_CLOCK for khz in (least, most)):
        return ""
    return (
        f"{ghz:g} GHz: the CPUs run at {least / 1e6:g} to {most / 1e6:g}; fix them to it "
        f"(scaling_min_freq and scaling_max_freq to {ghz * 1e6:.0f}, turbo off) and run the survey "
        "again with --fill-from this run"
    )
