"""Instructions by stage of a program without stages of its own: callgrind's costs by stack.

Valgrind distinguishes functions by their callers (--separate-callers), so each cost comes with a
stack, and a stage map says whose it is. The hook's own costs are taken out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from planecast.errors import RunError
from planecast.instruments.callgrind import callgrind_words
from planecast.instruments.callgrind_output import CallgrindProfile
from planecast.instruments.window import HOOK_FUNCTION, HOOK_OBJECTS
from planecast.workload.counts import RawCounts
from planecast.workload.stage_map import Called, StageMap
from planecast.workload.traced.program_profile import SOURCE

CALLERS = 10
"""How many levels of a stack are shown: from a driver's memory copy to the program's loop."""


def stacks_words(output: Path) -> list[str]:
    """Words before a program's command that count it into `output`. Raises MissingError."""
    callers = f"--separate-callers={CALLERS}"
    return callgrind_words(output, callers, "--trace-children=yes")  # env becomes the program


def counts_by_stage(
    threads: Iterable[CallgrindProfile],
    stages: StageMap,
    names: Mapping[Called, str] | None = None,
    *,
    source: bool = False,
) -> RawCounts:
    """Instructions of the thread that polls the hooked port; those of the hook itself, and of what
    makes packets, as a stage `source`, or left out; what comes by time is left out. `names` are
    those of functions that have no symbol.

    Raises RunError when no thread does.
    """
    profile = next(
        (t for t in threads if any(_calls(HOOK_FUNCTION, n) for n, _ in t.exclusive)), None
    )
    if profile is None:
        raise RunError("callgrind saw no thread that polls the program's first port")
    objects = _objects(profile)
    at = profile.events.index("Ir")
    by_stage: dict[str, int] = defaultdict(int)
    functions: dict[tuple[str, str], int] = defaultdict(int)
    for (name, where), cost in profile.exclusive.items():
        stack = [_named(call, names or {}) for call in stack_of(name, where, objects)]
        stage = SOURCE if where in HOOK_OBJECTS else stages.stage_of(stack)
        if stage == SOURCE:
            by_stage[SOURCE] += cost[at] if source else 0
            continue
        if stage in stages.by_time:
            continue
        by_stage[stage] += cost[at]
        functions[stack[0].function, where] += cost[at]
    total = sum(functions.values()) + by_stage[SOURCE]
    by_stage.pop("other", None)
    if not source:
        del by_stage[SOURCE]
    return RawCounts(
        total=total,
        stages={name: by_stage[name] for name in stages.in_order(list(by_stage))},
        functions=dict(functions),
    )


def stack_of(name: str, where: str, objects: dict[str, str]) -> list[Called]:
    """A function's stack, innermost first, from callgrind's name of it: ``f'caller'its caller``.

    Levels of recursion (``f'2``) are left out; `objects` has the objects of the callers.
    """
    first, *callers = [part for part in name.split("'") if not part.isdigit()]
    return [Called(_short(first), where)] + [
        Called(_short(caller), objects.get(caller, "")) for caller in callers
    ]


def _named(call: Called, names: Mapping[Called, str]) -> Called:
    return call._replace(function=names.get(call, call.function))


def _calls(function: str, name: str) -> bool:
    """Whether a function is this one, or is called by it, however far up."""
    return function in name.split("'")


def _objects(profile: CallgrindProfile) -> dict[str, str]:
    """Object by function; a function that several have is of none."""
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [pair for call in profile.inclusive for pair in call]
    for name, where in (*profile.exclusive, *pairs):
        found[name.partition("'")[0]].add(where)
    return {name: next(iter(wheres)) for name, wheres in found.items() if len(wheres) == 1}


def _short(function: str) -> str:
    """An address without its leading zeros; one in a linkage table has more words."""
    address, _, words = function.partition(" ")
    return f"{hex(int(address, 16))} {words}".strip() if function.startswith("0x") else function
