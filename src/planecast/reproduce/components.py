"""Parts of the model against measurements of others: memory under load, PCIe, many cores.

Where the shared measurements are absent (`PLANECAST_SHARED_DATA`, else ``../shared/data``), their
tables have no claims, and say so.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path

from planecast.engines.simulate.limits import (
    MAX_PAYLOAD,
    pcie_data_bps,
    read_bytes,
    write_bytes,
)
from planecast.machine.ceilings import forward, line_rate_pps
from planecast.machine.memory import fitted
from planecast.reproduce.claim import Claim, Table, against, checked, given, mean_goal
from planecast.reproduce.documents import Figure, document_of

_PCIE = "pcie-bench/snb-Xeon-E5-2630_dell-t620"
_RATES = "csit/csit_hsw_1701.csv"
LINK = "gen3x8"
PEAK_GBS = 136.5
"""Two sockets with four channels of DDR4-2133, which the points' highest load comes up to."""
SIZES = (64, 128, 256, 512, 1024, 2048)


_ADDED_BYTES = {"dot1ad": 8, "dot1q": 4, "vxlan": 50, "lispip4": 36, "lispip6": 56}
"""Headers that a suite adds to its frames on one of the two links, by part of its name."""
_ONE_FLOW = "lisp"
"""Suites whose tunnel has one pair of addresses and one UDP source port (4341, FD.io VPP,
vnet/lisp-gpe/lisp_gpe_tunnel.c): RSS sends all of a direction to one queue, thus to one core.
VXLAN's source port is a hash of what it carries."""
DIRECTIONS = 2


def data_folder() -> Path | None:
    """Where measurements of others are, if anywhere."""
    named = os.environ.get("PLANECAST_SHARED_DATA")
    folder = Path(named) if named else Path("../shared/data")
    return folder if folder.is_dir() else None


def tables() -> list[Table]:
    """All tables of parts."""
    folder = data_folder()
    return [_memory(), _pcie_rate(folder), _pcie_latency(folder), _rates(folder)]


def _memory() -> Table:
    d = document_of("components")
    inputs, checks = ("1.2", "68.4", "135.7"), ("42.7", "131.3")
    points = tuple((float(load), d.value(f"latency.{load}")) for load in inputs)
    memory = fitted(points, PEAK_GBS)
    claims = [given(d, f"latency.{load}", f"latency at {load} GB/s") for load in inputs]
    claims += [
        checked(
            d, f"latency.{load}", f"latency at {load} GB/s", memory.latency_ns(float(load)), bound=5
        )
        for load in checks
    ]
    return Table(
        number=1,
        title="Memory latency under load",
        claims=tuple(claims),
        notes=(f"rise {memory.rise:.2f}, reach {memory.reach:.2f} of {PEAK_GBS:g} GB/s",),
    )


def _rows(folder: Path | None, name: str) -> list[dict[str, str]]:
    path = None if folder is None else folder / name
    if path is None or not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _absent(number: int, title: str) -> Table:
    return Table(number=number, title=title, claims=(), notes=("the measurements are not here",))


def _pcie_rate(folder: Path | None) -> Table:
    title = "PCIe transfers by size, Sandy Bridge host, gen3 x8"
    rows = _rows(folder, f"{_PCIE}/bw_dma_sz_sweep.csv")
    if not rows:
        return _absent(2, title)
    rate = pcie_data_bps(LINK)
    claims: list[Claim] = []
    for test, sent in (("BW_DMA_WR", write_bytes), ("BW_DMA_RD", read_bytes)):
        found = {int(r["SZ"]): float(r["Trans/s"]) for r in rows if r["Test"] == test}
        engine = found[16]  # 16 bytes are too few to fill the link: what the device can do
        figure = Figure(value=engine / 1e6, unit="M/s", place=test)
        claims.append(_input(f"{test}.16B", "transfers of 16 B: the device's own limit", figure))
        for size in SIZES:
            packets = -(-size // MAX_PAYLOAD) if test == "BW_DMA_WR" else 1
            ours = min(engine / packets, rate / (8 * max(sent(size))))
            measured = Figure(value=found[size] / 1e6, unit="M/s", place=test)
            what = f"{test}, {size} B"
            claims.append(against(f"{test}.{size}B", what, ours / 1e6, measured, bound=10.0))
    checks = [claim for claim in claims if claim.role == "check"]
    return Table(
        number=2,
        title=title,
        claims=tuple(claims),
        goals=(mean_goal("pcie.mean", "mean error of transfers a second", checks, 10.0),),
        notes=("completions of 256 B are assumed; where the host splits them it is slower",),
    )


def _input(key: str, what: str, figure: Figure) -> Claim:
    value = figure.value or 0.0
    return Claim(
        id=key,
        what=what,
        unit=figure.unit,
        published=value,
        ours=value,
        error_percent=0.0,
        role="input",
    )


def _pcie_latency(folder: Path | None) -> Table:
    title = "PCIe read latency by size, Sandy Bridge host"
    rows = _rows(folder, f"{_PCIE}/lat_dma_sizes.csv")
    if not rows:
        return _absent(3, title)
    found = {int(r["SZ"]): float(r["Med(ns)"]) for r in rows if r["Test"] == "LAT_DMA_RD"}
    slope = (found[2048] - found[8]) / (2048 - 8)
    claims = [
        _input(f"LAT_DMA_RD.{size}B", f"{size} B", Figure(value=found[size], unit="ns", place=""))
        for size in (8, 2048)
    ]
    claims += [
        against(
            f"LAT_DMA_RD.{size}B",
            f"{size} B",
            found[8] + slope * (size - 8),
            Figure(value=found[size], unit="ns", place="LAT_DMA_RD, median"),
            bound=5.0,
        )
        for size in (64, 128, 256, 512, 1024)
    ]
    return Table(number=3, title=title, claims=tuple(claims))


def _rates(folder: Path | None) -> Table:
    title = "Rates by cores, E5-2699v3, 64 B, X520"
    rows = _rows(folder, _RATES)
    if not rows:
        return _absent(4, title)
    ceiling, found = _ceiling(rows), dict(_suites(rows))
    claims = [_input("testpmd.1", "the card's ceiling: testpmd on one core", ceiling)]
    for suite, rates in sorted(found.items()):
        added = next((size for name, size in _ADDED_BYTES.items() if name in suite), 0)
        limit = {
            "NIC": (ceiling.value or 0.0) * 1e6,
            "link": DIRECTIONS * line_rate_pps(10, 64 + added),
        }
        if _ONE_FLOW in suite:
            limit["queue of the tunnel"] = DIRECTIONS * rates[1] * 1e6
        one = Figure(value=rates[1], unit="Mpps", place=suite)
        claims.append(_input(f"{suite}.1", f"{suite}, 1 core", one))
        for cores in (2, 4):
            if cores in rates:
                ours = forward(rates[1] * 1e6, cores, limit).pps / 1e6
                figure = Figure(value=rates[cores], unit="Mpps", place=suite)
                what = f"{suite}, {cores} cores"
                claims.append(against(f"{suite}.{cores}", what, ours, figure, bound=10.0))
    checks = [claim for claim in claims if claim.role == "check"]
    return Table(
        number=4,
        title=title,
        claims=tuple(claims),
        goals=(mean_goal("rates.mean", "mean error of rates of 2 and 4 cores", checks, 10.0),),
        notes=(
            "one core's rate is the input; linear until the card's ceiling or the links' with what "
            "a suite adds to its frames. A LISP tunnel is one flow for RSS, so that one core a "
            "direction takes all that it carries",
        ),
    )


def _ceiling(rows: list[dict[str, str]]) -> Figure:
    for row in rows:
        if row["suite"] == "testpmd" and "x520" in row["file"] and "-64B-1t1c-" in row["test"]:
            return Figure(value=float(row["ndr_mpps"]), unit="Mpps", place=row["test"])
    raise KeyError("testpmd on an X520")


def _suites(rows: list[dict[str, str]]) -> Iterator[tuple[str, dict[int, float]]]:
    """Non-drop rates by cores, of suites that forward between two physical ports."""
    found: dict[str, dict[int, float]] = {}
    for row in rows:
        match = re.search(r"-64B-(\d)t\1c-(.*)-ndrdisc$", row["test"])
        if (
            match
            and "x520" in row["file"]
            and row["suite"] != "testpmd"
            and "vm" not in row["file"]
        ):
            found.setdefault(match[2], {})[int(match[1])] = float(row["ndr_mpps"])
    return iter((suite, rates) for suite, rates in found.items() if 1 in rates and len(rates) > 1)
