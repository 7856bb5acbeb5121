"""SKX: six forwarders carried from Broadwell to Skylake by what the two cores are made of.

No application has a parameter of its own. What goes in: BSDP's top-down shares on Broadwell, which
programs it says wait for dependent instructions, and the catalogue's two microarchitectures.
"""

from __future__ import annotations

from planecast.machine.generations import backend_factor, carried_cycles, carried_slots
from planecast.machine.smt import speedup
from planecast.reproduce.claim import Claim, Goal, Table, against, checked, given, mean_goal
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.skx_rows import (
    FAMILIES,
    HELD_BY_LINKS,
    MODES,
    contradictions,
    most_by_shares,
    reachable,
    row_range,
)
from planecast.reproduce.smt_use import APPLICATIONS, forwarders_use, slots_of
from planecast.scenario.machine import CoreValues, microarchitecture_of

DEPENDENT = {("coremark", "noHT"), ("ovs-l2", "noHT")}
"""Programs whose ports BSDP (section 6.5, core bound) takes to wait for dependent instructions."""


def tables() -> list[Table]:
    """All tables of the document."""
    old, new = microarchitecture_of("broadwell").values, microarchitecture_of("skylake").values
    return [_changes(old, new), _threads(old, new)]


def cycles_ratio(name: str, mode: str, old: CoreValues, new: CoreValues) -> float:
    """Cycles a packet of a program on the new core over those on the old one."""
    dependent = (name, mode) in DEPENDENT
    return carried_cycles(1.0, slots_of(name, mode), old, new, dependent=dependent)


def _changes(old: CoreValues, new: CoreValues) -> Table:
    d = document_of("skx")
    clocks = d.value("new.ghz") / d.value("old.ghz")
    claims = [given(d, "old.ghz", "clock of E5-2699v4"), given(d, "new.ghz", "clock of Gold 6152")]
    for mode in MODES:
        for name, title in APPLICATIONS.items():
            ratio = cycles_ratio(name, mode, old, new)
            family = FAMILIES[name]
            values = {"cpp": ratio, "pps": clocks / ratio, "ipc": 1 / ratio}
            for metric, value in values.items():
                what = f"{title} {mode}: {metric}, Skylake over Broadwell"
                claims.append(_inside((metric, mode, family), name, what, value))
        ratio = cycles_ratio("coremark", mode, old, new)
        what = f"CoreMark {mode}: ipc, Skylake over Broadwell"
        claims.append(_inside(("ipc", mode, "coremark"), "coremark", what, 1 / ratio))
    checks = [claim for claim in claims if claim.role == "check"]
    inside = sum(bool(claim.within) for claim in checks)
    goal = Goal(
        id="inside",
        what="rows inside the published ranges",
        ours=float(inside),
        bound=float(len(checks)),
        unit="rows, all wanted",
        within=inside == len(checks),
    )
    cycles = [claim for claim in checks if claim.id.startswith("cpp.")]
    return Table(
        number=6,
        title="From E5-2699v4 to Gold 6152",
        claims=tuple(claims),
        goals=(
            goal,
            mean_goal("cycles", "mean distance of cycles a packet from the ranges", cycles, 4.0),
        ),
        notes=(
            f"frontend slots times {old.decode_width.value / new.decode_width.value:.2f} (decoding "
            f"4 to 5 wide), backend slots times {backend_factor(old, new):.2f}: the mean over what "
            "the document lists (reorder buffer, scheduler, store buffer, bytes a cycle from and "
            "to L1, lines under way, L2 with the last level behind it)",
            "backend slots of CoreMark and OVS without hyper-threading stay: BSDP says that they "
            "wait for dependent instructions",
            "top-down shares are of 2017's software; the document measured 2018's on both machines",
            "an application's range is its family's: DPDK, OVS or VPP",
            *_reach(checks),
        ),
    )


def _reach(checks: list[Claim]) -> list[str]:
    """How many rows any model of this kind can be inside of, and what keeps it from the others."""
    rows, most = len(checks), reachable()
    ours = [claim for claim in checks if claim.note != _OF_LINKS]
    held, inside = rows - len(ours), sum(bool(claim.within) for claim in ours)
    return [
        "instructions a packet count as unchanged, so a row's cycles, rate and IPC are one figure; "
        f"the document's own don't meet for {rows - most} of {rows} rows",
        *contradictions(),
        f"without them and the {held} rows of testpmd with hyper-threading, which tell of full "
        f"links, {most - held} can be reached, and {inside} are",
        f"no pair of factors on frontend and backend slots, whatever it is, has more than "
        f"{most_by_shares(DEPENDENT)} rows inside: level 1 alone doesn't tell why l3fwd's IPC with "
        f"hyper-threading rose by 9 to 12 % and that of VPP's L2 patch, whose shares are within 6 "
        "points of its own, by 16 to 30 %",
    ]


_OF_LINKS = (
    "4 x 10GbE were full on Skylake (59.5 Mpps), so the published gain is the links' and less than "
    "the cores', as ours says"
)


def _inside(row: tuple[str, str, str], name: str, what: str, ours: float) -> Claim:
    key = ".".join(row)
    low, high = row_range(*row)
    place = document_of("skx").figures[key].place
    ratio = Figure(low=low, high=high, unit="ratio", place=place)
    note = _OF_LINKS if (name, row[1]) == HELD_BY_LINKS else ""
    return against(f"{key}.{name}", what, ours, ratio, bound=0.0, note=note)


def _threads(old: CoreValues, new: CoreValues) -> Table:
    d = document_of("skx")
    claims = []
    for name, title in APPLICATIONS.items():
        dependent = (name, "noHT") in DEPENDENT
        slots = carried_slots(slots_of(name, "noHT"), old, new, dependent=dependent)
        ours = speedup(slots, forwarders_use())
        claim = checked(d, "smt.speedup", f"{title}, two threads on Skylake", ours, bound=0.0)
        claims.append(claim.model_copy(update={"id": f"smt.speedup.{name}"}))
    return Table(
        number=11,
        title="Hyper-threading on Skylake",
        claims=tuple(claims),
        notes=("use of empty slots as fitted on Broadwell",),
    )
