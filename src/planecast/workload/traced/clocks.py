"""Clocks: which stages of a program of others each reading of the meter's clock is of.

The meter times what makes the packets (`source`), the drivers' functions (`rx`, `tx`), and calls
the rest of a poll `program`: all other stages together. A clock says something of stages if it
times their code and no other. Open vSwitch's stages rx and tx have more of its own functions in
them than of the drivers', so of its clocks the source's alone is of a stage; the others are of all
other stages together. VPP times its nodes itself; what is left has its main loop in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planecast.scenario.dataplane import kind_in
from planecast.workload.counts import IO_STAGES

PROGRAM = "program"
"""What the meter calls all that is between a program's ports."""
NOT_AS_TIMED: Mapping[str, tuple[str, ...]] = {"ovs": ("rx", PROGRAM, "tx")}
"""By kind of program: clocks that cut through its stages."""
LEFT: Mapping[str, tuple[str, ...]] = {"vpp": ("source", "dispatch")}
"""By kind of program that times its own stages: those that it doesn't, together the source's."""


@dataclass(frozen=True)
class Timed:
    """Clocks that together time the code of some stages and no other."""

    clocks: tuple[str, ...]
    stages: tuple[str, ...]
    """In pipeline order."""

    @property
    def name(self) -> str:
        """What all of it is called as one."""
        return PROGRAM if PROGRAM in self.clocks else self.clocks[0]


def timed(subject: str, stages: Sequence[str]) -> tuple[Timed, ...]:
    """As few stages together as the clocks of a program with these stages distinguish."""
    kind = kind_in(subject)
    if kind in LEFT:
        nodes = (Timed((name,), (name,)) for name in stages if name not in LEFT[kind])
        return (Timed(("source",), LEFT[kind]), *nodes)
    found = [Timed((name,), (name,)) for name in stages if name in IO_STAGES]
    inner = tuple(name for name in stages if name not in IO_STAGES)
    if inner:
        found.append(Timed((PROGRAM,), inner))
    cut = NOT_AS_TIMED.get(kind)
    if cut is None:
        return tuple(found)
    apart = [one for one in found if not set(one.clocks) & set(cut)]
    known = {name for one in apart for name in one.stages}
    return (*apart, Timed(cut, tuple(name for name in stages if name not in known)))


def clocked_stages(subject: str, stages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Stages by the name of the clock that alone times them."""
    every = timed(subject, stages)
    return {one.clocks[0]: one.stages for one in every if len(one.clocks) == 1}
