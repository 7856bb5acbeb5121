"""Clocks: which stages of a program of others each reading of the meter's clock is of.

The meter times what makes the packets (`source`), the drivers' functions (`rx`, `tx`), and calls
the rest of a poll `program`: all other stages together. A clock says something of stages if it
times their code and no other. Open vSwitch's stages rx and tx have more of its own functions in
them than of the drivers', so of its clocks that of the source alone does. VPP times its nodes
itself; what is left has its main loop in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.workload.counts import IO_STAGES

PROGRAM = "program"
"""What the meter calls all that is between a program's ports."""
NOT_AS_TIMED: Mapping[str, frozenset[str]] = {"ovs": frozenset({"rx", "tx", PROGRAM})}
"""By kind of program: clocks that cut through its stages."""


LEFT: Mapping[str, tuple[str, ...]] = {"vpp": ("source", "dispatch")}
"""By kind of program that times its own stages: those that it doesn't, together the source's."""


def clocked_stages(subject: str, stages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Stages by the name of the clock that times them."""
    kind = subject.partition(" ")[0]
    if kind in LEFT:
        nodes = {name: (name,) for name in stages if name not in LEFT[kind]}
        return {"source": LEFT[kind], **nodes}
    found: dict[str, tuple[str, ...]] = {name: (name,) for name in stages if name in IO_STAGES}
    inner = tuple(name for name in stages if name not in IO_STAGES)
    if inner:
        found[PROGRAM] = inner
    cut = NOT_AS_TIMED.get(kind, frozenset())
    return {name: own for name, own in found.items() if name not in cut}
