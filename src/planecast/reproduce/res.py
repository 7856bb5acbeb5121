"""RES: faster high-priority cores, and cache and bandwidth classes against a noisy neighbour."""

from __future__ import annotations

from itertools import pairwise

from planecast.machine.ceilings import card_ceilings, forward
from planecast.machine.clocks import Clocked, core_ghz
from planecast.machine.tenants import Cache, Tenant, memory_of, share
from planecast.machine.vswitch import Pass, switched
from planecast.reproduce.bsdp import clocked
from planecast.reproduce.claim import Claim, Curve, Goal, Table, against, checked, given
from planecast.reproduce.documents import Figure, document_of
from planecast.reproduce.vpe import Study
from planecast.scenario.machine import LINE_BYTES, card_of, machine_of

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


def blocking_factor() -> float:
    """Share of a miss's latency that isn't hidden, from the vPE study's regression."""
    return Study(document_of("vpe")).blocking_factor


def _carried(application: str, family: str) -> Clocked:
    """An application on the 6230N's kind of core: BSDP's cost by SKX's published change."""
    figure = document_of("skx").figures[f"cpp.noHT.{family}"]
    assert figure.low is not None
    assert figure.high is not None
    ratio = 1 + (figure.low + figure.high) / 2 / 100
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


def _l3fwd() -> Table:
    d = document_of("res")
    limits = card_ceilings(card_of("x710"), ports=4, cards=1, frame_bytes=64)
    cost = _carried("l3fwd", "dpdk")
    curve = []
    for name in ("gold-5218n", "gold-6230n", "gold-6252n"):
        machine = machine_of(name)
        gain = _gain(cost, core_ghz(machine), core_ghz(machine, priority="high"), limits)
        curve.append((core_ghz(machine, priority="high"), gain))
    machine = machine_of(MACHINE)
    fast = core_ghz(machine, priority="high")
    ours = _gain(cost, core_ghz(machine), fast, limits)
    capped = forward(cost.pps(fast), 1, limits).capped_by
    return Table(
        number=1,
        title="SST-BF: l3fwd on one core",
        claims=(
            given(d, "base.ghz", "base clock"),
            given(d, "high.ghz", "clock of high-priority cores"),
            *_carried_inputs(),
            checked(d, "sst-bf.l3fwd", f"6230N, l3fwd 64 B, capped by {capped}", ours, bound=BOUND),
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


def _switch() -> Table:
    d = document_of("res")
    slow, fast = d.value("base.ghz"), d.value("high.ghz")
    claims = []
    points = []
    for frame in SST_FRAMES:
        gain = _gain(_pass(frame), slow, fast, {})
        points.append((float(frame), gain))
        claim = checked(d, "sst-bf.ovs", f"OVS-DPDK, {frame} B", gain, bound=BOUND)
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


def _classes() -> Table:
    d = document_of("res")
    claims: list[Claim] = []
    points = []
    for frame in FRAMES:
        stressed, kept = _rate(frame, classes=False), _rate(frame, classes=True)
        points.append((float(frame), kept / stressed))
        claim = checked(
            d,
            "classes.gain",
            f"{frame} B: rate with CAT and MBA over without",
            points[-1][1],
            bound=BOUND,
        )
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
        (gains[0] - 1) / (gains[-1] - 1),
        Figure(value=28.2 / 9.8, unit="ratio", place="largest and smallest label"),
        bound=50.0,
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


def _rate(frame: int, *, classes: bool) -> float:
    d, machine = document_of("res"), machine_of(MACHINE)
    fill = 1 / machine.core.line_fill_buffers.value
    switch = Tenant(
        "switch",
        d.value("threads.switch"),
        near_ns=PASSES * _pass(frame).cycles(d.value("base.ghz")) / d.value("base.ghz"),
        lines=PASSES * LINES,
        footprint_bytes=PORTS * RING * LINES * LINE_BYTES,
        exposed=blocking_factor(),
        mask=int(d.value("mask.switch")) if classes else None,
    )
    noisy = Tenant(
        "noisy",
        d.value("threads.noisy"),
        near_ns=1.0,
        lines=1.0,
        footprint_bytes=1e10,
        exposed=fill,
        mask=int(d.value("mask.noisy")) if classes else None,
        bandwidth_percent=d.value("mba.noisy") if classes else 100.0,
    )
    return share([switch, noisy], Cache.of(machine), memory_of(machine))["switch"].rate
