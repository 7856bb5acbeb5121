"""Telemetry as lines under a search's table: IPP, IPC and CPP, and how they came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planecast.cli.tables.sheet import estimate_text
from planecast.results.telemetry import Telemetry


def telemetry_lines(observed: Sequence[Telemetry]) -> Iterator[str]:
    """A few lines a rate; what is true of all rates once, at the end."""
    for one in observed:
        yield (
            f"at {one.rate}, {one.offered_pps / 1e6:.4g} Mpps (lost "
            f"{100 * one.loss_ratio:.2g} % while watched): {', '.join(_figures(one))}"
        )
        if one.ports:
            counted = ", ".join(f"{name} {value:,}" for name, value in one.ports.items() if value)
            yield f"  its ports over one of these trials: {counted or 'nothing'}"
        yield from (f"  {limit}" for limit in one.limits)
    yield from (f"telemetry: {mark}" for mark in _marks(observed))


def _figures(one: Telemetry) -> Iterator[str]:
    if one.cycles_per_packet is not None:
        yield f"CPP {estimate_text(one.cycles_per_packet)} {one.cycles_of} cycles"
    if one.cycles_without_ports is not None:
        yield f"{estimate_text(one.cycles_without_ports)} of them without its ports"
    if one.busy_cycles_per_packet is not None:
        yield f"{one.busy_cycles_per_packet:.1f} TSC cycles in its stages"
    if one.instructions_per_packet is not None:
        yield f"IPP {estimate_text(one.instructions_per_packet)}"
    if one.split is not None:
        split = one.split
        yield (
            f"by {split.instrument} {split.io:.1f} I/O + {split.processing:.1f} processing + "
            f"{split.other:.1f} other"
        )
    if one.ipc is not None:
        yield f"IPC {estimate_text(one.ipc)}"
    if one.cycles_per_packet is None and one.instructions_per_packet is None:
        yield "nothing counted"


def _marks(observed: Sequence[Telemetry]) -> list[str]:
    """Each mark once, with its rates unless it is of all."""
    about: dict[str, list[str]] = {}
    for one in observed:
        for mark in one.marks:
            about.setdefault(mark, []).append(one.rate)
    return [
        mark if len(rates) == len(observed) else f"{mark} ({', '.join(rates)})"
        for mark, rates in about.items()
    ]
