"""The columns of a result, each once: name, unit, format and meaning.

Every output that has a row or a figure per result reads `COLUMNS`: the terminal's table, CSV,
Parquet, `query`, `compare`, `history`, `report`, Prometheus, JSON Schema (`planecast schema
columns`) and docs/reference/columns.md. A new column is one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Literal

from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.scenario.schema import field_docs


class Form(Enum):
    """What a column holds."""

    ESTIMATE = "estimate"
    """Three stored columns: the value, and ``_low`` and ``_high``, its 95 % interval."""
    COUNT = "count"
    SHARE = "share"
    """0 to 1."""
    TEXT = "text"
    NUMBER = "number"
    """A whole number that is no quantity: a seed."""


_STORED = {
    Form.ESTIMATE: ("DOUBLE", "number"),
    Form.COUNT: ("BIGINT", "integer"),
    Form.SHARE: ("DOUBLE", "number"),
    Form.TEXT: ("VARCHAR", "string"),
    Form.NUMBER: ("BIGINT", "integer"),
}
"""Types in SQL and in JSON Schema."""


@dataclass(frozen=True)
class Column:
    """A column of a result."""

    name: str
    """Its key for machines, unit included: ``throughput_pps``."""
    form: Form
    unit: str = ""
    """Of the stored value."""
    title: str = ""
    """What reports and comparisons call it; empty for a column that they don't show."""
    header: str = ""
    """In a terminal's table, its unit as people read it; empty for one that isn't shown there."""
    scale: float = 1.0
    """Divides an estimate that people read, which is then in `header`'s unit."""
    detail: str = ""
    """Under the title in a report: what a count or a share is of."""
    better: Literal["", "higher", "lower"] = ""
    about_run: bool = False
    """Whether it says what made the result: `query` has it, the answer of one run doesn't."""
    said: str = ""
    """What it means; by default the docstring of the result's field."""
    of: Callable[[Result], Any] | None = None
    """Its value; by default the result's field of this name."""

    @property
    def meaning(self) -> str:
        """A sentence."""
        return self.said or field_docs(Result)[self.name]

    @property
    def is_metric(self) -> bool:
        """Whether it can be compared and followed: an estimate."""
        return self.form is Form.ESTIMATE

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of its stored columns."""
        ends = ("", "_low", "_high") if self.is_metric else ("",)
        return tuple(f"{self.name}{end}" for end in ends)

    def read(self, result: Result) -> Any:
        """Its value in a result: an Estimate, a number, text, or None."""
        return getattr(result, self.name) if self.of is None else self.of(result)

    def estimate(self, result: Result) -> Estimate | None:
        """Likewise, of a metric."""
        found = self.read(result)
        assert found is None or isinstance(found, Estimate)
        return found

    def people(self, result: Result) -> Estimate | None:
        """Likewise, in the unit that people read."""
        found = self.estimate(result)
        return None if found is None else self.shown(found)

    def shown(self, found: Estimate) -> Estimate:
        """An estimate of this metric in the unit that people read."""
        return found if self.scale == 1 else found.scaled(1 / self.scale, self.header)

    def stored(self, result: Result) -> dict[str, Any]:
        """Its stored columns with their values."""
        if not self.is_metric:
            return {self.name: self.read(result)}
        found = self.estimate(result)
        values = (None,) * 3 if found is None else (found.value, found.low, found.high)
        return dict(zip(self.keys, values, strict=True))


def _calibration(result: Result) -> str | None:
    basis = result.manifest.calibration
    return None if basis is None else basis.run


COLUMNS: tuple[Column, ...] = (
    Column(
        "throughput_pps", Form.ESTIMATE, "pps",
        title="throughput", header="Mpps", scale=1e6, better="higher",
    ),
    Column(
        "cycles_per_packet", Form.ESTIMATE, "cycles/packet",
        title="cycles", header="TSC cycles/packet", better="lower",
    ),
    Column(
        "instructions_per_packet", Form.ESTIMATE, "instructions/packet",
        title="instructions", header="instr./packet", better="lower",
    ),
    Column("ipc", Form.ESTIMATE, "instructions/cycle", title="IPC", better="higher"),
    Column(
        "samples", Form.COUNT, "samples", title="samples", header="windows", detail="trials",
        said="Samples behind the cycles per packet: windows, or simulated packets.",
        of=lambda result: result.cycles_per_packet.samples,
    ),
    Column(
        "kind", Form.TEXT, said="measured, simulated, computed or published.",
        of=lambda result: result.cycles_per_packet.kind,
    ),
    Column(
        "disturbed_share", Form.SHARE, "share",
        title="disturbed", header="disturbed", detail="% of trials",
    ),
    Column(
        "steady_share", Form.SHARE, "share",
        title="steady", header="steady", detail="% of visits",
    ),
    Column("capped_by", Form.TEXT, title="limited by", header="capped by"),
    Column("packets_in", Form.COUNT, "packets"),
    Column("packets_out", Form.COUNT, "packets"),
    Column(
        "dropped", Form.COUNT, "packets", said="Packets dropped, of all causes.",
        of=lambda result: sum(result.drops.values()),
    ),
    Column(
        "engine", Form.TEXT, about_run=True, said="The engine that answered.",
        of=lambda result: result.manifest.engine,
    ),
    Column(
        "calibration", Form.TEXT, about_run=True,
        said="The run of the calibration that the answer rests on.", of=_calibration,
    ),
    Column(
        "started_at", Form.TEXT, about_run=True, said="When the run began, UTC.",
        of=lambda result: result.manifest.started_at,
    ),
    Column(
        "seed", Form.NUMBER, about_run=True, said="The run's seed.",
        of=lambda result: result.manifest.seed,
    ),
    Column(
        "command", Form.TEXT, about_run=True, said="The command that made it.",
        of=lambda result: result.manifest.command,
    ),
)  # fmt: skip
"""Every column, in the order of tables."""


def metrics() -> dict[str, Column]:
    """The columns that are estimates, by name."""
    return {column.name: column for column in COLUMNS if column.is_metric}


def quantities() -> list[Column]:
    """What a monitoring system can plot."""
    return [c for c in COLUMNS if c.form in (Form.ESTIMATE, Form.COUNT, Form.SHARE)]


def in_terminal() -> list[Column]:
    """What a table in a terminal shows."""
    return [column for column in COLUMNS if column.header]


def in_report() -> list[Column]:
    """What a report's table shows."""
    return [column for column in COLUMNS if column.title]


def answer_keys() -> list[str]:
    """The stored columns of one run's answer."""
    return [key for column in COLUMNS if not column.about_run for key in column.keys]


def stored_row(result: Result) -> dict[str, Any]:
    """A result's stored columns with their values."""
    return {key: value for column in COLUMNS for key, value in column.stored(result).items()}


def sql_types() -> dict[str, str]:
    """The stored columns with their types in SQL."""
    return {key: _STORED[column.form][0] for column in COLUMNS for key in column.keys}


def columns_schema() -> Mapping[str, Any]:
    """The JSON Schema (2020-12) of a row of stored columns."""
    ends = {"_low": " Lower end of the 95 % interval.", "_high": " Upper end of the 95 % interval."}
    properties: dict[str, Any] = {}
    for column in COLUMNS:
        for key in column.keys:
            properties[key] = {
                "type": [_STORED[column.form][1], "null"],
                "description": column.meaning + ends.get(key.removeprefix(column.name), ""),
                **({"unit": column.unit} if column.unit else {}),
            }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A row a result: CSV, Parquet, and the view results of planecast query",
        "type": "object",
        "properties": properties,
    }


def columns_markdown() -> str:
    """The table of docs/reference/columns.md."""
    lines = ["| column | unit | meaning |", "|---|---|---|"]
    for column in COLUMNS:
        ends = ", `_low`, `_high`" if column.is_metric else ""
        meaning = " ".join(column.meaning.split())
        lines.append(f"| `{column.name}`{ends} | {column.unit} | {meaning} |")
    return "\n".join(lines) + "\n"
