"""A survey as a table: one line a data plane and setting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planecast.results.survey import SurveyAnswer, SurveyPoint

_MOST_NOTES = 8
"""Under the table; all are in the answer."""


def survey_sheet(answer: SurveyAnswer, run: Path, page: Path) -> Sheet:
    """The table of all points, then what was not varied, then where it is."""
    notes = []
    if answer.coremark is not None:
        score = answer.coremark
        notes.append(f"CoreMark: {score.iterations_per_s:,.0f} iterations/s ({score.program})")
    notes += [f"not varied: {why}" for why in answer.not_varied]
    notes += [*answer.notes, *_notes(answer.points), *_legend(answer.points)]
    notes += [f"run: {run}", f"report: {page}"]
    title = f"{answer.question} {answer.document}".strip()
    measured = [point for point in answer.points if point.measured]
    return Sheet.of(_COLUMNS, measured, answer, title=title, notes=notes)


def _notes(points: Sequence[SurveyPoint]) -> list[str]:
    """What is to be known of points, a sentence once; of many sentences where the others are."""
    from planecast.results.survey import of_whom

    found = of_whom(points, lambda point: point.notes)
    more = len(found) - _MOST_NOTES
    return [*found[:_MOST_NOTES], *([f"{more} more notes are in result.json"] if more > 0 else [])]


def _legend(points: Sequence[SurveyPoint]) -> list[str]:
    """What the short headers mean."""
    clocks = dict.fromkeys(point.cycles_of for point in points if point.cycles_of)
    of = f" of the {' or '.join(clocks)}" if clocks else ""
    return [
        f"CPP, IPP: cycles{of} and instructions a packet; noHT, HT: one or both threads of a core "
        "are busy; measured, 95 % intervals"
    ]


def setting_text(point: SurveyPoint) -> str:
    """What was varied, in words."""
    return point.setting(("cores", "threads", "flows", *(() if point.ghz is None else ("ghz",))))


def _rate(point: SurveyPoint) -> Worded:
    name = point.headline
    text = f"{estimate_text(point.rates[name], 1e6)} {name}" if name else "–"
    return Worded(point.pps, text)


def _split(point: SurveyPoint) -> Worded | None:
    split = point.split
    if split is None:
        return None
    return Worded(
        f"{split.io}+{split.processing}+{split.other}",
        f"{split.io:.0f} + {split.processing:.0f} + {split.other:.0f}",
    )


_COLUMNS = (
    Column("label", "data plane"),
    Column("setting", "setting", of=setting_text),
    Column("pps", "Mpps", number=True, of=_rate),
    Column("cycles_per_packet", "CPP", number=True, absent="–"),
    Column("instructions_per_packet", "IPP", number=True, absent="–"),
    Column("ipc", "IPC", number=True, absent="–"),
    Column("split", "I/O + processing + other", number=True, absent="–", of=_split),
    Column("capped_by", "capped by"),
)
