"""Parts of the model against measurements of others: memory under load, PCIe, many cores.

Where the shared measurements are absent (`PLANECAST_SHARED_DATA`, else ``../shared/data``), their
tables have no claims, and say so.
"""

from __future__ import annotations

from planecast.machine.memory import fitted
from planecast.reproduce import core_rates, frame_sizes, pcie_sizes
from planecast.reproduce.claim import (
    Alternative,
    Refusal,
    Table,
    against,
    checked,
    entered,
    figured,
    given,
)
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.measured import absent, rows_of
from planecast.reproduce.provenance import Traced, read

PEAK_GBS = 136.5
"""Two sockets with four channels of DDR4-2133, which the points' highest load comes up to."""
_INPUTS, _CHECKS = ("1.2", "68.4", "135.7"), ("42.7", "131.3")
_ENDS = (8, 2048)


def tables() -> list[Table]:
    """All tables of parts."""
    return [
        _memory(),
        pcie_sizes.table(),
        _pcie_latency(),
        *core_rates.tables(),
        frame_sizes.table(),
        _saturation(),
    ]


def _latency_ns(load: str) -> float:
    d = document_of("components")
    points = tuple((float(one), d.value(f"latency.{one}")) for one in _INPUTS)
    return fitted(points, PEAK_GBS).latency_ns(float(load))


def _between(load: str) -> float:
    """On the line between the two inputs around it."""
    d = document_of("components")
    below = max((one for one in _INPUTS if float(one) < float(load)), key=float)
    above = min((one for one in _INPUTS if float(one) > float(load)), key=float)
    low, high = d.value(f"latency.{below}"), d.value(f"latency.{above}")
    share = (float(load) - float(below)) / (float(above) - float(below))
    return low + share * (high - low)


def _memory() -> Table:
    d = document_of("components")
    claims = [given(d, f"latency.{load}", f"latency at {load} GB/s") for load in _INPUTS]
    claims += [
        checked(
            d,
            f"latency.{load}",
            f"latency at {load} GB/s",
            Traced.of(_latency_ns, load),
            bound=5,
            alternative=Alternative("a line between the inputs around it", _between(load)),
        )
        for load in _CHECKS
    ]
    return Table(
        number=1,
        title="Memory latency under load",
        claims=tuple(claims),
        notes=(f"two parameters from three points; the peak is {PEAK_GBS:g} GB/s",),
    )


def _saturation() -> Table:
    """What a packet waits for when a ring is full: all of it, and what isn't the data plane's."""
    d = document_of("components")
    ring = Traced.of(d.value, "saturation.ring")
    half = Alternative("half of the ring, as at a random moment", ring.value / 2)
    what = "packets that are served before one that came last"
    return Table(
        number=10,
        title="Latency at saturation",
        claims=(
            given(d, "saturation.ring", "receive ring"),
            checked(d, "saturation.slope", what, ring, bound=5.0, alternative=half),
        ),
        refusals=(
            Refusal(
                what="the constant part, which is longer than the ring's",
                rows=1,
                why="queues of the port and of the generator, of which nothing is known; a "
                "scenario has nic.rx_latency_ns and nic.tx_latency_ns for it",
            ),
        ),
    )


def _pcie_latency() -> Table:
    title = "PCIe read latency by size, Sandy Bridge host"
    rows = rows_of(f"{pcie_sizes.HOST}/lat_dma_sizes.csv")
    if not rows:
        return absent(3, title)
    found = {int(r["SZ"]): float(r["Med(ns)"]) for r in rows if r["Test"] == "LAT_DMA_RD"}
    claims = [
        entered(_id(size), f"LAT_DMA_RD.{size}B", f"{size} B", _figure(size, found))
        for size in _ENDS
    ]
    claims += [
        against(
            f"LAT_DMA_RD.{size}B",
            f"{size} B",
            Traced.of(_on_the_line, size, found),
            *figured(_figure, size, found),
            bound=5.0,
        )
        for size in sorted(found)
        if size not in _ENDS
    ]
    return Table(
        number=3,
        title=title,
        claims=tuple(claims),
        refusals=(
            Refusal(
                what="a write, then a read of it (LAT_DMA_WRRD)",
                rows=sum(r["Test"] == "LAT_DMA_WRRD" for r in rows),
                why="what the device does between the two isn't known",
            ),
        ),
        notes=("a line through its two ends: that the rest is on it is no evidence about PCIe",),
    )


def _id(size: int) -> str:
    return f"{pcie_sizes.HOST}:LAT_DMA_RD.{size}B"


def _figure(size: int, found: dict[int, float]) -> Figure:
    return Figure(value=read(_id(size), found[size]), unit="ns", place="LAT_DMA_RD, median")


def _on_the_line(size: int, found: dict[int, float]) -> float:
    low, high = (read(_id(end), found[end]) for end in _ENDS)
    return low + (high - low) * (size - _ENDS[0]) / (_ENDS[1] - _ENDS[0])
