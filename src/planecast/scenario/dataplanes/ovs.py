"""Open vSwitch with DPDK."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from planecast.scenario.conditional import Only
from planecast.scenario.dataplanes.dpdk_memory import DpdkMemory
from planecast.scenario.dataplanes.hosted import Mapped
from planecast.scenario.dataplanes.linked import Linked
from planecast.scenario.dataplanes.testpmd import TestpmdMode
from planecast.scenario.model import Count, power_of_two

MAX_RULES = 32768
"""The userspace datapath keeps 65,536 megaflows at most."""
MAX_MASKS = 32


class Ovs(Linked, Mapped, DpdkMemory):
    """Open vSwitch with its userspace datapath: ports that are cross-connected in pairs."""

    kind: Literal["ovs"]
    """Open vSwitch with DPDK."""
    rules: Annotated[Count, Field(ge=1, le=MAX_RULES), AfterValidator(power_of_two)] = 1
    """OpenFlow rules of packets that come in at the first port, a power of two; each becomes a
    megaflow. 1: what comes in at a port goes out at the other, and nothing else is looked up."""
    masks: Annotated[Count, Field(ge=1, le=MAX_MASKS)] = 1
    """Distinct masks among the rules: hash tables that a packet may have to be looked up in."""
    emc_insert_inv_prob: Annotated[Count, Field(ge=0, le=2**32 - 1)] = 100
    """A packet that the exact-match cache doesn't know is inserted with a probability of one in so
    many; 0 turns the cache off."""
    smc: bool = False
    """Whether the signature-match cache is on."""
    guests: Annotated[Count, Field(ge=0, le=4)] = 0
    """testpmd programs at ports of the switch, as virtual machines or containers are; it sends each
    packet through all of them."""
    guest_mode: Annotated[TestpmdMode, Only("guests", 1, 2, 3, 4)] = "io"
    """guests: pass packets on; write MAC addresses; swap them."""
    program: str | None = None
    """Path of ovs-vswitchd; null: the package's."""

    @property
    def subject(self) -> str:
        """With the caches that packets are looked up in. One rule is matched by the port and
        looks nothing up: to the model another program, no line leads from it to two rules."""
        if self.rules == 1:
            return "ovs l2xc"
        exact = "" if self.emc_insert_inv_prob else " without EMC"
        return f"ovs{exact}{' with SMC' if self.smc else ''}"

    @model_validator(mode="after")
    def _each_mask_has_a_rule(self) -> Self:
        if self.masks > self.rules:
            raise ValueError(
                f"{self.masks} masks are more than the {self.rules} rules; raise dataplane.rules"
            )
        return self
