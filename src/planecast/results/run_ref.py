"""Results as a person names them: ``RUN``, ``RUN#2``, ``RUN#64B-1t1c-ip4``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planecast.errors import InputError
from planecast.results.content import results_of
from planecast.results.csit_name import csit_name, is_csit_name, matches
from planecast.results.result import Result
from planecast.results.search import SearchAnswer
from planecast.results.store import RunDirectory, find_run


@dataclass(frozen=True)
class Picked:
    """Results of one run."""

    run: RunDirectory
    results: list[Result]
    search: SearchAnswer | None = None
    """The run's answer, where it is a search: it has rates and no results."""


def pick(text: str, root: Path) -> Picked:
    """The results of a run under `root`: all, one by its number from 1, or those of a CSIT name.

    Raises InputError when there is no such run or result.
    """
    name, mark, which = text.rpartition("#")
    if not mark:
        run = find_run(text, root)
        content = run.read()
        search = content if isinstance(content, SearchAnswer) else None
        return Picked(run, results_of(content), search)
    run = find_run(name, root)
    return Picked(run, _some(results_of(run.read()), which, run, text))


def _some(results: list[Result], which: str, run: RunDirectory, text: str) -> list[Result]:
    if which.isdecimal() and int(which) > 0:
        if int(which) > len(results):
            raise InputError(
                f"there is no result #{which}", str(run.path), f"the run has {len(results)}"
            )
        return [results[int(which) - 1]]
    if not is_csit_name(which):
        raise InputError(
            f"got '{text}'",
            "RUN",
            "after # comes a number from 1, as in latest#2, or a name such as 64B-1t1c-ip4",
        )
    found = [result for result in results if matches(which, result.scenario)]
    if not found:
        names = ", ".join(dict.fromkeys(csit_name(result.scenario) for result in results))
        raise InputError(f"there is no result {which}", str(run.path), f"the run has {names}")
    return found
