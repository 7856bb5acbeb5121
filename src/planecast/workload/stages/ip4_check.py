"""Checks of ip4: length, version, checksum and addresses of eight IPv4 headers at once."""

from __future__ import annotations

from planecast.workload.stages.descriptor import StageDescriptor


class Check(StageDescriptor):
    """It prefetches the route table of rte_lpm; those lines count where they are used."""

    name = "check"
    reads_headers = True
    instructions_depend_on = ("next_hop",)
