"""SKX: six forwarders carried from Broadwell to Skylake by what the two cores are made of.

No application has a parameter of its own. What goes in: BSDP's top-down shares on Broadwell, which
programs it says wait for dependent instructions, and the catalogue's two microarchitectures.
"""

from __future__ import annotations

from planecast.machine.generations import backend_factor, carried_cycles, carried_slots
from planecast.machine.smt import speedup
from planecast.reproduce.catalogued import core_of
from planecast.reproduce.claim import (
    Alternative,
    Claim,
    Goal,
    Table,
    against,
    checked,
    checks_of,
    figured,
    given,
    inside_baseline,
    mean_goal,
)
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.provenance import Traced
from planecast.reproduce.skx_rows import (
    FAMILIES,
    HELD_BY_LINKS,
    MODES,
    constant_of_others,
    contradictions,
    most_by_shares,
    reachable,
    row_range,
)
from planecast.reproduce.smt_use import APPLICATIONS, forwarders_use, slots_of, speedup_of
from planecast.scenario.machine import CoreValues

DEPENDENT = {("coremark", "noHT"), ("ovs-l2", "noHT")}
"""Programs whose ports BSDP (section 6.5, core bound) takes to wait for dependent instructions."""


def tables() -> list[Table]:
    """All tables of the document."""
    return [_changes(), _threads()]


def _cores() -> tuple[CoreValues, CoreValues]:
    """The old one and the new one."""
    return core_of("broadwell"), core_of("skylake")


def cycles_ratio(name: str, mode: str) -> float:
    """Cycles a packet of a program on the new core over those on the old one."""
    old, new = _cores()
    dependent = (name, mode) in DEPENDENT
    return carried_cycles(1.0, slots_of(name, mode), old, new, dependent=dependent)


def _metric(metric: str, cycles: float) -> float:
    """A ratio of cycles as a row's metric has it, instructions unchanged."""
    d = document_of("skx")
    if metric == "pps":
        return d.value("new.ghz") / d.value("old.ghz") / cycles
    return cycles if metric == "cpp" else 1 / cycles


def _changed(metric: str, name: str, mode: str) -> float:
    return _metric(metric, cycles_ratio(name, mode))


def _changes() -> Table:
    old, new = _cores()
    d = document_of("skx")
    claims = [given(d, "old.ghz", "clock of E5-2699v4"), given(d, "new.ghz", "clock of Gold 6152")]
    for mode in MODES:
        for name, title in APPLICATIONS.items():
            constant = constant_of_others(name, mode)
            for metric in ("cpp", "pps", "ipc"):
                ours = Traced.of(_changed, metric, name, mode)
                other = Alternative(
                    "one ratio of cycles for all programs of a mode, from the others' rows",
                    _metric(metric, constant),
                )
                what = f"{title} {mode}: {metric}, Skylake over Broadwell"
                claims.append(_inside((metric, mode, FAMILIES[name]), name, what, ours, other))
        ours = Traced.of(_changed, "ipc", "coremark", mode)
        what = f"CoreMark {mode}: ipc, Skylake over Broadwell"
        same = Alternative("no change", 1.0)
        claims.append(_inside(("ipc", mode, "coremark"), "coremark", what, ours, same))
    checks = checks_of(claims)
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
        baselines=(inside_baseline("constant", "one ratio a mode, CoreMark unchanged", checks),),
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
        f"without them and the {held} rows of testpmd with hyper-threading, which show full "
        f"links, {most - held} can be reached, and {inside} are",
        f"no pair of factors on frontend and backend slots, whatever it is, has more than "
        f"{most_by_shares(DEPENDENT)} rows inside: level 1 doesn't explain why l3fwd's IPC with "
        f"hyper-threading rose by 9 to 12 % and that of VPP's L2 patch, whose shares are within 6 "
        "points of its own, by 16 to 30 %",
    ]


_OF_LINKS = (
    "4 x 10GbE were full on Skylake (59.5 Mpps), so the published gain is the links' and less than "
    "the cores', as ours says"
)


def _ratio_figure(metric: str, mode: str, family: str) -> Figure:
    low, high = row_range(metric, mode, family)
    place = document_of("skx").figures[f"{metric}.{mode}.{family}"].place
    return Figure(low=low, high=high, unit="ratio", place=place)


def _inside(
    row: tuple[str, str, str], name: str, what: str, ours: Traced, other: Alternative
) -> Claim:
    figure, ids = figured(_ratio_figure, *row)
    note = _OF_LINKS if (name, row[1]) == HELD_BY_LINKS else ""
    key = f"{'.'.join(row)}.{name}"
    return against(key, what, ours, figure, ids, bound=0.0, alternative=other, note=note)


def _speedup(name: str) -> float:
    old, new = _cores()
    dependent = (name, "noHT") in DEPENDENT
    slots = carried_slots(slots_of(name, "noHT"), old, new, dependent=dependent)
    return speedup(slots, forwarders_use())


def _threads() -> Table:
    d = document_of("skx")
    claims = []
    for name, title in APPLICATIONS.items():
        ours = Traced.of(_speedup, name)
        same = Alternative("BSDP's speed-up on Broadwell, unchanged", speedup_of(name))
        what = f"{title}, two threads on Skylake"
        claim = checked(d, "smt.speedup", what, ours, bound=0.0, alternative=same)
        claims.append(claim.model_copy(update={"id": f"smt.speedup.{name}"}))
    return Table(
        number=11,
        title="Hyper-threading on Skylake",
        claims=tuple(claims),
        notes=("use of empty slots as fitted on Broadwell",),
    )
