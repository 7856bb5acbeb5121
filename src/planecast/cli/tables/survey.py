"""A survey as a table: one line a data plane and setting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.results import Estimate, SurveyAnswer, SurveyPoint

_COLUMNS = (
    Column("label", "data plane"),
    Column("setting", "setting"),
    Column("pps", "Mpps", number=True),
    Column("cycles_per_packet", "CPP", number=True),
    Column("instructions_per_packet", "IPP", number=True),
    Column("ipc", "IPC", number=True),
    Column("split", "I/O + processing + other", number=True),
    Column("capped_by", "capped by"),
)


def survey_sheet(answer: SurveyAnswer, run: Path, page: Path) -> Sheet:
    """The table of all points, then what was not varied, then where it is."""
    rows = [_row(point) for point in answer.points if point.measured]
    cells = [_cells(point) for point in answer.points if point.measured]
    notes = []
    if answer.coremark is not None:
        score = answer.coremark
        notes.append(f"CoreMark: {score.iterations_per_s:,.0f} iterations/s ({score.program})")
    notes += [f"not varied: {why}" for why in answer.not_varied]
    notes += [*answer.notes, f"run: {run}", f"report: {page}"]
    title = f"{answer.question} {answer.document}".strip()
    return Sheet(_COLUMNS, rows, cells, answer, title=title, notes=notes)


def setting_text(point: SurveyPoint) -> str:
    """What was varied, in words."""
    words = [f"{point.cores} core{'s' if point.cores > 1 else ''}"]
    words.append("HT" if point.threads == 2 else "noHT")
    words.append(f"{point.flows:,} flows")
    if point.ghz is not None:
        words.append(f"{point.ghz:g} GHz")
    return ", ".join(words)


def _row(point: SurveyPoint) -> dict[str, Any]:
    def value(estimate: Estimate | None) -> float | None:
        return None if estimate is None else estimate.value

    split = point.split
    return {
        "label": point.label,
        "setting": setting_text(point),
        "pps": point.pps,
        "cycles_per_packet": value(point.cycles_per_packet),
        "instructions_per_packet": value(point.instructions_per_packet),
        "ipc": value(point.ipc),
        "split": None if split is None else f"{split.io}+{split.processing}+{split.other}",
        "capped_by": point.capped_by,
    }


def _cells(point: SurveyPoint) -> dict[str, str]:
    split = point.split
    name = next((name for name in ("throughput", "NDR", "PDR", "MRR") if name in point.rates), "")
    return {
        "label": point.label,
        "setting": setting_text(point),
        "pps": f"{estimate_text(point.rates[name], 1e6)} {name}" if name else "–",
        "cycles_per_packet": estimate_text(point.cycles_per_packet),
        "instructions_per_packet": estimate_text(point.instructions_per_packet),
        "ipc": estimate_text(point.ipc),
        "split": "–"
        if split is None
        else f"{split.io:.0f} + {split.processing:.0f} + {split.other:.0f}",
        "capped_by": point.capped_by,
    }
