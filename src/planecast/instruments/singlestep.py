"""Instrument singlestep: instructions a packet by stage, counted natively one by one.

It sees what really runs, AVX-512 too, and needs neither counters nor valgrind; at fifty thousand
instructions a second the runs have to be short. A string instruction with a rep prefix counts once.
It alone sees what the frontend feels: where control goes, and which branches are hard to guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from planecast.cleanup import private_folder
from planecast.errors import RunError
from planecast.instruments.tool import run_tool
from planecast.native import how_to_build, native_program
from planecast.scenario.model import Noun
from planecast.workload.counts import (
    CODE_PARTS,
    STAGE_PREFIX,
    RawCounts,
    stage_of,
)

INSTRUCTION_SET = "native: all that this CPU has"


class _Tally(Noun):
    instructions: int
    mispredictions: int
    jumps: int
    windows_16: int
    windows_32: int


class _Stage(_Tally):
    calls: int


class _Function(Noun):
    name: str
    object: str
    instructions: int


class _Output(Noun):
    total: _Tally
    code_lines: int
    steps_per_second: float
    stages: dict[str, _Stage]
    functions: list[_Function]


def singlestep_command(program: Sequence[str], output: Path) -> list[str]:
    """The command line that steps `program` and writes counts to `output`."""
    tool = str(native_program("planecast-singlestep"))
    return [tool, "--symbols", STAGE_PREFIX, "--output", str(output), "--", *program]


def step_run(program: Sequence[str], *, timeout_s: float = 600.0) -> RawCounts:
    """Steps one program. Raises MissingError when the stepping program is not built or ptrace is
    not allowed, RunError when it fails or takes longer than `timeout_s` seconds."""
    with private_folder() as folder:
        output = Path(folder) / "counts.json"
        run_tool(singlestep_command(program, output), timeout_s)
        return parse_counts(output.read_text(encoding="utf-8", errors="replace"))


def parse_counts(text: str) -> RawCounts:
    """Reads what planecast-singlestep wrote. Raises RunError when this version can't."""
    try:
        found = _Output.model_validate_json(text)
    except ValidationError as error:
        raise RunError(
            "planecast-singlestep wrote malformed output",
            what_to_do=f"build it again with {how_to_build()}",
        ) from error
    functions: dict[tuple[str, str], int] = {}
    for function in found.functions:
        key = (function.name, function.object)
        functions[key] = functions.get(key, 0) + function.instructions
    stages: dict[str, int] = {}
    code = {what: {"total": int(getattr(found.total, what))} for what in CODE_PARTS}
    for symbol, stage in found.stages.items():
        name = stage_of(symbol) or symbol
        stages[name] = stages.get(name, 0) + stage.instructions
        for what, counted in code.items():
            counted[name] = counted.get(name, 0) + int(getattr(stage, what))
    return RawCounts(
        total=found.total.instructions,
        stages=stages,
        functions=functions,
        code=code,
        code_lines=found.code_lines,
    )
