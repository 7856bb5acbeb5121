"""Schemata: the lines in which resctrl shows and takes a class's ways and bandwidth."""

from __future__ import annotations

from planecast.host.rdt import Rdt
from planecast.partition.division import Service

Schemata = dict[str, dict[int, int]]
"""By resource and domain. Ways are masks, bandwidth is in the machine's unit."""


def schemata_of(service: Service, rdt: Rdt | None) -> str:
    """All of a class's lines, every domain in each: a write of all leaves nothing as it was.

    Without a machine, domain 0 stands for all.
    """
    lines = []
    for cache in rdt.caches if rdt else ():
        if cache.resource.startswith("L3") and service.l3 is not None:
            values = ";".join(f"{domain}={service.l3:x}" for domain in cache.domains)
            lines.append(f"{cache.resource}:{values}")
    if rdt is None and service.l3 is not None:
        lines.append(f"L3:0={service.l3:x}")
    if service.bandwidth is not None and (rdt is None or rdt.bandwidth is not None):
        domains = rdt.bandwidth.domains if rdt and rdt.bandwidth else (0,)
        lines.append("MB:" + ";".join(f"{domain}={service.bandwidth}" for domain in domains))
    return "\n".join(lines) + "\n"


def parse_schemata(text: str) -> Schemata:
    """What schemata say, whatever their spacing. Raises ValueError for what is none."""
    found: Schemata = {}
    for line in text.splitlines():
        resource, colon, values = line.strip().partition(":")
        if not colon:
            if line.strip():
                raise ValueError(f"'{line}' is not a schemata line")
            continue
        base = 10 if resource in ("MB", "SMBA") else 16
        pairs = (part.partition("=") for part in values.split(";") if part.strip())
        found[resource] = {int(domain): int(value.strip(), base) for domain, _, value in pairs}
    return found
