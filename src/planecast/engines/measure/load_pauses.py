"""The pauses of both CPUs of a curve, recorded once a round, when neither program needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planecast.engines.measure.load_trials import Columns
from planecast.instruments.pauses import Floats, Pauses
from planecast.results.load_curve import CpuPauses

RECORDING_S = 0.03
"""For how long both CPUs are watched in a round: some thirty ticks of a kernel of 1,000 Hz."""
_LONG = 0.99


@dataclass(frozen=True)
class BothPauses:
    """The recordings of both CPUs, by round; those of a round were made at the same time."""

    lcore: list[Pauses]
    generator: list[Pauses]

    def within(
        self, number: int, offset: float, seconds: float
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Starts and lengths of a stretch of one recording, of both CPUs at the same instants.

        `number` goes round, `offset` is a share of the recording.
        """
        of_lcore = self.lcore[number % len(self.lcore)]
        of_generator = self.generator[number % len(self.generator)]
        begin = offset * of_lcore.seconds
        return of_lcore.window(begin, seconds), of_generator.window(begin, seconds)

    def lcore_share(self, longest_s: float) -> float:
        """Share of the time that the lcore was away for no longer than this at once; longer stops
        are left out of both."""
        lengths = np.concatenate([one.lengths_s for one in self.lcore])
        short = lengths <= longest_s
        watched = sum(one.seconds for one in self.lcore)
        return float(lengths[short].sum() / max(watched - lengths[~short].sum(), longest_s))

    def summaries(self) -> tuple[CpuPauses, ...]:
        """What a reader should know of both."""
        return _summary("data plane", self.lcore), _summary("generator", self.generator)


@dataclass
class PauseTable:
    """The recordings of a curve, by round."""

    recordings: list[tuple[int, int, list[Pauses]]] = field(default_factory=list)
    """Round, restart, and the CPUs'."""

    def append(self, round_: int, restart: int, found: list[Pauses]) -> None:
        """Adds one round's."""
        self.recordings.append((round_, restart, found))

    def both(self, lcore: int, generator: int) -> BothPauses:
        """Those of these two CPUs."""
        return BothPauses(self._of(lcore), self._of(generator))

    def _of(self, cpu: int) -> list[Pauses]:
        return [one for _, _, found in self.recordings for one in found if one.cpu == cpu]

    def columns(self) -> Columns:
        """A row a pause; a recording without one has a row whose length is 0."""
        rows: list[tuple[float, ...]] = []
        for round_, restart, found in self.recordings:
            for one in found:
                where = (round_, restart, one.cpu, one.seconds)
                pairs = zip(one.starts_s, one.lengths_s, strict=True)
                rows += [(*where, start * 1e6, length * 1e6) for start, length in pairs]
                if not len(one.starts_s):
                    rows.append((*where, 0.0, 0.0))
        names = ("round", "restart", "cpu", "watched_s", "start_us", "length_us")
        table = np.array(rows, dtype=np.float64).reshape(-1, len(names))
        return {name: table[:, number] for number, name in enumerate(names)}


def _summary(role: str, recordings: Sequence[Pauses]) -> CpuPauses:
    lengths = np.concatenate([one.lengths_s for one in recordings]) * 1e6
    seconds = sum(one.seconds for one in recordings)
    some = lengths.size > 0
    return CpuPauses(
        role=role,
        cpu=recordings[0].cpu,
        watched_s=seconds,
        per_second=lengths.size / seconds,
        median_us=float(np.median(lengths)) if some else 0.0,
        p99_us=float(np.quantile(lengths, _LONG)) if some else 0.0,
        longest_us=float(lengths.max()) if some else 0.0,
        share=float(lengths.sum()) * 1e-6 / seconds,
    )
