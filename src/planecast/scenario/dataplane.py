"""The data plane under test, where it is not planecast's own: for searches."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planecast.scenario.model import Count, Noun


class DataplaneUnderTest(Noun):
    """Which program forwards. What a workload says of tables belongs to planecast's own alone."""

    kind: Literal["ours", "testpmd", "l3fwd", "ovs", "vpp", "command", "external"] = "ours"
    """ours: planecast's data plane; DPDK's testpmd or l3fwd; Open vSwitch with DPDK; VPP; command:
    any program, started as `command` says; external: nothing is started, what forwards between the
    ports of `generator` is there already."""
    mode: Literal["io", "mac", "macswap"] = "io"
    """testpmd: pass packets on; write MAC addresses; swap them."""
    chain: Annotated[Count, Field(ge=1, le=8)] = 1
    """Programs in series, a memory interface from each to the next; they take turns on the CPUs
    that forward."""
    program: str | None = None
    """Path of the binary; null: where it is usually found."""
    command: str | None = None
    """command: what is started, without a shell. {in} and {out} stand for the sockets of the two
    memory interfaces, {in_role} and {out_role} for its side of each, {ring} for the logarithm of
    their ring sizes, {cpu} for the CPU that forwards, {main_cpu} for one that may sleep, {folder}
    for an empty folder."""
    ready: str | None = None
    """command: words in its output that say it is up; null: packets come through."""

    @model_validator(mode="after")
    def _command_belongs(self) -> Self:
        if self.kind == "command" and not self.command:
            raise ValueError("kind is 'command', but none is named; set dataplane.command")
        if self.kind != "command" and (self.command or self.ready):
            raise ValueError(f"a command is named, but kind is '{self.kind}'; set it to command")
        if self.kind in ("ours", "ovs", "vpp") and self.chain > 1:
            raise ValueError(
                f"got a chain of {self.chain}, but {self.kind} comes alone; chain testpmd, l3fwd "
                "or a command"
            )
        return self
