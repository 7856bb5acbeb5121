"""RES: faster high-priority cores, and cache and bandwidth classes against a noisy neighbour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.machine.ceilings import card_ceilings, forward
from planecast.machine.clocks import Clocked, core_ghz
from planecast.machine.hierarchy import SharedMemory
from planecast.machine.tenants import Shared, settle
from planecast.machine.vswitch import Pass, switched
from planecast.reproduce.bsdp import clocked
from planecast.reproduce.catalogued import card_of, machine_of
from planecast.reproduce.claim import (
    Alternative,
    Claim,
    Curve,
    Goal,
    Table,
    against,
    checked,
    figured,
    given,
)
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.provenance import Traced, remembered
from planecast.reproduce.vpe import Study

MACHINE = "gold-6230n"
FRAMES = (64, 128, 256, 512, 1024, 1280, 1518)
SST_FRAMES = (64, 128, 256, 512, 1024, 1518)
LINES = 5.0
"""Lines that a hand-over between switch and machine touches: routing touches five (BSDP)."""
PASSES = 2
"""Into the virtual machine and out of it."""
RING = 2048
"""OVS-DPDK's default receive ring, which it keeps full of buffers."""
PORTS = 6
BOUND = 4.0
"""Percent of a rate: the vPE study's across machines; this document states none."""


def tables() -> list[Table]:
    """All tables of the document."""
    return [_l3fwd(), _switch(), _classes()]


@remembered
def blocking_factor() -> float:
    """Share of a miss's latency that isn't hidden, from the vPE study's regression."""
    return Study(document_of("vpe")).blocking_factor


def _carried(application: str, family: str) -> Clocked:
    """An application on the 6230N's kind of core: BSDP's cost by SKX's published change."""
    low, high = document_of("skx").ends(f"cpp.noHT.{family}")
    ratio = 1 + (low + high) / 2 / 100
    old = clocked(application, "noHT")
    return Clocked(old.core_cycles * ratio, old.fixed_ns * ratio)


def _carried_inputs() -> tuple[Claim, ...]:
    """What of the other documents goes in here."""
    claims = [
        given(document_of("skx"), f"cpp.noHT.{family}", f"cycles, Skylake over Broadwell: {family}")
        for family in ("dpdk", "ovs")
    ]
    claims += [
        given(document_of("bsdp"), f"cpp.2.2GHz.noHT.{name}", f"cycles a packet: {name}")
        for name in ("l3fwd", "ovs-l2")
    ]
    places = ("skx", "skx", "bsdp", "bsdp")
    return tuple(
        claim.model_copy(update={"id": f"{place}.{claim.id}"})
        for place, claim in zip(places, claims, strict=True)
    )


def _gain(cost: Clocked, slow: float, fast: float, limits: dict[str, float]) -> float:
    before, after = (forward(cost.pps(ghz), 1, limits).pps for ghz in (slow, fast))
    return after / before


def _l3fwd_gain() -> float:
    machine = machine_of(MACHINE)
    limits = card_ceilings(card_of("x710"), ports=4, cards=1, frame_bytes=64)
    slow, fast = core_ghz(machine), core_ghz(machine, priority="high")
    return _gain(_carried("l3fwd", "dpdk"), slow, fast, limits)


def _l3fwd() -> Table:
    d = document_of("res")
    limits = card_ceilings(card_of("x710"), ports=4, cards=1, frame_bytes=64)
    cost = _carried("l3fwd", "dpdk")
    curve = []
    for name in ("gold-5218n", "gold-6230n", "gold-6252n"):
        machine = machine_of(name)
        gain = _gain(cost, core_ghz(machine), core_ghz(machine, priority="high"), limits)
        curve.append((core_ghz(machine, priority="high"), gain))
    fast = core_ghz(machine_of(MACHINE), priority="high")
    capped = forward(cost.pps(fast), 1, limits).capped_by
    clocks = d.value("high.ghz") / d.value("base.ghz")
    return Table(
        number=1,
        title="SST-BF: l3fwd on one core",
        claims=(
            given(d, "base.ghz", "base clock"),
            given(d, "high.ghz", "clock of high-priority cores"),
            *_carried_inputs(),
            checked(
                d,
                "sst-bf.l3fwd",
                f"6230N, l3fwd 64 B, capped by {capped}",
                Traced.of(_l3fwd_gain),
                bound=BOUND,
                alternative=Alternative("a rate as the clock", clocks),
            ),
        ),
        curves=(
            Curve(
                id="sst-bf.machines",
                what="gain of a high-priority core on 5218N, 6230N, 6252N",
                x="GHz",
                y="ratio",
                points=tuple(curve),
            ),
        ),
        notes=(
            f"cost: BSDP's l3fwd by the middle of SKX's published change; at {fast:g} GHz the core "
            f"would do {cost.pps(fast) / 1e6:.1f} Mpps, more than an X710's 35.8",
        ),
    )


def _pass(frame: int) -> Clocked:
    """A frame's pass through OVS on the 6230N."""
    cost = _carried("ovs-l2", "ovs")
    base = document_of("bsdp").value("low.ghz")
    way = Pass(LINES, blocking_factor())
    return switched(cost.cycles(base), machine_of(MACHINE), way, frame)


def _switch_gain(frame: int) -> float:
    d = document_of("res")
    return _gain(_pass(frame), d.value("base.ghz"), d.value("high.ghz"), {})


def _switch() -> Table:
    d = document_of("res")
    claims = []
    points = []
    half = 1 + (d.value("high.ghz") / d.value("base.ghz") - 1) / 2
    for frame in SST_FRAMES:
        ours = Traced.of(_switch_gain, frame)
        points.append((float(frame), ours.value))
        other = Alternative("half of the clock's gain at any size", half)
        what = f"OVS-DPDK, {frame} B"
        claim = checked(d, "sst-bf.ovs", what, ours, bound=BOUND, alternative=other)
        claims.append(claim.model_copy(update={"id": f"sst-bf.ovs.{frame}B"}))
    curve = Curve(id="sst-bf.ovs", what="gain by frame", x="bytes", y="ratio", points=tuple(points))
    return Table(
        number=2,
        title="SST-BF: OVS-DPDK and three routers",
        claims=tuple(claims),
        curves=(curve,),
        notes=(
            "five labels for six sizes, and the text doesn't say which: each size is held against "
            "their range",
            "the switch's cores decide; the routers' cores, 9 % slower with SST-BF, have room",
        ),
    )


def _classes_gain(frame: int) -> float:
    return _rate(frame, classes=True) / _rate(frame, classes=False)


def _ends_ratio() -> float:
    return (_classes_gain(FRAMES[0]) - 1) / (_classes_gain(FRAMES[-1]) - 1)


def _labels_ratio() -> Figure:
    low, high = document_of("res").ends("classes.gain")
    return Figure(value=(high - 1) / (low - 1), unit="ratio", place="largest and smallest label")


def _classes() -> Table:
    d = document_of("res")
    claims: list[Claim] = []
    points = []
    middle = sum(d.ends("classes.gain")) / 2
    other = Alternative("the middle of the range at any size", middle)
    for frame in FRAMES:
        ours = Traced.of(_classes_gain, frame)
        points.append((float(frame), ours.value))
        what = f"{frame} B: rate with CAT and MBA over without"
        claim = checked(d, "classes.gain", what, ours, bound=BOUND, alternative=other)
        claims.append(claim.model_copy(update={"id": f"classes.gain.{frame}B"}))
    gains = [gain for _, gain in points]
    smaller = sum(after <= before for before, after in pairwise(gains))
    goal = Goal(
        id="classes.shape",
        what="steps to a larger frame at which the gain falls",
        ours=float(smaller),
        bound=float(len(gains) - 1),
        unit="steps, all wanted",
        within=smaller == len(gains) - 1,
    )
    curve = Curve(id="classes", what="gain by frame", x="bytes", y="ratio", points=tuple(points))
    ends = against(
        "classes.gain.ratio",
        "gain at 64 B over gain at 1518 B, less 1 each",
        Traced.of(_ends_ratio),
        *figured(_labels_ratio),
        bound=50.0,
        alternative=Alternative("the same gain at any size", 1.0),
    )
    return Table(
        number=3,
        title="Memory stress, with and without cache and bandwidth classes",
        claims=(*claims, ends),
        goals=(goal,),
        curves=(curve,),
        notes=(
            "ten labels for seven sizes: each size is held against their range",
            f"assumed: {PORTS} ports with rings of {RING} buffers, {LINES:g} lines each, are what "
            "the switch cycles through; neighbours stream as many lines at a time as a core can",
            "payload doesn't count as a victim: it is copied soon after the card wrote it. This "
            "was set right after a first version that counted it gave a gain that rises with size",
        ),
    )


@remembered
def _rate(frame: int, *, classes: bool) -> float:
    d, machine = document_of("res"), machine_of(MACHINE)
    fill = 1 / machine.core.line_fill_buffers.value
    ways = int(machine.values.llc_ways.value)
    masks = [int(d.value(f"mask.{name}")) if classes else -1 for name in ("switch", "noisy")]
    busy_ns = PASSES * _pass(frame).cycles(d.value("base.ghz")) / d.value("base.ghz")
    exposed, touches = blocking_factor(), PASSES * LINES
    # The switch, then what is next to it, on one socket.
    found = settle(
        Shared(
            threads=np.array([[[d.value("threads.switch")], [d.value("threads.noisy")]]]),
            core_ns=np.array(
                [[busy_ns - touches * exposed * machine.l3_ns, 1.0 - fill * machine.l3_ns]]
            ),
            touches=np.array([[touches, 1.0]]),
            exposed=np.array([[exposed, fill]]),
            held_back=np.array([[[1.0], [100 / d.value("mba.noisy") if classes else 1.0]]]),
            footprint=np.array([PORTS * RING * LINES * LINE_BYTES, 1e10]),
            inside=np.array([[[bool(mask >> way & 1) for way in range(ways)] for mask in masks]]),
            way_bytes=np.array([machine.way_bytes]),
            llc_ns=machine.l3_ns,
            memory=SharedMemory.of(machine).curve(),
            same_memory=np.ones((1, 1)),
            demand=lambda capacity: capacity,
        )
    )
    return float(found.rates[0, 0, 0]) * 1e9
