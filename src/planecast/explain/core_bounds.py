"""Frontend and speculation without counters: bounds from what single steps saw of the code.

What instructions take beyond the issue width with every line near is one number of the model,
`core`. Of it fetching can't take more than the code's windows, jumps and decoding need, and
speculation not more than a predictor of long ago would have mispredicted, each time with all that
the reorder buffer holds thrown away. Below, both may be nothing. Their values are the centre of
what is possible, no best guess.

Sources of the widths and penalties: the catalogue's microarchitecture. Left out of fetching are
length-changing prefixes, microcode and the code's TLB; out of speculation machine clears.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planecast.cache_line import LINE_BYTES
from planecast.explain.core import Core, Frontend
from planecast.explain.estimates import bounded_cycles
from planecast.explain.explain_input import Case
from planecast.explain.explanation import CauseCycles, Causes, Explanation, StageExplanation
from planecast.explain.stall_causes import (
    BOUNDS,
    CORE_REST,
    CORES_OWN,
    FETCH,
    SPECULATION,
    in_order,
)
from planecast.results.arithmetic import together, total
from planecast.results.estimate import Estimate
from planecast.workload.counts import CodeCounts, StageInstructions
from planecast.workload.profile import counts_of

_WIDE_BYTES = 32


@dataclass(frozen=True)
class Code:
    """Counted code, and the core that runs it."""

    counts: CodeCounts
    burst: int
    frontend: Frontend
    slots: float
    """Instructions that the core issues a cycle."""
    tsc_per_core: float
    """TSC cycles of a core cycle."""

    @property
    def fits(self) -> bool:
        """Whether all of it stays in the first level of cache."""
        return LINE_BYTES * self.counts.lines <= self.frontend.code_bytes

    def fetching(self, stage: str, instructions: float) -> float:
        """TSC cycles a packet that fetching and decoding take beyond the issue width at most, each
        window and each jump waited for; without end where the code doesn't fit."""
        core, counts = self.frontend, self.counts
        wide = core.fetch_bytes >= _WIDE_BYTES
        windows = self._at(counts.windows_32 if wide else counts.windows_16, stage)
        needed = windows + core.taken_branch_cycles * self._at(counts.jumps, stage)
        beyond = needed + instructions / core.decode_width - instructions / self.slots
        return self.tsc_per_core * beyond if self.fits else float("inf")

    def thrown_away(self, stage: str) -> float:
        """TSC cycles a packet that mispredictions take at most."""
        each = self.frontend.mispredict_cycles + self.frontend.reorder_buffer / self.slots
        return self.tsc_per_core * each * self._at(self.counts.mispredictions, stage)

    def _at(self, counted: Mapping[str, StageInstructions], stage: str) -> float:
        return max(0.0, counted[stage].at(self.burst))


def code_of(case: Case, core: Core | None) -> Code | None:
    """The scenario's code as single steps saw it, on the calibrated machine; None where nobody
    stepped it, or the core's frontend isn't known."""
    calibration = case.calibration
    if calibration is None or core is None or core.frontend is None:
        return None
    counted = case.counts or counts_of(case.scenario.stages, calibration.instructions)
    own = set(case.scenario.all_stages)
    machine = calibration.hierarchy
    for counts in (counted.code, case.code):
        if counts is not None and own <= counts.mispredictions.keys():
            return Code(
                counts=counts,
                burst=case.scenario.placement.burst,
                frontend=core.frontend,
                slots=core.slots,
                tsc_per_core=machine.tsc_per_core_cycle,
            )
    return None


def notes_of(case: Case, code: Code) -> list[str]:
    """What a reader should know of the bounds."""
    found = [
        "frontend and speculation are bounds: from zero to what the counted code can lose, the "
        "values their midpoints"
    ]
    if code.counts is case.code:
        found.append(f"the code was counted by {case.code_by}")
    if not code.fits:
        found.append("the code does not fit in the L1 instruction cache: fetching has no bound")
    return found


def with_core_bounds(explained: Explanation, code: Code) -> Explanation:
    """The explanation with frontend and speculation taken out of the core's own cycles."""
    stages = tuple(_stage(stage, code) for stage in explained.stages)
    whole = {part.cause: part.cycles for part in explained.causes}
    for cause in BOUNDS:
        summed = together(
            part.cycles for stage in stages for part in stage.causes if part.cause == cause
        )
        if summed is not None:
            whole[cause] = bounded_cycles(summed.value, min(summed.high or 0.0, _most(whole)))
    return explained.model_copy(update={"stages": stages, "causes": _left(whole)})


def _stage(stage: StageExplanation, code: Code) -> StageExplanation:
    parts = {part.cause: part.cycles for part in stage.causes}
    counted = stage.stage in code.counts.mispredictions and stage.instructions is not None
    if not counted or stage.instructions is None or not any(c in parts for c in CORES_OWN):
        return stage
    most = _most(parts)
    fetch = min(code.fetching(stage.stage, stage.instructions.value), most)
    speculation = min(code.thrown_away(stage.stage), most)
    core = parts[CORE_REST].value if CORE_REST in parts else 0.0
    values = centre(fetch, speculation, core)
    parts[FETCH], parts[SPECULATION] = (
        bounded_cycles(values[0], fetch),
        bounded_cycles(values[1], speculation),
    )
    return stage.model_copy(update={"causes": _left(parts)})


def centre(first: float, second: float, room: float) -> tuple[float, float]:
    """The centre of all (x, y) from nothing to `first` and to `second` with x + y within `room`."""
    a, b = min(first, room), min(second, room)
    beyond = max(0.0, a + b - room)
    area = a * b - beyond**2 / 2
    if area <= 0:
        return a / 2, b / 2
    moments = (length * a * b / 2 - beyond**2 / 2 * (length - beyond / 3) for length in (a, b))
    x, y = moments
    return x / area, y / area


def _most(parts: Mapping[str, Estimate]) -> float:
    """What the core's own causes take at most."""
    own = total(parts[cause] for cause in CORES_OWN if cause in parts)
    return max(0.0, (own.high or own.value)) if own else 0.0


def _left(parts: Mapping[str, Estimate]) -> Causes:
    """The parts with the core's as what frontend and speculation leave of it."""
    found, taken = dict(parts), [parts[c] for c in BOUNDS if c in parts]
    core = parts.get(CORE_REST)
    if core is not None:
        value = max(0.0, core.value - sum(part.value for part in taken))
        least = (core.low or 0.0) - sum(part.high or 0.0 for part in taken)
        found[CORE_REST] = core.model_copy(
            update={"value": value, "low": min(value, max(0.0, least)), "kind": "computed"}
        )
    return tuple(CauseCycles(cause=name, cycles=found[name]) for name in in_order(set(found)))
