"""What the machine can divide among classes of service: cache ways and memory bandwidth.

Intel calls it Resource Director Technology, AMD Platform Quality of Service; Linux shows both under
``/sys/fs/resctrl/info``. Source: the kernel's Documentation/arch/x86/resctrl.rst.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.host.cpu_list import cpus_of
from planecast.host.root import Root

RESCTRL = "sys/fs/resctrl"

_FLAGS = {
    "cat_l3": "L3 cache allocation (CAT)",
    "cdp_l3": "L3 code and data apart (CDP)",
    "cat_l2": "L2 cache allocation (CAT)",
    "cdp_l2": "L2 code and data apart (CDP)",
    "mba": "memory-bandwidth allocation (MBA)",
    "smba": "slow-memory bandwidth allocation (SMBA)",
    "cqm_occup_llc": "L3 occupancy monitoring",
    "cqm_mbm_total": "memory-bandwidth monitoring, total",
    "cqm_mbm_local": "memory-bandwidth monitoring, local",
}
"""Flags of ``/proc/cpuinfo`` and what they stand for."""

EIGHTHS = "1/8 GB/s"
"""Unit of AMD's limits of bandwidth."""


@dataclass(frozen=True)
class CacheAllocation:
    """Ways of a cache that classes can be given."""

    resource: str
    """As schemata call it: L3, L2; with code and data apart L3CODE, L3DATA."""
    mask: int
    """All ways, a bit each."""
    least_bits: int
    """Fewest ways of a class."""
    classes: int
    shareable: int
    """Ways that other hardware, such as DDIO, writes into as well."""
    sparse: bool
    """Whether a mask may have gaps (AMD's may)."""
    domains: tuple[int, ...]

    @property
    def ways(self) -> int:
        """Ways that can be given."""
        return self.mask.bit_count()


@dataclass(frozen=True)
class BandwidthAllocation:
    """Memory bandwidth that classes can be limited to."""

    resource: str
    least: int
    step: int
    most: int
    """What a class without a limit has."""
    classes: int
    unit: str
    """``percent``; `EIGHTHS` on AMD's; ``MB/s`` with the kernel's mba_MBps."""
    domains: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """A resource group that exists, and who is in it."""

    name: str
    """Folder under resctrl; empty for the default group."""
    cpus: tuple[int, ...]
    mode: str
    schemata: str


@dataclass(frozen=True)
class Rdt:
    """What there is to divide, and how it is divided now."""

    supported: tuple[str, ...]
    """In words, by the CPU's flags."""
    mounted: bool
    caches: tuple[CacheAllocation, ...] = ()
    bandwidth: BandwidthAllocation | None = None
    monitoring: tuple[str, ...] = ()
    """Events that can be counted by group."""
    rmids: int = 0
    """Groups that can be monitored at once."""
    groups: tuple[Group, ...] = ()

    @property
    def classes(self) -> int:
        """Classes of service, the default one included: the fewest of any resource."""
        counts = [cache.classes for cache in self.caches]
        counts += [self.bandwidth.classes] if self.bandwidth else []
        return min(counts, default=1)

    @property
    def l3(self) -> CacheAllocation | None:
        """The last-level cache's ways; None where they can't be given."""
        return next((c for c in self.caches if c.resource in ("L3", "L3DATA")), None)

    def offer(self) -> tuple[object, ...]:
        """What can be divided, whatever is now."""
        return (self.caches, self.bandwidth)


def read_rdt(root: Root) -> Rdt:
    """What the machine under `root` offers."""
    flags = root.cpu_flags()
    supported = tuple(words for flag, words in _FLAGS.items() if flag in flags)
    if not root.paths(f"{RESCTRL}/info"):
        return Rdt(supported, mounted=False)
    domains = _domains(root)
    amd = "AuthenticAMD" in root.cpuinfo("vendor_id")[:1]
    caches = [
        found
        for name in ("L3", "L3CODE", "L3DATA", "L2", "L2CODE", "L2DATA")
        if (found := _cache(root, name, domains.get(name, ()), sparse=amd)) is not None
    ]
    features = root.text(f"{RESCTRL}/info/L3_MON/mon_features").split()
    return Rdt(
        supported=supported,
        mounted=True,
        caches=tuple(caches),
        bandwidth=_bandwidth(root, domains.get("MB", ()), amd=amd),
        monitoring=tuple(features),
        rmids=root.number(f"{RESCTRL}/info/L3_MON/num_rmids") or 0,
        groups=tuple(_groups(root)),
    )


def _domains(root: Root) -> dict[str, tuple[int, ...]]:
    """Domain numbers by resource, as the default group's schemata list them."""
    found = {}
    for line in root.text(f"{RESCTRL}/schemata").splitlines():
        resource, _, values = line.partition(":")
        numbers = [part.partition("=")[0].strip() for part in values.split(";")]
        found[resource.strip()] = tuple(int(n) for n in numbers if n.isdecimal())
    return found


def _cache(
    root: Root, name: str, domains: tuple[int, ...], *, sparse: bool
) -> CacheAllocation | None:
    info = f"{RESCTRL}/info/{name}"
    mask = _hex(root.text(f"{info}/cbm_mask"))
    if not mask:
        return None
    reported = root.number(f"{info}/sparse_masks")  # since Linux 6.7
    return CacheAllocation(
        resource=name,
        mask=mask,
        least_bits=max(1, root.number(f"{info}/min_cbm_bits") or 0),
        classes=root.number(f"{info}/num_closids") or 1,
        shareable=_hex(root.text(f"{info}/shareable_bits")),
        sparse=sparse if reported is None else reported == 1,
        domains=domains,
    )


def _bandwidth(root: Root, domains: tuple[int, ...], *, amd: bool) -> BandwidthAllocation | None:
    info = f"{RESCTRL}/info/MB"
    least, step = root.number(f"{info}/min_bandwidth"), root.number(f"{info}/bandwidth_gran")
    if least is None or step is None:
        return None
    line = next(
        (row for row in root.text(f"{RESCTRL}/schemata").splitlines() if row.strip()[:3] == "MB:"),
        "",
    )
    values = [
        int(v) for part in line.split(";") if (v := part.rpartition("=")[2].strip()).isdecimal()
    ]
    most = max(values, default=100)
    unit = EIGHTHS if amd else "percent" if most <= 100 else "MB/s"
    return BandwidthAllocation(
        resource="MB",
        least=least,
        step=max(1, step),
        most=most if unit != "percent" else 100,
        classes=root.number(f"{info}/num_closids") or 1,
        unit=unit,
        domains=domains,
    )


def _groups(root: Root) -> list[Group]:
    """The default group and every other control group."""
    names = [""]
    for path in root.paths(f"{RESCTRL}/*/schemata"):
        if path.parent.name != "info":
            names.append(path.parent.name)
    found = []
    for name in names:
        place = f"{RESCTRL}/{name}".rstrip("/")
        found.append(
            Group(
                name,
                cpus_of(root, f"{place}/cpus_list"),
                root.text(f"{place}/mode"),
                root.text(f"{place}/schemata"),
            )
        )
    return found


def _hex(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0
