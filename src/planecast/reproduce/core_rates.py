"""Published rates by cores of one test bed: all rows, each from its suite's rate on one core.

Cores are linear until something else is full:

- a link, with what a suite adds to its frames on one of the two;
- an X520: its PCIe link, by the size of what passes, scaled so that testpmd on one core fills it;
- a tunnel's queue: a LISP tunnel has one pair of addresses and one UDP source port (4341, FD.io
  VPP, vnet/lisp-gpe/lisp_gpe_tunnel.c), so that RSS sends all of a direction to one core (VXLAN's
  source port is a hash of what it carries);
- vhost's queues: a virtual machine's two interfaces have a queue pair each, which one core polls,
  so that no more than two cores carry what goes through the machine, and each packet's lines change
  cores (`machine.vswitch`); four cores take the cards' share of the work off these two, which is
  fitted to all other suites;
- receive queues of X710 and XL710: one a core and port pair, each of a rate that is fitted to all
  other suites;
- the fuller of a port's two queues, onto which four cores' 254 flows a direction are hashed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from planecast.machine.ceilings import forward, hottest_queue
from planecast.machine.pcie import Link
from planecast.machine.vswitch import Pass, switched
from planecast.reproduce.catalogued import machine_of
from planecast.reproduce.claim import (
    Alternative,
    Claim,
    Refusal,
    Table,
    against,
    checks_of,
    entered,
    error_percent,
    mean_baseline,
    mean_goal,
)
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.measured import absent, rows_of
from planecast.reproduce.provenance import Traced, read, remembered
from planecast.reproduce.vpe import Study
from planecast.scenario.frames import line_rate_pps

_RATES = "csit/csit_hsw_1701.csv"
_ADDED_BYTES = {"dot1ad": 8, "dot1q": 4, "vxlan": 50, "lispip4": 36, "lispip6": 56}
"""Headers that a suite adds to its frames on one of the two links, by part of its name."""
_IMIX_BYTES = (7 * 64 + 4 * 570 + 1518) / 12
_CEILING = "testpmd"
DIRECTIONS = 2
FLOWS = 254
"""In a direction (CSIT's suites: two flow groups of 254 flows)."""
LINES = 5.0
"""Lines that a hand-over touches: routing touches five (BSDP, section 7)."""
_MACHINE = "e5-2699v3"
VHOST_QUEUES = 2
BOUND = 10.0
_QUEUE_MPPS = np.arange(3.0, 12.0, 0.05)
_GROUPS = {
    "x520": (4, "Rates by cores, E5-2699v3, 64 B, X520"),
    "ip6": (5, "The same, IPv6 of 78 B"),
    "x710": (6, "The same, X710 and XL710"),
    "vm": (7, "The same, through a virtual machine"),
    "large": (8, "Larger frames and testpmd, where one core is near a ceiling already"),
}
_SMALL = ("64B", "78B")


@dataclass(frozen=True)
class Suite:
    """A suite at one frame size: non-drop rates by cores."""

    card: str
    file: str
    name: str
    frame: str
    mpps: tuple[tuple[int, float], ...]

    @property
    def key(self) -> str:
        """What identifies it."""
        return f"{self.file}.{self.name}.{self.frame}"

    @property
    def pair(self) -> tuple[str, str]:
        """The same for all sizes of a suite."""
        return self.file, self.name

    @property
    def group(self) -> str:
        """Where it is predicted, by what holds it."""
        if self.name.startswith(_CEILING) or self.frame not in _SMALL:
            return "large" if self.card != "xl710" or "vm" in self.name else "refused"
        if "vm" in self.name:
            return "vm"
        if self.card != "x520":
            return "x710"
        return "ip6" if self.frame == "78B" else "x520"

    @property
    def frame_bytes(self) -> float:
        """Mean size of its frames."""
        return _IMIX_BYTES if self.frame == "IMIX" else float(self.frame.removesuffix("B"))

    @property
    def added_bytes(self) -> int:
        """What it adds to frames on one of the links."""
        return next((size for part, size in _ADDED_BYTES.items() if part in self.name), 0)

    def rate(self, cores: int) -> float:
        """Mpps on so many cores, noted as read."""
        return read(f"csit:{self.key}.{cores}", dict(self.mpps)[cores])


def tables() -> list[Table]:
    """A table for each group, and one for all of 64 and 78 bytes."""
    every = suites()
    if not every:
        return [absent(number, title) for number, title in _GROUPS.values()]
    found = [_group(group, every) for group in _GROUPS]
    small = [one for table in found[:-1] for one in checks_of(table.claims)]
    goal = mean_goal("rates.mean", f"mean error of all {len(small)} rates, 64 and 78 B", small, 8.0)
    return [found[0].model_copy(update={"goals": (goal, *found[0].goals)}), *found[1:]]


def _group(group: str, suites: Sequence[Suite]) -> Table:
    number, title = _GROUPS[group]
    own = [one for one in suites if one.group == group]
    claims: list[Claim] = []
    linear: list[float] = []
    for suite in own:
        one = Figure(value=dict(suite.mpps)[1], unit="Mpps", place=suite.file)
        what = f"{suite.name} {suite.frame} {suite.card}"
        claims.append(entered(f"csit:{suite.key}.1", f"{suite.key}.1", f"{what}, 1 core", one))
        for cores, rate in suite.mpps[1:]:
            figure = Figure(value=rate, unit="Mpps", place=suite.file)
            other = _ratio_of_others(suite, cores, own) * one.ends[0]
            until = min(cores * one.ends[0], _link(suite) / 1e6)
            linear.append(error_percent(until, figure))
            claims.append(
                against(
                    f"{suite.key}.{cores}",
                    f"{what}, {cores} cores",
                    Traced.of(predicted, suite, cores, suites),
                    figure,
                    Traced.of(suite.rate, cores).ids,
                    bound=BOUND,
                    alternative=Alternative("the other suites' median ratio to one core", other),
                )
            )
    checks = checks_of(claims)
    ratios = [claim.alternative_error_percent or 0.0 for claim in checks]
    return Table(
        number=number,
        title=title,
        claims=tuple(claims),
        goals=(mean_goal(f"rates.mean.{group}", f"mean error, {len(checks)} rows", checks, 8.0),),
        baselines=(
            mean_baseline(f"rates.{group}.ratio", "the others' median ratio", checks, ratios),
            mean_baseline(f"rates.{group}.linear", "linear until the link", checks, linear),
        ),
        refusals=tuple(_refused(suites)) if group == "large" else (),
        notes=_NOTES.get(group, ()),
    )


_NOTES = {
    "x520": ("one core's rate is the input",),
    "x710": (
        "what one queue receives without loss is fitted to the other suites' rows; at four cores "
        "the fuller of a port's two queues decides",
    ),
    "vm": (
        "at two cores nothing is fitted: each vhost queue has a core, which also has a card's, and "
        "each packet's lines change cores; at four, vhost's share is the other suites' median",
        "that a hand-over is one pass of five lines was chosen with these rows in sight",
    ),
}


def _refused(suites: Sequence[Suite]) -> Iterator[Refusal]:
    rows = [rate for one in suites if one.group == "refused" for rate in one.mpps[1:]]
    yield Refusal(
        what="XL710 with frames over 78 B",
        rows=len(rows),
        why="one core has what four have, far below two links of 40 Gbit/s: what held the test "
        "bed there isn't documented",
    )


def predicted(suite: Suite, cores: int, suites: Sequence[Suite]) -> float:
    """Mpps of a suite on so many cores, without its rates on more than one."""
    core = suite.rate(1) * 1e6
    uneven = _uneven(cores)
    limits = {"link": _link(suite)}
    if suite.card == "x520":
        limits["PCIe"] = _card_mpps(suite, suites) * 1e6
    if "lisp" in suite.name:
        limits["queue of the tunnel"] = DIRECTIONS * core
    if "vm" in suite.name:
        limits["queues of vhost"] = _vhost_mpps(suite, cores, suites) * 1e6
    if suite.group == "x710":
        others = [one for one in suites if one.group == "x710" and one.key != suite.key]
        limits["queues of the card"] = cores * queue_mpps(others) * 1e6 / uneven
    return forward(core / uneven, cores, limits).pps / 1e6


def _uneven(cores: int) -> float:
    """The fullest of a port's queues over the mean: two ports share the cores."""
    return hottest_queue(FLOWS, max(1, cores // DIRECTIONS))


def _vhost_mpps(suite: Suite, cores: int, suites: Sequence[Suite]) -> float:
    """What two queues of vhost pass, a core each."""
    share = 1.0
    if cores > VHOST_QUEUES:
        rows = [one for one in suites if "vm" in one.name and one.frame == suite.frame]
        others = [one for one in rows if one.key != suite.key and cores in dict(one.mpps)]
        share = median(_vhost_share(one, cores) for one in others)
    return VHOST_QUEUES * 1e3 / (share * 1e3 / suite.rate(1) + changing_cores_ns())


def _vhost_share(suite: Suite, cores: int) -> float:
    """Of a core's time for a packet, what is left to vhost's cores where others have the cards."""
    vhost_ns = VHOST_QUEUES * 1e3 / suite.rate(cores) - changing_cores_ns()
    return vhost_ns * suite.rate(1) / 1e3


@remembered
def changing_cores_ns() -> float:
    """What a packet's lines take that one core wrote and another one reads: five of them, waited
    for as much as any miss is."""
    study = Study(document_of("vpe"))
    return switched(0.0, machine_of(_MACHINE), Pass(LINES, study.blocking_factor), 0).fixed_ns


def _link(suite: Suite) -> float:
    gbps = 40 if suite.card == "xl710" else 10
    return DIRECTIONS * line_rate_pps(gbps, suite.frame_bytes + suite.added_bytes)


def _card_mpps(suite: Suite, suites: Sequence[Suite]) -> float:
    """What an X520 passes: its PCIe link by size, as much as testpmd on one core fills."""
    link = Link.of("gen2x8")
    most = next(one for one in suites if one.name.startswith(_CEILING) and one.frame == "64B")
    inner, outer = suite.frame_bytes, suite.frame_bytes + suite.added_bytes
    seconds = (link.frame_seconds(inner, outer) + link.frame_seconds(outer, inner)) / 2
    return most.rate(1) * link.frame_seconds(64) / seconds


def queue_mpps(suites: Sequence[Suite]) -> float:
    """What one receive queue takes, by the mean of relative errors over these suites' rows."""
    rows = [(cores, one.rate(1), one.rate(cores)) for one in suites for cores, _ in one.mpps[1:]]

    def off(queue: float) -> float:
        return sum(
            abs(math.log(cores * min(core, queue) / _uneven(cores) / rate))
            for cores, core, rate in rows
        )

    return float(min(_QUEUE_MPPS, key=off))


def _ratio_of_others(suite: Suite, cores: int, own: Sequence[Suite]) -> float:
    rates = [dict(one.mpps) for one in own if one.key != suite.key]
    return median(rate[cores] / rate[1] for rate in rates if cores in rate)


def suites() -> list[Suite]:
    """Suites that have a rate on one core and on more; none where the measurements aren't."""
    return list(_suites(rows_of(_RATES)))


def _suites(rows: list[dict[str, str]]) -> Iterator[Suite]:
    found: dict[tuple[str, str, str, str], dict[int, float]] = {}
    for row in rows:
        match = re.search(r"^tc\d+-(\w+)-(\d)t\2c-(.*)-ndr(?:disc|chk)$", row["test"])
        card = re.search(r"x520|xl710|x710", row["file"])
        if match is None or card is None:
            continue
        name = f"{_CEILING}-{match[3]}" if row["suite"] == _CEILING else match[3]
        key = (card[0], row["file"], name, match[1])
        found.setdefault(key, {})[int(match[2])] = float(row["ndr_mpps"])
    for (card_name, file, name, frame), rates in found.items():
        if 1 in rates and len(rates) > 1:
            yield Suite(card_name, file, name, frame, tuple(sorted(rates.items())))
