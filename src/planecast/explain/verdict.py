"""What limits a data plane, and how sure that is: sentences that the numbers carry."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.engines.measure.estimate import INSTANCES, ROTATES
from planecast.explain.explain_input import Case
from planecast.explain.explanation import Explanation
from planecast.explain.stall_causes import CORE_REST, UNEXPLAINED, Group, cause_of
from planecast.results.arithmetic import together, total
from planecast.results.estimate import Estimate
from planecast.results.result import Result

_GROUPS: dict[Group, str] = {
    "instructions": "the core's own work (issue width, dependencies, fetch, speculation)",
    "memory": "waiting for lines beyond L1",
    "stores": "waiting for stores",
}
_MUCH_DISTURBED = 0.5
_WIDE = 0.1
"""Half of a measured interval as a share of the value, from which on it says little of causes."""


def limits(explained: Explanation, result: Result | None) -> tuple[str, ...]:
    """What limits it: what set the rate, the group of causes, the most expensive stage."""
    found = [*_disturbance(explained, result)]
    whole = explained.cycles_per_packet
    if result is not None and result.capped_by not in (None, "core", "memory"):
        found.append(f"the {result.capped_by} sets the rate, not the cycles of the lcore")
    if result is not None and result.lcores:
        least = min(lcore.busy for lcore in result.lcores.values())
        if least < 0.99:
            found.append(f"some lcores are busy {least:.0%} of the time only: they lack load")
    groups = _groups(explained)
    timed = result is not None or explained.modelled is not None
    if groups and whole is not None and timed:
        name, cycles = max(groups.items(), key=lambda pair: pair[1].value)
        found.append(f"{_GROUPS[name]} takes {_share(cycles, whole)}")
        found += [
            f"{_GROUPS[other]} takes {_share(rest, whole)}"
            for other, rest in sorted(groups.items(), key=lambda pair: -pair[1].value)
            if other != name and rest.value >= 0.01 * whole.value
        ]
    stages = [s for s in explained.stages if s.cycles is not None]
    if stages and whole is not None:
        top_stage = max(stages, key=lambda s: s.cycles.value if s.cycles else 0.0)
        assert top_stage.cycles is not None
        found.append(
            f"the most expensive stage is {top_stage.stage}: {_share(top_stage.cycles, whole)}"
        )
    if result is not None:
        found += [note for note in result.notes if note.startswith(ROTATES)]
    counted = [s for s in explained.stages if s.instructions is not None]
    if not stages and counted:
        most = max(counted, key=lambda s: s.instructions.value if s.instructions else 0.0)
        assert most.instructions is not None
        found.append(
            f"most instructions are in {most.stage}: {most.instructions.value:.1f} a packet; what "
            "they cost was not measured"
        )
    return tuple(found) or ("what limits it is unknown from this input",)


def _disturbance(explained: Explanation, result: Result | None) -> Iterator[str]:
    """Before any cause: a disturbed run's cycles are not the data plane's alone."""
    if result is None:
        return
    share = result.disturbed_share or 0.0
    differ = next((note for note in result.notes if note.startswith(INSTANCES)), None)
    if differ is not None and _half_width(result.cycles_per_packet) > _WIDE:
        yield (
            f"{differ}: what differs between starts of the program, such as where its memory lies "
            "or who uses the machine, is in the cycles, too: measure with more --restarts"
        )
    if share <= _MUCH_DISTURBED and not result.few_windows:
        return
    unexplained = next((p for p in explained.causes if p.cause == UNEXPLAINED), None)
    which = "what is not explained" if unexplained is not None else "a part of the cycles"
    too_few = ", with too few others" if result.few_windows else ""
    yield (
        f"the run was disturbed: {share:.0%} of its windows{too_few}; "
        f"{which} may be the disturbance: measure again on a quieter machine (planecast doctor)"
    )


def _half_width(cost: Estimate) -> float:
    low, high = cost.interval or (cost.value, cost.value)
    return (high - low) / 2 / cost.value


def _groups(explained: Explanation) -> dict[Group, Estimate]:
    """Cycles by group of causes, of the groups that can limit."""
    found: dict[Group, Estimate] = {}
    if not any(part.cause == CORE_REST for part in explained.causes):
        return found  # the issue width alone does not show what limits
    for group in _GROUPS:
        parts = [p.cycles for p in explained.causes if cause_of(p.cause).group == group]
        summed = total(parts) if explained.modelled is not None else _within(parts, explained)
        if summed is not None:
            found[group] = summed
    return found


def _within(bounded: list[Estimate], explained: Explanation) -> Estimate | None:
    """Bounds together: each level's may be all of a stage, all levels' no more than the whole."""
    summed, whole = together(bounded), explained.cycles_per_packet
    if summed is None or whole is None:
        return summed
    most = max(summed.value, min(summed.high or 0.0, whole.high or whole.value))
    return summed.model_copy(update={"high": most})


def _share(cycles: Estimate, whole: Estimate) -> str:
    interval = ""
    if cycles.interval is not None:
        low, high = cycles.interval
        interval = f" [{low:.1f}, {high:.1f}]"
    if cycles.value > whole.value:  # modelled of what was measured
        return (
            f"all of the cycles: {cycles.value:.1f}{interval} a packet by the model, of "
            f"{whole.value:.1f} {whole.kind}"
        )
    return f"{cycles.value / whole.value:.0%} of the cycles, {cycles.value:.1f}{interval} a packet"


def _agreement(said: Estimate, whole: Estimate) -> str:
    """Whether what the model says and what was measured can both be right."""
    if said.covers(whole.value):
        return "inside its 95 % interval"
    if said.interval is None or whole.interval is None:
        overlap = whole.covers(said.value)
    else:
        overlap = said.interval[0] <= whole.interval[1] and whole.interval[0] <= said.interval[1]
    if overlap:
        return (
            "outside its 95 % interval, but the measured one overlaps it: the measurement is too "
            "uncertain to decide"
        )
    return "outside its 95 % interval: trust the causes less than the measured stages"


def certainty(explained: Explanation, case: Case) -> tuple[str, ...]:
    """How sure the verdict is: do the groups' intervals part, does the model meet the measured?"""
    found = []
    groups = sorted(_groups(explained).values(), key=lambda e: -e.value)
    if len(groups) > 1:
        first, second = groups[0], groups[1]
        apart = (first.low or first.value) > (second.high or second.value)
        found.append(
            "which group is the largest is clear: its interval lies above the next one's"
            if apart
            else "which group is the largest is not clear: the intervals overlap"
        )
    said, whole = explained.modelled, explained.cycles_per_packet
    if whole is not None and whole.kind == "computed" and case.result is not None:
        found.append("nothing was measured: the cycles are the model's own")
    elif said is not None and whole is not None and whole is not said and case.result is not None:
        miss = 100 * (said.value / whole.value - 1)
        found.append(
            f"the model says {said.value:.1f} cycles where {whole.value:.1f} were {whole.kind} "
            f"({miss:+.1f} %), {_agreement(said, whole)}"
        )
    if case.result is None and explained.modelled is None:
        found = ["which group is the largest is not known: nothing was timed"]
        if explained.cycles_per_packet is not None:
            found.append(
                "cycles are the least that the counted instructions can take at the issue width, "
                "and what a trace shows of waiting"
            )
    elif not groups:
        found.append("no causes are known: the measured values are as certain as their intervals")
    elif explained.modelled is None:
        found.append(
            "stalls are bounds, no model is calibrated for this function: trust their upper ends, "
            "and the measured stages"
        )
    return tuple(found)
