"""Scenarios measured into a run, whose raw trials are kept however it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planecast.cli.shared.progress import progress_bar

if TYPE_CHECKING:
    from planecast.engines.measure import TrialTable
    from planecast.results import Manifest, Result, RunDirectory
    from planecast.scenario import Scenario
    from planecast.scenario.study import Budget


def measured_into(
    run: RunDirectory,
    scenarios: Sequence[Scenario],
    labels: Sequence[str],
    budget: Budget,
    manifest: Manifest,
    *,
    eal: Sequence[str] = (),
    title: str = "measuring",
) -> tuple[list[Result], TrialTable]:
    """The results of scenarios that take turns, and their trials. Raises as `measure` does."""
    from planecast.engines.measure import TrialTable, measure

    table = TrialTable(list(labels))
    try:
        with progress_bar(title) as progress:
            results = measure(
                scenarios, budget, manifest, table=table, eal_arguments=eal, progress=progress
            )
    finally:
        if table.columns():
            run.write_trials(table.stored())
    return list(results), table
