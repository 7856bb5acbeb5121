"""The data plane under test, between which ports and on which host: for searches."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.scenario.model import Count, Noun


def _devices(value: Any) -> Any:
    """A YAML list, or text with blanks between: a virtual device has commas of its own."""
    if isinstance(value, str):
        return () if value == "none" else tuple(value.split())
    return tuple(value) if isinstance(value, list) else value


Devices = Annotated[tuple[str, ...], BeforeValidator(_devices, json_schema_input_type=list[str])]


class DataplaneUnderTest(Noun):
    """Which program forwards, and how packets come to it. What a workload says of tables belongs to
    planecast's own alone."""

    kind: Literal["ours", "testpmd", "l3fwd", "ovs", "vpp", "command", "external"] = "ours"
    """ours: planecast's data plane; DPDK's testpmd or l3fwd; Open vSwitch with DPDK; VPP; command:
    any program, started as `command` says; external: nothing is started, what forwards between the
    ports of `generator` is there already."""
    mode: Literal["io", "mac", "macswap"] = "io"
    """testpmd, and a switch's guests: pass packets on; write MAC addresses; swap them."""
    chain: Annotated[Count, Field(ge=1, le=8)] = 1
    """Programs in series, a link from each to the next; they take turns on the CPUs that
    forward."""
    graph: Literal["workload", "l2xc", "l2patch", "l2bridge", "ip4", "ip6"] = "workload"
    """vpp: what it forwards by. workload: what `workload.kind` says, l2patch, l2bridge or ip4, with
    that workload's tables, and l2xc, the L2 cross-connect, where no workload is named; ip6: IPv6
    routes, as many as `workload.routes`."""
    guests: Annotated[Count, Field(ge=0, le=4)] = 0
    """ovs: testpmd programs at ports of the switch, as virtual machines or containers are; it
    sends each packet through all of them."""
    ports: Literal["memif", "vhost-user", "veth", "named"] = "memif"
    """What links are: memory interfaces, as containers have; vhost-user and virtio-user, as virtual
    machines have; pairs of virtual Ethernet in a network namespace; or, at both ends, the devices
    that `devices` and `generator_devices` name."""
    devices: Devices = ()
    """named: where packets come in and go out, two of: a PCI address (0000:18:00.0), a network
    interface (eth1), a virtual device of DPDK (net_tap0,iface=in)."""
    generator_devices: Devices = ()
    """named: where the generator sends and receives, two likewise."""
    host: str | None = None
    """Another host that it runs on, as OpenSSH calls it: planecast is there, too, and placement is
    of that host's CPUs. null: this one."""
    ssh_config: str | None = None
    """host: OpenSSH's configuration file; null: your own."""
    host_planecast: str = "planecast"
    """host: the program there, in its search path or with its path."""
    program: str | None = None
    """Path of the binary; null: where it is usually found."""
    command: str | None = None
    """command: what is started, without a shell. {in} and {out} stand for the sockets (or
    interfaces) of the two links, {in_role} and {out_role} for its side of each, {in_eal} and
    {out_eal} for the whole argument of a DPDK program, {ring} for the logarithm of their ring
    sizes, {cpu} for the CPU that forwards, {main_cpu} for one that may sleep, {folder} for an
    empty folder."""
    stage_map: str | None = None
    """For ``profile``: a file that says which functions are which stage; null: the catalogue's map
    of the program. In a scenario file, relative to that file's folder."""
    ready: str | None = None
    """command: words in its output that say it is up; null: packets come through."""

    @model_validator(mode="after")
    def _command_belongs(self) -> Self:
        if self.kind == "command" and not self.command:
            raise ValueError("kind is 'command', but none is named; set dataplane.command")
        if self.kind != "command" and (self.command or self.ready):
            raise ValueError(f"a command is named, but kind is '{self.kind}'; set it to command")
        return self

    @model_validator(mode="after")
    def _can_be_wired(self) -> Self:
        if self.kind in ("ovs", "vpp") and self.chain > 1:
            raise ValueError(
                f"got a chain of {self.chain}, but {self.kind} comes alone; chain others, or give "
                "ovs guests"
            )
        if self.guests and self.kind != "ovs":
            raise ValueError(f"got {self.guests} guests, but {self.kind} is no switch; take ovs")
        if self.kind != "vpp" and self.graph != "workload":
            raise ValueError(f"got graph '{self.graph}', but {self.kind} has none; take vpp")
        if self.kind == "vpp" and self.ports != "memif":
            raise ValueError(f"got ports '{self.ports}', but vpp is known with memif alone")
        if self.host is None and (self.ssh_config or self.host_planecast != "planecast"):
            raise ValueError("how to reach a host is said, but none is named; set dataplane.host")
        return self

    @model_validator(mode="after")
    def _devices_are_two(self) -> Self:
        for name, devices in (
            ("devices", self.devices),
            ("generator_devices", self.generator_devices),
        ):
            if self.ports != "named" and devices:
                raise ValueError(f"{name} are named, but ports are '{self.ports}'; set it to named")
            if self.ports == "named" and len(set(devices)) != 2:
                raise ValueError(
                    f"got {len(set(devices))} {name}, but packets come in at one and go out at "
                    f"another; name two in dataplane.{name}"
                )
        return self
