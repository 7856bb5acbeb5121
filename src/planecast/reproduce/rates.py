"""One published row, and the others of the same program: other clocks, threads, cores, machines.

Each prediction has one rate, the catalogue's machines and priors (`model.published_rate`) of which
nothing comes from the document that it is held against (`rate_priors`). The alternative, no skill,
is the same rate per core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from statistics import median

from planecast.engines.solve.from_rate import solve_from_rate
from planecast.model.published_rate import PublishedRate
from planecast.reproduce.claim import (
    Alternative,
    Baseline,
    Claim,
    Goal,
    Refusal,
    Table,
    against,
    error_percent,
    figured,
    mean_baseline,
    mean_goal,
)
from planecast.reproduce.core_rates import Suite, suites
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.measured import absent
from planecast.reproduce.provenance import Traced
from planecast.reproduce.rate_beds import bed, full, known, row_of, scenario_of, threads
from planecast.reproduce.rate_priors import CLOCKS, priors_without
from planecast.reproduce.skx_rows import FAMILIES, MODES, row_range
from planecast.reproduce.smt_use import APPLICATIONS
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.scenario.scenario import Scenario

BOUND = 10.0
"""Percent of a rate."""
COVERAGE = 90.0
"""Percent of rows that 95 % intervals have to contain."""
SAME = "the same rate per core"
_ANY_PPS = 10e6
"""Where a document gives changes of a rate alone: no ceiling is named, so that any will do."""
_MANIFEST = Manifest(command="", seed=0, started_at="", host={}, versions={}, engine="solve")


@dataclass(frozen=True)
class Row:
    """A published figure and the row that it is predicted from."""

    key: str
    what: str
    document: str
    """Left out of the priors."""
    known: Callable[[], PublishedRate]
    """The row that is known."""
    asked: Scenario
    figure: Callable[[], Figure]
    """In the unit of `scale`."""
    scale: float
    """What a rate is divided by."""
    same: float
    """The rate per core of the known row, in that unit."""
    clocks: float = 1.0
    """Clock that is asked for over that of the known row."""

    @property
    def another_clock(self) -> bool:
        """Whether a clock is all that differs from the known row."""
        modes = {one.placement.busy_siblings for one in (self.known().scenario, self.asked)}
        return self.clocks != 1 and len(modes) == 1

    def answer(self) -> Estimate:
        """What one rate says, in the figure's unit."""
        priors = priors_without(self.document)
        (found,) = solve_from_rate(self.known(), [self.asked], _MANIFEST, priors)
        return found.throughput_pps.scaled(1 / self.scale, "")

    def claim(self) -> Claim:
        """The figure held against it."""
        figure, ids = figured(self.figure)
        ours = Traced.of(lambda: self.answer().value)
        other = Alternative(SAME, self.same)
        return against(self.key, self.what, ours, figure, ids, bound=BOUND, alternative=other)

    def covered(self) -> bool:
        """Whether the 95 % interval and the figure meet."""
        low, high = self.answer().interval or (0.0, 0.0)
        least, most = self.figure().ends
        return low <= most and least <= high


def tables() -> list[Table]:
    """A table for each document."""
    return [
        _table(1, "Clock and threads, Broadwell", list(_bsdp()), "bsdp"),
        _table(2, "Broadwell to Skylake", list(_skx()), "skx"),
        _table(3, "Clock, Cascade Lake", list(_res()), "res"),
        _table(4, "Threads, Skylake", list(_vpe()), "vpe"),
        *_csit(),
    ]


def _table(
    number: int, title: str, rows: Sequence[Row], document: str, refusals: tuple[Refusal, ...] = ()
) -> Table:
    claims = [row.claim() for row in rows]
    inside = 100 * sum(row.covered() for row in rows) / len(rows)
    widths = [row.answer().half_width_percent or 0.0 for row in rows]
    priors = priors_without(document)
    same = [claim.alternative_error_percent or 0.0 for claim in claims]
    return Table(
        number=number,
        title=title,
        claims=tuple(claims),
        goals=(
            mean_goal(f"{number}.mean", f"mean error of {len(claims)} rows", claims, BOUND),
            Goal(
                id=f"{number}.inside",
                what="rows inside the 95 % interval, at least",
                ours=inside,
                bound=COVERAGE,
                unit="percent",
                within=inside >= COVERAGE,
            ),
        ),
        baselines=(
            mean_baseline(f"{number}.same", SAME, claims, same),
            *_by_clock(number, rows, claims),
        ),
        refusals=refusals,
        notes=(
            f"half the interval is {median(widths):.0f} % in the median",
            f"priors of the other documents: {priors.retired.median:.2f} of slots retired, use of "
            f"empty slots {priors.use.median:.2f}, {priors.fixed.median:.3f} times the core's time "
            f"follows no clock (spread of its logarithm {priors.fixed.spread:.1f}), another "
            f"core's cycles {priors.generation:.1f} of their logarithm, {100 * priors.doubling:.0f}"
            f" % a doubling of lcores, {100 * priors.pcie:.0f} % of what PCIe lets through",
        ),
    )


def _by_clock(number: int, rows: Sequence[Row], claims: Sequence[Claim]) -> Iterator[Baseline]:
    """What a rate as the clock would be, where a clock is all that differs."""
    those = [at for at, row in enumerate(rows) if row.another_clock]
    if those:
        errors = [error_percent(rows[at].same * rows[at].clocks, rows[at].figure()) for at in those]
        what = f"another clock ({len(those)} rows), a core's rate as the clock"
        yield mean_baseline(f"{number}.clock", what, [claims[at] for at in those], errors)


_BSDP_MACHINES = {"2.2GHz": "e5-2699v4", "3.2GHz": "e5-2667v4"}


def _bsdp_mpps(clock: str, mode: str, name: str) -> float:
    return CLOCKS[clock] * 1e3 / document_of("bsdp").value(f"cpp.{clock}.{mode}.{name}")


def _bsdp_row(known: tuple[str, str], name: str) -> PublishedRate:
    clock, mode = known
    return PublishedRate(1e6 * _bsdp_mpps(clock, mode, name), threads(_BSDP_MACHINES[clock], mode))


def _bsdp_figure(asked: tuple[str, str], name: str) -> Figure:
    return Figure(value=_bsdp_mpps(*asked, name), unit="Mpps", place="Tables 4 and 5")


def _bsdp() -> Iterator[Row]:
    ways = [(clock, mode) for clock in CLOCKS for mode in MODES]
    for name, title in APPLICATIONS.items():
        for before, asked in permutations(ways, 2):
            yield Row(
                key=f"{name}.{'.'.join(before)}-{'.'.join(asked)}",
                what=f"{title}: {' '.join(asked)} from {' '.join(before)}",
                document="bsdp",
                known=partial(_bsdp_row, before, name),
                asked=threads(_BSDP_MACHINES[asked[0]], asked[1]),
                figure=partial(_bsdp_figure, asked, name),
                scale=1e6,
                same=_bsdp_mpps(*before, name),
                clocks=CLOCKS[asked[0]] / CLOCKS[before[0]],
            )


def _ratio(
    *,
    key: str,
    what: str,
    document: str,
    known: Scenario,
    asked: Scenario,
    figure: Callable[[], Figure],
    clocks: float = 1.0,
) -> Row:
    """A row of a document that gives changes of a rate alone."""
    return Row(
        key=key,
        what=what,
        document=document,
        known=partial(PublishedRate, _ANY_PPS, known),
        asked=asked,
        figure=figure,
        scale=_ANY_PPS,
        same=1.0,
        clocks=clocks,
    )


def _skx() -> Iterator[Row]:
    d = document_of("skx")
    for mode in MODES:
        for name, family in FAMILIES.items():
            yield _ratio(
                key=f"pps.{mode}.{name}",
                what=f"{APPLICATIONS[name]} {mode}: rate, Skylake over Broadwell",
                document="skx",
                known=threads("e5-2699v4", mode),
                asked=threads("gold-6152", mode),
                figure=partial(_change, mode, family),
                clocks=d.value("new.ghz") / d.value("old.ghz"),
            )
    yield _ratio(
        key="smt.speedup",
        what="two threads on Skylake",
        document="skx",
        known=threads("gold-6152", "noHT"),
        asked=threads("gold-6152", "HT"),
        figure=partial(d.published, "smt.speedup"),
    )


def _change(mode: str, family: str) -> Figure:
    low, high = row_range("pps", mode, family)
    return Figure(low=low, high=high, unit="ratio", place="section 3.2")


def _res() -> Iterator[Row]:
    d = document_of("res")
    slow, fast = d.value("base.ghz"), d.value("high.ghz")
    for key, what in (("sst-bf.l3fwd", "l3fwd"), ("sst-bf.ovs", "OVS-DPDK with three routers")):
        yield _ratio(
            key=key,
            what=f"{what}: rate at {fast:g} GHz over {slow:g} GHz",
            document="res",
            known=scenario_of("gold-6230n", {"placement.core_ghz": slow}),
            asked=scenario_of("gold-6230n", {"placement.core_ghz": fast}),
            figure=partial(d.published, key),
            clocks=fast / slow,
        )


def _vpe() -> Iterator[Row]:
    yield _ratio(
        key="hyper-threading.speedup",
        what="vPE, two threads on a core",
        document="vpe",
        known=threads("skylake-1.8", "noHT"),
        asked=threads("skylake-1.8", "HT"),
        figure=partial(document_of("vpe").published, "hyper-threading.speedup"),
    )


def _csit() -> list[Table]:
    every = suites()
    titles = {
        5: "Cores, E5-2699v3, behind an X520 that is named",
        6: "Cores, E5-2699v3, behind queues of a card, a tunnel or a virtual machine",
    }
    if not every:
        return [absent(number, title) for number, title in titles.items()]
    filled = [one for one in every if full(one)]
    named = [one for one in every if known(one) and one not in filled]
    unknown = [one for one in every if not known(one) and one not in filled]
    refused = Refusal(
        what="suites whose row of one core fills a link or PCIe",
        rows=sum(len(one.mpps) - 1 for one in filled),
        why="such a rate is not a limit of the cores, and `predict --from-rate` refuses it",
    )
    found = [(5, named, (refused,)), (6, unknown, ())]
    return [
        _table(number, titles[number], list(_cores(those)), "csit", refusals)
        for number, those, refusals in found
    ]


def _suite_row(suite: Suite) -> PublishedRate:
    return row_of(suite, 1e6 * suite.rate(1))


def _suite_figure(suite: Suite, cores: int) -> Figure:
    return Figure(value=suite.rate(cores), unit="Mpps", place=suite.file)


def _cores(every: Sequence[Suite]) -> Iterator[Row]:
    for suite in every:
        for cores, _ in suite.mpps[1:]:
            yield Row(
                key=f"{suite.key}.{cores}",
                what=f"{suite.name} {suite.frame} {suite.card}, {cores} cores",
                document="csit",
                known=partial(_suite_row, suite),
                asked=bed(suite, cores),
                figure=partial(_suite_figure, suite, cores),
                scale=1e6,
                same=cores * dict(suite.mpps)[1],
            )
