"""What a tenant's work costs, as caches, memory and clocks change it.

Packets are the unit; a neighbour's unit is a line of memory that it touches.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from planecast.results.basis import Basis
from planecast.scenario.model import Bytes, Noun


def _or_a_run(schema: dict[str, Any]) -> None:
    """What an editor knows: a run stands for the keys that a section needs."""
    schema["anyOf"] = [{"required": ["run"]}, {"required": schema.pop("required")}]


class Profile(Noun):
    """Cost of a packet in parts that a division of the machine changes differently."""

    model_config = ConfigDict(json_schema_extra=_or_a_run)

    run: str | None = None
    """A run of planecast measure or profile that this is of: its folder, its name, latest, RUN#2.
    It shows whatever the section doesn't, by the latest calibration."""
    cycles: Annotated[float, Field(gt=0, le=1e9)]
    """Core cycles of a packet whose data is in the core's own caches, at 64 bytes."""
    cycles_per_line: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """More for each further 64 bytes of the frame: copies."""
    touches: Annotated[float, Field(ge=0, le=1e6)]
    """Lines of its working set that a packet touches beyond the core's own caches."""
    touches_per_line: Annotated[float, Field(ge=0, le=1e3)] = 0.0
    """More for each further 64 bytes of the frame."""
    working_set: Bytes
    """Bytes that these lines are among, touched at random."""
    exposed: Annotated[float, Field(gt=0, le=1)] = 0.3
    """Share of a touch's latency that out-of-order execution and prefetching don't hide."""
    uncertainty: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Relative, of its cost: 95 %."""
    calibration: Basis | None = None
    """What a run's cost was divided into these parts with; it is filled in."""

    @model_validator(mode="before")
    @classmethod
    def _of_run(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("run"), str):
            return value
        # The models behind it take time to load, and most tenants files ask for none of them.
        from planecast.partition.profile_from_run import profile_values

        # One that was kept (a plan's) has everything already, and its run may be gone.
        if value.keys() >= {"cycles", "touches", "working_set", "exposed"}:
            return value
        return {**profile_values(value["run"]), **value}

    def cycles_at(self, frame_bytes: int) -> float:
        """Core cycles of a packet of this size."""
        return self.cycles + self.cycles_per_line * (frame_bytes - 64) / 64

    def touches_at(self, frame_bytes: int) -> float:
        """Lines that a packet of this size touches beyond the core's own caches."""
        return self.touches + self.touches_per_line * (frame_bytes - 64) / 64


_MIB = 1 << 20

PROFILES: dict[str, Profile] = {
    # Cycles: published cycles a packet on an E5-2699v4 without hyper-threading (BSDP, section 4),
    # less what the touches cost there. Working sets and touches: assumed from the tables' sizes,
    # and therefore wide in their uncertainty.
    "l3fwd": Profile(cycles=80, touches=2, working_set=2 * _MIB, exposed=0.25, uncertainty=0.15),
    "ovs-dpdk": Profile(cycles=230, touches=6, working_set=4 * _MIB, exposed=0.3, uncertainty=0.2),
    "vpp-ipv4": Profile(cycles=185, touches=4, working_set=4 * _MIB, exposed=0.3, uncertainty=0.2),
    # A pass through the switch to or from a VM, as `planecast reproduce res` has it: OVS's
    # published cycles on this kind of core and the interconnect's time for five lines and for the
    # copy; the lines of six ports with rings of 2,048 buffers; the blocking factor of the vPE
    # study. Payload is copied soon after the card wrote it, so neighbours take none of its lines.
    "ovs-dpdk-vhost": Profile(
        cycles=325,
        cycles_per_line=8.4,
        touches=5,
        working_set=6 * 2048 * 5 * 64,
        exposed=0.226,
        uncertainty=0.25,
    ),
    "vpp-vrouter": Profile(
        cycles=240, touches=7, working_set=4 * _MIB, exposed=0.3, uncertainty=0.25
    ),
    # 904 instructions at a CPI of 0.5, and 64 MB of routes of which every packet touches another
    # place (the vPE study).
    "vpe-upstream": Profile(
        cycles=452, touches=3, working_set=22 * _MIB, exposed=0.25, uncertainty=0.1
    ),
    # Neighbours; a unit is a line. A stream has as many in flight as a core can.
    "stream": Profile(cycles=1, touches=1, working_set=1 << 30, exposed=1 / 12, uncertainty=0.3),
    "walk": Profile(cycles=6, touches=1, working_set=64 * _MIB, exposed=0.3, uncertainty=0.3),
    "quiet": Profile(cycles=1e6, touches=100, working_set=_MIB, exposed=0.3, uncertainty=0.5),
}
"""Profiles that a tenants file may name."""
