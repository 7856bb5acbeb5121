"""Placement: which CPUs forward, with what bursts, rings and pages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from planecast.scenario.cpus import CPU_LIMIT, format_cpus, parse_cpus
from planecast.scenario.model import Count, Noun, listed, power_of_two, value_text


def _cpu_list(value: Any) -> str | None:
    if value is None:
        return None
    # YAML reads `cpus: 1` as a number; bool is an int in Python and is no CPU.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"got {value}, which is not a CPU list such as 1 or 0-3,8")
    # One spelling for each set of CPUs, so that equal placements compare equal.
    return format_cpus(parse_cpus(str(value)))


CpuList = Annotated[str | None, BeforeValidator(_cpu_list, json_schema_input_type=int | str | None)]


def _lcores(value: Any) -> Any:
    """Refuses what reads as a CPU list, which this key was once."""
    text = value_text(value)
    if isinstance(value, list | tuple | str) or text == "0":
        raise ValueError(
            f"got {text}, but lcores is how many lcores forward, such as 2; for these CPUs write "
            f"cpus: {text}"
        )
    return value


def _all_of_them(data: dict[str, Any]) -> int:
    return len(parse_cpus(data["cpus"])) if data.get("cpus") else 1


CorePriority = Literal["none", "high", "low"]
"""With Speed Select Base Frequency: whose base clock a core has."""

RingSize = Annotated[Count, Field(ge=32, le=16384), AfterValidator(power_of_two)]


class Placement(Noun):
    """How the workload is laid over the machine: run-to-completion on each forwarding lcore, or in
    segments that hand packets on."""

    cpus: CpuList = None
    """CPUs that forward, such as 1 or 0-3,8: of more than `lcores` the first ones. null: chosen by
    the machine that measures, isolated CPUs and whole cores first."""
    lcores: Annotated[
        int,
        BeforeValidator(_lcores, json_schema_input_type=int),
        Field(ge=1, le=CPU_LIMIT),
    ] = Field(default_factory=_all_of_them)
    """How many lcores forward, each on a CPU of its own. Left out: as many as `cpus` names, or
    one."""
    burst: Annotated[Count, Field(ge=1, le=256)] = 32
    """Packets that are taken from a ring at a time, at most."""
    page_size: Literal["auto", "4KiB", "2MiB"] = "auto"
    """Pages that tables and buffers lie in; auto takes 2 MiB pages when some are free."""
    rx_ring: RingSize = 128
    """Descriptors of a receive ring: the buffers that packets cycle through."""
    tx_ring: RingSize = 512
    """Descriptors of a transmit ring."""
    cuts: Annotated[
        tuple[str, ...], BeforeValidator(listed, json_schema_input_type=list[str] | str)
    ] = ()
    """Stages (or tx) before which packets are handed to the next lcore over a ring; none: every
    lcore runs the whole pipeline. With one cut, lcores work in pairs."""
    handoff_ring: RingSize = 256
    """Packets that may wait between two lcores of a cut pipeline."""
    ring_wait: bool = True
    """An lcore waits for room in a full ring; otherwise what has no room in it is dropped."""
    handoff_ns: Annotated[float | None, Field(ge=0, le=1e6)] = None
    """Nanoseconds until the next lcore sees what was handed on: a cache line's way from core to
    core. null: what the probe measured, or the published 48. For the simulator."""
    core_ghz: Annotated[float | None, Field(ge=0.1, le=10)] = None
    """Clock of the forwarding cores; null: as calibrated, or the machine's base clock. For the
    model."""
    core_priority: CorePriority = "none"
    """Speed Select class of the forwarding cores, which has a clock of its own. For the model."""
    llc_ways: Annotated[Count | None, Field(ge=1, le=64)] = None
    """Ways of the last-level cache that the lcores may fill; null: all. For the model."""
    busy_siblings: bool = False
    """The other hardware thread of each lcore's core forwards the same, too; two lcores are then
    the two threads of a core. For the model."""
    remote_memory: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the lines from memory that another socket's memory serves; 0: all are local. For the
    model."""
    stage_clock: Annotated[Count, Field(ge=0, le=1 << 20)] = 16
    """The clock is read between stages in one burst of so many; 0 never reads it."""

    @field_validator("lcores")
    @classmethod
    def _have_cpus(cls, lcores: int, info: ValidationInfo) -> int:
        cpus = info.data.get("cpus")  # absent when it was refused itself
        if cpus is not None and lcores > len(parse_cpus(cpus)):
            raise ValueError(
                f"{lcores} lcores forward, but cpus names {cpus}: name more, or leave cpus out"
            )
        return lcores

    @property
    def segments(self) -> int:
        """Lcores that a packet passes: one where pipelines can't be cut."""
        return len(self.__dict__.get("cuts", ())) + 1

    @property
    def chains(self) -> tuple[tuple[int, ...], ...]:
        """CPUs of every chain that a packet may pass, in its order. Uncut, an lcore is a chain."""
        cpus, length = self.numbers, self.segments
        return tuple(cpus[first : first + length] for first in range(0, len(cpus), length))

    def on(self, cpus: Collection[int]) -> Placement:
        """The same on these CPUs, an lcore on each."""
        return self.model_copy(update={"cpus": format_cpus(cpus), "lcores": len(cpus)})

    @property
    def numbers(self) -> tuple[int, ...]:
        """CPU numbers of the lcores, ascending, where they are names alone; from 1 on unless `cpus`
        says which. `scenario.host_cpus` chooses those of a measurement."""
        named = parse_cpus(self.cpus) if self.cpus is not None else range(1, self.lcores + 1)
        return tuple(named[: self.lcores])
