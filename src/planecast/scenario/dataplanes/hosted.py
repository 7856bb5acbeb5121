"""What data planes that are started have in common: what their links are, the host they run on."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from planecast.scenario.conditional import ConditionalNoun

OWN_ALONE = (
    "workload",
    "nic",
    "accelerator",
    "interference",
    "traffic.new_flows_pps",
    "traffic.dropped",
    "traffic.drop_cycles",
    "placement.page_size",
    "placement.cuts",
    "placement.handoff_ring",
    "placement.ring_wait",
    "placement.handoff_ns",
    "placement.stage_clock",
)
"""Keys and sections of a scenario that say something of planecast's own stages, of which programs
of others have none."""

NOT_ROUTED = (*OWN_ALONE, "traffic.destination_step")
"""Those of a program that has no routes, which destinations would be spread over."""

Ports = Literal["memif", "vhost-user", "veth", "af_xdp", "named"]


class Kind(ConditionalNoun):
    """A kind of data plane, and the keys that belong to it."""

    lacks: ClassVar[tuple[str, ...]] = NOT_ROUTED
    """Keys and sections of the scenario that do not apply to it."""

    kind: str
    """Which program forwards."""

    @property
    def subject(self) -> str:
        """What it is, as a calibration calls it: of what has another name no figure is known."""
        return self.kind

    @property
    def programs(self) -> int:
        """How many are in series."""
        return 1


class Hosted(Kind):
    """A data plane that is started between two links, here or on another host."""

    ports: Ports = "memif"
    """What links are: memory interfaces, as containers have; vhost-user and virtio-user, as virtual
    machines have; pairs of virtual Ethernet in a network namespace, by AF_PACKET (veth) or by
    AF_XDP; or, at both ends, the devices that `devices` and `generator_devices` name."""
    host: str | None = None
    """Another host that it runs on, as OpenSSH calls it: planecast is there, too, and placement is
    of that host's CPUs. null: this one."""
    ssh_config: str | None = None
    """host: OpenSSH's configuration file; null: your own."""
    host_planecast: str = "planecast"
    """host: the program there, in its search path or with its path."""

    @property
    def cabled(self) -> bool:
        """Whether its links are virtual Ethernet in a network namespace."""
        return self.ports in ("veth", "af_xdp")

    @model_validator(mode="after")
    def _host_is_named(self) -> Self:
        if self.host is None and (self.ssh_config or self.host_planecast != "planecast"):
            raise ValueError(
                "access to a host is configured, but no host is named; set dataplane.host"
            )
        return self


class Mapped(Kind):
    """A data plane whose functions a map divides among stages."""

    stage_map: str | None = None
    """For ``profile``: a file that says which functions are which stage; null: the catalogue's map
    of the program. In a scenario file, relative to that file's folder."""
