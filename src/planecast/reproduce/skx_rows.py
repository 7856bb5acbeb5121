"""The SKX document's rows: which range is which program's, and how many can be reached at all.

Where a program takes as many instructions a packet on both machines, cycles a packet, rate and
instructions a cycle are one figure three times: `windows` says which ratios of cycles each range
allows. Where they don't meet, no prediction is inside of all three.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from planecast.reproduce.documents import document_of
from planecast.reproduce.smt_use import APPLICATIONS, slots_of

MODES = ("noHT", "HT")
FAMILIES = {
    "testpmd": "dpdk",
    "l3fwd": "dpdk",
    "vpp-l2-patch": "vpp",
    "vpp-l2-mac": "vpp",
    "ovs-l2": "ovs",
    "vpp-ip4": "vpp",
}
METRICS = ("cpp", "pps", "ipc")
ROUNDING = 0.5
"""The document states whole percents."""
HELD_BY_LINKS = ("testpmd", "HT")
"""The document (section 3.2): on Skylake it got no more packets, 4 x 10GbE being full."""
_FACTORS = np.arange(0.30, 1.105, 0.01)

Window = tuple[float, float]


def row_range(metric: str, mode: str, family: str) -> Window:
    """Skylake over Broadwell as published, with what rounding leaves open."""
    low, high = document_of("skx").ends(f"{metric}.{mode}.{family}")
    return 1 + (low - ROUNDING) / 100, 1 + (high + ROUNDING) / 100


def windows(mode: str, family: str) -> dict[str, Window]:
    """The ratios of cycles a packet that each range allows at as many instructions a packet."""
    d = document_of("skx")
    clocks = d.value("new.ghz") / d.value("old.ghz")
    cpp, pps, ipc = (row_range(metric, mode, family) for metric in METRICS)
    return {
        "cpp": cpp,
        "pps": (clocks / pps[1], clocks / pps[0]),
        "ipc": (1 / ipc[1], 1 / ipc[0]),
    }


def constant_of_others(name: str, mode: str) -> float:
    """The ratio of cycles that most rows of the other programs of a mode allow: no program's own.

    The middle of the best, where several are as good.
    """
    wanted = [
        window
        for other, family in FAMILIES.items()
        if other != name
        for window in windows(mode, family).values()
    ]
    ratios = np.arange(0.5, 1.5, 0.001)
    inside = sum(((low <= ratios) & (ratios <= high)).astype(int) for low, high in wanted)
    return float(np.median(ratios[inside == np.max(inside)]))


def most_together(found: Mapping[str, Window]) -> int:
    """How many of the ranges one ratio is inside of at the most."""
    return max(sum(low <= end <= high for low, high in found.values()) for end, _ in found.values())


def reachable() -> int:
    """Rows that a prediction of constant instructions can be inside of at the most."""
    programs = [(mode, family) for mode in MODES for family in FAMILIES.values()]
    return sum(most_together(windows(*program)) for program in programs) + len(MODES)  # CoreMark's


def contradictions() -> Iterator[str]:
    """For each family whose ranges don't meet, the arithmetic."""
    for mode in MODES:
        for family in dict.fromkeys(FAMILIES.values()):
            found = windows(mode, family)
            if most_together(found) == len(found):
                continue
            cpp, ipc = (row_range(metric, mode, family) for metric in ("cpp", "ipc"))
            count = sum(one == family for one in FAMILIES.values())
            yield (
                f"{family} {mode}: cycles times {cpp[0]:.3f} to {cpp[1]:.3f} at as many "
                f"instructions are an IPC times {1 / cpp[1]:.3f} to {1 / cpp[0]:.3f}, published is "
                f"{ipc[0]:.3f} to {ipc[1]:.3f}; both hold if instructions a packet changed by "
                f"{100 * (cpp[0] * ipc[0] - 1):+.1f} to {100 * (cpp[1] * ipc[1] - 1):+.1f} %: "
                f"{count} row{'s' if count > 1 else ''} out of reach"
            )


def most_by_shares(dependent: Collection[tuple[str, str]]) -> int:
    """Rows inside with the best of all pairs of factors on frontend and backend slots, each pair
    the same for all programs; backend slots of `dependent` ones stay."""
    frontend, backend = np.meshgrid(_FACTORS, _FACTORS)
    inside = np.zeros(frontend.shape, dtype=int)
    for mode in MODES:
        for name in (*APPLICATIONS, "coremark"):
            slots = slots_of(name, mode)
            waits = np.ones_like(backend) if (name, mode) in dependent else backend
            same = slots.retiring + slots.bad_speculation
            ratio = (same + slots.frontend * frontend + slots.backend * waits) / 100
            if name == "coremark":
                low, high = row_range("ipc", mode, "coremark")
                wanted = [(1 / high, 1 / low)]
            else:
                wanted = list(windows(mode, FAMILIES[name]).values())
            for low, high in wanted:
                inside += (low <= ratio) & (ratio <= high)
    return int(inside.max())
