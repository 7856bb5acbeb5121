"""Data planes between two links of a choice of ports, alone or several in series."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.scenario.conditional import Only
from planecast.scenario.dataplanes.hosted import Hosted
from planecast.scenario.model import Count


def _devices(value: Any) -> Any:
    """A YAML list, or text with blanks between: a virtual device has commas of its own."""
    if isinstance(value, str):
        return () if value == "none" else tuple(value.split())
    return tuple(value) if isinstance(value, list) else value


Devices = Annotated[
    tuple[str, ...],
    BeforeValidator(_devices, json_schema_input_type=list[str]),
    Only("ports", "named"),
]


class Linked(Hosted):
    """A data plane whose ports can be of any kind."""

    devices: Devices = ()
    """named: where packets come in and go out, two of: a PCI address (0000:18:00.0), a network
    interface (eth1), a virtual device of DPDK (net_tap0,iface=in)."""
    generator_devices: Devices = ()
    """named: where the generator sends and receives, two likewise."""

    @model_validator(mode="after")
    def _devices_are_two(self) -> Self:
        if self.ports != "named":
            return self
        for name, devices in (
            ("devices", self.devices),
            ("generator_devices", self.generator_devices),
        ):
            if len(set(devices)) != 2:
                raise ValueError(
                    f"got {len(set(devices))} {name}, but packets come in at one and go out at "
                    f"another; name two in dataplane.{name}"
                )
        return self


class Chained(Linked):
    """A data plane of which several can stand in series."""

    chain: Annotated[Count, Field(ge=1, le=8)] = 1
    """Programs in series, a link from each to the next; they take turns on the CPUs that
    forward."""

    @property
    def programs(self) -> int:
        """How many are in series."""
        return self.chain
