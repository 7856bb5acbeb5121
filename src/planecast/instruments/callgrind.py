"""Instrument callgrind: instructions a packet by stage, counted by valgrind.

Exact and repeatable, on any machine; but valgrind knows no AVX-512, so code that chooses its SIMD
width at run time is counted as it would run with AVX2, and a string instruction with a rep prefix
counts once for each iteration. Only threads that run a stage are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.instruments.callgrind_output import CallgrindProfile, join_threads, parse_callgrind
from planecast.instruments.tool import find_valgrind, run_tool
from planecast.workload.counts import RawCounts, stage_of

INSTRUCTION_SET = "up to AVX2: valgrind hides AVX-512"
_CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=33554432,16,64")


def callgrind_words(output: Path, *more: str) -> list[str]:
    """Words before a program's command that count it into `output`, with `more` options.

    Without vgdb, whose pipes stay behind when it is killed. Raises MissingError without valgrind.
    """
    return [
        find_valgrind(),
        "--tool=callgrind",
        "--quiet",
        "--vgdb=no",
        "--instr-atstart=no",
        "--separate-threads=yes",
        *more,
        f"--callgrind-out-file={output}",
    ]


def callgrind_command(program: Sequence[str], output: Path, cache_sim: bool = False) -> list[str]:
    """The command line that profiles `program` into `output`.

    The simulated caches are always named, for valgrind misreads some that it looks up. Raises
    MissingError without valgrind.
    """
    return [*callgrind_words(output, *(_CACHES if cache_sim else ())), *program]


def profile_run(
    program: Sequence[str], *, cache_sim: bool = False, timeout_s: float = 600.0
) -> CallgrindProfile:
    """Runs a program under callgrind. Raises MissingError without valgrind, RunError on failure."""
    with private_folder() as folder:
        output = Path(folder) / "callgrind.out"
        run_tool(callgrind_command(program, output, cache_sim), timeout_s)
        # A file a thread: callgrind.out-01 and so on; callgrind.out itself stays empty.
        return join_threads(_parse(file) for file in sorted(Path(folder).iterdir()))


def _parse(file: Path) -> CallgrindProfile:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return parse_callgrind(lines)


def stage_costs(profile: CallgrindProfile) -> dict[str, list[int]]:
    """Cost by stage and event: what it ran and called, without other stages that it called.

    Calls of a stage by itself are part of its own cost already.
    """
    costs: dict[str, list[int]] = {}
    for ((caller, _), (callee, _)), cost in profile.inclusive.items():
        outer, inner = stage_of(caller), stage_of(callee)
        if inner is None or inner == outer:
            continue
        _add(costs, inner, cost)
        if outer is not None:
            _add(costs, outer, [-part for part in cost])
    return costs


def raw_counts(profile: CallgrindProfile) -> RawCounts:
    """Instructions of a run."""
    at = profile.events.index("Ir")
    functions: dict[tuple[str, str], int] = {}
    for (name, where), cost in profile.exclusive.items():
        key = (name.partition("'")[0], where)
        functions[key] = functions.get(key, 0) + cost[at]
    return RawCounts(
        total=profile.totals[at],
        stages={name: cost[at] for name, cost in stage_costs(profile).items()},
        functions=functions,
    )


def _add(costs: dict[str, list[int]], stage: str, cost: Iterable[int]) -> None:
    parts = list(cost)
    before = costs.get(stage, [0] * len(parts))
    costs[stage] = [a + b for a, b in zip(before, parts, strict=True)]
