"""Instructions by stage of a program without stages of its own: callgrind's costs by stack.

Valgrind distinguishes functions by their callers (--separate-callers), so each cost comes with a
stack, and a stage map says whose it is. The hook's own costs are taken out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from planecast.errors import RunError
from planecast.instruments.callgrind_output import CallgrindProfile
from planecast.instruments.tool import find_valgrind
from planecast.instruments.window import HOOK_FUNCTION, HOOK_OBJECT
from planecast.workload.counts import RawCounts
from planecast.workload.stage_map import Called, StageMap
from planecast.workload.traced.program_profile import SOURCE

CALLERS = 10
"""How many levels of a stack are shown: from a driver's memory copy to the program's loop."""


def stacks_words(output: Path) -> list[str]:
    """Words before a program's command that count it into `output`. Raises MissingError."""
    return [
        find_valgrind(),
        "--tool=callgrind",
        "--quiet",
        "--instr-atstart=no",
        "--separate-threads=yes",
        f"--separate-callers={CALLERS}",
        "--trace-children=yes",  # env and setpriv become the program
        f"--callgrind-out-file={output}",
    ]


def counts_by_stage(
    threads: Iterable[CallgrindProfile],
    stages: StageMap,
    names: Mapping[Called, str] | None = None,
    *,
    source: bool = False,
) -> RawCounts:
    """Instructions of the thread that polls the hooked port; those of the hook itself as a stage
    `source`, or left out. `names` are those of functions that have no symbol.

    Raises RunError when no thread does.
    """
    profile = next((t for t in threads if any(_polls(name) for name, _ in t.exclusive)), None)
    if profile is None:
        raise RunError("callgrind saw no thread that polls the program's first port")
    objects = _objects(profile)
    at = profile.events.index("Ir")
    by_stage: dict[str, int] = defaultdict(int)
    functions: dict[tuple[str, str], int] = defaultdict(int)
    for (name, where), cost in profile.exclusive.items():
        if where == HOOK_OBJECT:
            by_stage[SOURCE] += cost[at] if source else 0
            continue
        stack = [_named(call, names or {}) for call in stack_of(name, where, objects)]
        by_stage[stages.stage_of(stack)] += cost[at]
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


def _polls(name: str) -> bool:
    return HOOK_FUNCTION in name.split("'")


def _objects(profile: CallgrindProfile) -> dict[str, str]:
    """Object by function; a function that several have is of none."""
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [pair for call in profile.inclusive for pair in call]
    for name, where in (*profile.exclusive, *pairs):
        found[name.partition("'")[0]].add(where)
    return {name: next(iter(wheres)) for name, wheres in found.items() if len(wheres) == 1}


def _short(function: str) -> str:
    """An address without its leading zeros."""
    return hex(int(function, 16)) if function.startswith("0x") else function
