"""The search for a division: from several starts, the best step each time, until none helps.

A division is judged by how many targets it meets, by rank, then by the predicted rates next to
those of the naive one (everybody in one class, cores in the order of the file): the mean of the
logarithms, where rank 2 counts a third of rank 1, and so on; what exceeds a target counts a tenth.
What makes a tenant or a path of the highest rank slower than it is without a division is never
chosen. The naive division is one of those judged, so the answer is never worse in prediction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planecast.partition.assign import naive_cores, planned_cores
from planecast.partition.candidates import Candidate, least_ways, naive, starts
from planecast.partition.division import Division, illegalities
from planecast.partition.machine import Machine
from planecast.partition.predict import Answer, Case, predict
from planecast.partition.tenants import Tenancy, Tenant

TRIES = 400
"""Divisions that are tried, at most."""
RUNNERS_UP = 3

_SLOWER = 1e-4
"""What the fixed point may leave between two equal divisions."""

_BEYOND = 0.1
"""What a rate beyond its target counts: room to spare is worth something, and somebody else's need
more."""

Score = tuple[float, float]
"""(less what unmet targets weigh, weighted mean of the logarithms of rates over the naive ones)."""


@dataclass(frozen=True)
class Judged:
    """A division and how good it is."""

    division: Division
    score: Score


@dataclass(frozen=True)
class Found:
    """What the search found."""

    best: Judged
    naive: Division
    runners_up: tuple[Judged, ...]
    """The next best, ways or bandwidth or cores of which differ."""
    tried: int
    asked: Judged | None = None
    """The division that was asked for, judged alike."""


def optimise(
    machine: Machine, tenancy: Tenancy, tries: int = TRIES, asked: Division | None = None
) -> Found:
    """The best division found, and how good the one `asked` for is.

    Raises InputError when there are too few cores.
    """
    plain = naive(machine, tenancy, naive_cores(machine, tenancy))
    judge = _Judge(machine, tenancy, plain.division(machine, tenancy))
    judge.judge([plain])
    cores = [
        planned_cores(machine, tenancy, apart=False),
        planned_cores(machine, tenancy, apart=True),
        plain.cores,
    ]
    unique = [own for n, own in enumerate(cores) if own not in cores[:n]]
    begun = starts(machine, tenancy, unique)
    judge.judge(begun[: max(1, tries // 2)])
    for start in sorted(begun, key=judge.score_of, reverse=True)[:3]:
        _climb(machine, tenancy, start, judge, tries)
    ranked = judge.ranked()
    return Found(
        best=ranked[0],
        naive=judge.naive,
        runners_up=tuple(ranked[1 : 1 + RUNNERS_UP]),
        tried=judge.tried,
        asked=judge.judged(asked) if asked is not None else None,
    )


def _climb(machine: Machine, tenancy: Tenancy, start: Candidate, judge: _Judge, tries: int) -> None:
    least = least_ways(machine, tenancy, start.groups)
    here = start
    while judge.tried < tries:
        around = list(here.neighbours(machine, least))
        judge.judge(around[: tries - judge.tried])
        best = max(around, key=judge.score_of, default=here)
        if judge.score_of(best) <= judge.score_of(here):
            return
        here = best


class _Judge:
    """Scores divisions, each once."""

    def __init__(self, machine: Machine, tenancy: Tenancy, plain: Division) -> None:
        self.naive = plain
        self._machine, self._tenancy = machine, tenancy
        self._frames = tuple(sorted({tenancy.frames[0], tenancy.frames[-1]}))
        self._plain = self._answers([plain])[0]
        self._known: dict[str, Judged] = {}

    @property
    def tried(self) -> int:
        """Divisions scored so far."""
        return len(self._known)

    def judge(self, candidates: Sequence[Candidate]) -> None:
        """Scores those that aren't yet."""
        fresh: dict[str, Division] = {}
        for candidate in candidates:
            division = candidate.division(self._machine, self._tenancy)
            key = division.model_dump_json()
            if key not in self._known and not any(illegalities(division, self._machine.topology)):
                fresh[key] = division
        answers = self._answers(list(fresh.values()))
        for (key, division), own in zip(fresh.items(), answers, strict=True):
            self._known[key] = Judged(division, self._score(own))

    def judged(self, division: Division) -> Judged:
        """A division that is no candidate, scored."""
        return Judged(division, self._score(self._answers([division])[0]))

    def score_of(self, candidate: Candidate) -> Score:
        """A candidate's score; the lowest there is for one that wasn't judged."""
        division = candidate.division(self._machine, self._tenancy)
        known = self._known.get(division.model_dump_json())
        return known.score if known is not None else (-math.inf, -math.inf)

    def ranked(self) -> list[Judged]:
        """From the best down; of equals the one with fewer classes."""
        return sorted(
            self._known.values(),
            key=lambda one: (one.score[0], round(one.score[1], 6), -len(one.division.services)),
            reverse=True,
        )

    def _answers(self, divisions: Sequence[Division]) -> list[list[Answer]]:
        cases = [Case(division, size) for division in divisions for size in self._frames]
        found = predict(self._machine, self._tenancy, cases)
        step = len(self._frames)
        return [found[i : i + step] for i in range(0, len(found), step)]

    def _to_spare(self, answer: Answer) -> float:
        """What the rates beyond targets count, of tenants on no path."""
        on_path = {leg.tenant for path in self._tenancy.paths for leg in path.legs}
        return sum(
            _BEYOND * weight_of(tenant.rank) * math.log(answer.capacity[tenant.name] / enough)
            for tenant in self._tenancy.tenants
            if tenant.target is not None
            and tenant.name in answer.capacity
            and tenant.name not in on_path
            and answer.capacity[tenant.name] > (enough := tenant.target.rate)
        )

    def _score(self, answers: Sequence[Answer]) -> Score:
        unmet, gain, total = 0.0, 0.0, 0.0
        for answer, plain in zip(answers, self._plain, strict=True):
            for rank, now, before in _rates(self._tenancy, answer, plain):
                if rank == _highest(self._tenancy) and now < before * (1 - _SLOWER):
                    return (-math.inf, -math.inf)
                weight = weight_of(rank)
                gain += weight * math.log(max(now, 1e-9) / max(before, 1e-9))
                total += weight
            gain += self._to_spare(answer) - self._to_spare(plain)
            for tenant in self._tenancy.tenants:
                if tenant.target is not None and not meets(tenant, answer):
                    unmet += weight_of(tenant.rank)
        return (-unmet, gain / total if total else 0.0)


def weight_of(rank: int) -> float:
    """What a tenant of this rank counts."""
    return float(3.0 ** (1 - rank))


def meets(tenant: Tenant, answer: Answer) -> bool:
    """Whether a tenant's rate is reached, its allowed loss taken off."""
    target = tenant.target
    capacity = answer.capacity.get(tenant.name)
    if target is None or capacity is None:
        return True
    return capacity >= target.rate * (1 - target.loss)


def _highest(tenancy: Tenancy) -> int:
    return min(tenant.rank for tenant in tenancy.tenants)


def _rates(tenancy: Tenancy, answer: Answer, plain: Answer) -> list[tuple[int, float, float]]:
    """(rank, rate, naive rate) of every path, and of every tenant that is on none."""
    found, on_path = [], set()
    for path in tenancy.paths:
        names = [leg.tenant for leg in path.legs]
        on_path |= set(names)
        rank = min(tenancy.tenant(name).rank for name in names)
        found.append((rank, answer.paths[path.name], plain.paths[path.name]))
    for name, capacity in answer.capacity.items():
        if name not in on_path:
            tenant = tenancy.tenant(name)
            enough = tenant.target.rate if tenant.target is not None else math.inf
            now, before = min(capacity, enough), min(plain.capacity[name], enough)
            found.append((tenant.rank, now, before))
    return found
