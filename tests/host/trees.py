"""Recorded machines, made here: the files of sys and proc that a machine of a kind would show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

CPU = "sys/devices/system/cpu"


@dataclass(frozen=True)
class Machine:
    """A machine to write down. CPU numbers run over all cores' first threads, then the second."""

    model: str = "Test CPU @ 2.30GHz"
    vendor: str = "GenuineIntel"
    flags: str = "fpu tsc constant_tsc"
    sockets: int = 1
    cores: int = 4
    """Of a socket."""
    threads: int = 1
    llc_cores: int = 0
    """Cores that share a last-level cache; 0: a socket's."""
    llc_kib: int = 28160
    ways: int = 11
    base_khz: int = 0
    high_khz: int = 0
    low_khz: int = 0
    high: Sequence[int] = ()
    """Cores of priority."""
    most_khz: int = 0
    isolated: str = ""
    nics: Sequence[tuple[str, str, str, int, int]] = ()
    """(PCI address, interface, driver, node, Mbit/s) of each card."""
    closids: int = 0
    """0: resctrl isn't there."""
    shareable: int = 0
    mba: tuple[int, int, int] | None = None
    """(least, step, most)."""
    monitoring: Sequence[str] = ()
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.sockets * self.cores

    @property
    def domains(self) -> int:
        return self.total // (self.llc_cores or self.cores)

    def siblings(self, core: int) -> list[int]:
        return [core + self.total * thread for thread in range(self.threads)]


def cpu_list(cpus: Sequence[int]) -> str:
    return ",".join(map(str, sorted(cpus))) + "\n"


def write_tree(folder: Path, machine: Machine) -> Path:
    """Writes the machine's files under `folder`, and returns it."""
    files = {**_cpus(machine), **_nodes(machine), **_resctrl(machine), **machine.extra}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for address, interface, driver, node, mbps in machine.nics:
        device = folder / "sys/bus/pci/devices" / address
        (device / "net" / interface).mkdir(parents=True)
        (device / "class").write_text("0x020000\n")
        (device / "numa_node").write_text(f"{node}\n")
        (folder / "sys/bus/pci/drivers" / driver).mkdir(parents=True, exist_ok=True)
        (device / "driver").symlink_to(f"../../drivers/{driver}")
        speed = folder / "sys/class/net" / interface / "speed"
        speed.parent.mkdir(parents=True)
        speed.write_text(f"{mbps}\n")
    return folder


def _cpus(machine: Machine) -> dict[str, str]:
    count = machine.total * machine.threads
    files = {
        f"{CPU}/online": f"0-{count - 1}\n",
        f"{CPU}/isolated": machine.isolated + "\n",
        "proc/cpuinfo": "\n".join(
            f"processor\t: {n}\nvendor_id\t: {machine.vendor}\nmodel name\t: {machine.model}\n"
            f"flags\t\t: {machine.flags}\n"
            for n in range(count)
        ),
    }
    shared = machine.llc_cores or machine.cores
    for core in range(machine.total):
        siblings = machine.siblings(core)
        domain = core // shared
        sharers = [
            cpu
            for c in range(domain * shared, (domain + 1) * shared)
            for cpu in machine.siblings(c)
        ]
        for cpu in siblings:
            own = f"{CPU}/cpu{cpu}"
            files |= {
                f"{own}/topology/thread_siblings_list": cpu_list(siblings),
                f"{own}/topology/physical_package_id": f"{core // machine.cores}\n",
                f"{own}/cache/index0/level": "1\n",
                f"{own}/cache/index0/shared_cpu_list": cpu_list(siblings),
                f"{own}/cache/index0/size": "32K\n",
                f"{own}/cache/index3/level": "3\n",
                f"{own}/cache/index3/id": f"{domain}\n",
                f"{own}/cache/index3/size": f"{machine.llc_kib}K\n",
                f"{own}/cache/index3/ways_of_associativity": f"{machine.ways}\n",
                f"{own}/cache/index3/shared_cpu_list": cpu_list(sharers),
            }
            base = machine.base_khz
            if machine.high:
                base = machine.high_khz if core in machine.high else machine.low_khz
            if base:
                files[f"{own}/cpufreq/base_frequency"] = f"{base}\n"
            if machine.most_khz:
                files[f"{own}/cpufreq/cpuinfo_max_freq"] = f"{machine.most_khz}\n"
                files[f"{own}/cpufreq/cpuinfo_min_freq"] = "800000\n"
    return files


def _nodes(machine: Machine) -> dict[str, str]:
    files = {}
    for node in range(machine.sockets):
        cores = range(node * machine.cores, (node + 1) * machine.cores)
        own = f"sys/devices/system/node/node{node}"
        files[f"{own}/cpulist"] = cpu_list([c for core in cores for c in machine.siblings(core)])
        files[f"{own}/meminfo"] = f"Node {node} MemTotal:       100663296 kB\n"
    return files


def _resctrl(machine: Machine) -> dict[str, str]:
    if not machine.closids:
        return {}
    mask, top = (1 << machine.ways) - 1, "sys/fs/resctrl"
    lines = ["    L3:" + ";".join(f"{d}={mask:x}" for d in range(machine.domains))]
    files = {
        f"{top}/info/L3/cbm_mask": f"{mask:x}\n",
        f"{top}/info/L3/min_cbm_bits": "1\n",
        f"{top}/info/L3/num_closids": f"{machine.closids}\n",
        f"{top}/info/L3/shareable_bits": f"{machine.shareable:x}\n",
        f"{top}/info/last_cmd_status": "ok\n",
        f"{top}/cpus_list": f"0-{machine.total * machine.threads - 1}\n",
        f"{top}/mode": "shareable\n",
        f"{top}/tasks": "1\n2\n",
    }
    if machine.mba:
        least, step, most = machine.mba
        files |= {
            f"{top}/info/MB/min_bandwidth": f"{least}\n",
            f"{top}/info/MB/bandwidth_gran": f"{step}\n",
            f"{top}/info/MB/num_closids": f"{machine.closids}\n",
        }
        lines.append("    MB:" + ";".join(f"{d}={most:4d}" for d in range(machine.domains)))
    if machine.monitoring:
        files[f"{top}/info/L3_MON/mon_features"] = "\n".join(machine.monitoring) + "\n"
        files[f"{top}/info/L3_MON/num_rmids"] = "176\n"
    files[f"{top}/schemata"] = "\n".join(lines) + "\n"
    return files


_RDT_FLAGS = "cat_l3 cdp_l3 mba cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local"
_EVENTS = ("llc_occupancy", "mbm_total_bytes", "mbm_local_bytes")

XEON = Machine(
    model="Intel(R) Xeon(R) Gold 6230N CPU @ 2.30GHz",
    flags=f"fpu tsc constant_tsc {_RDT_FLAGS}",
    sockets=2,
    cores=20,
    threads=2,
    high_khz=2_700_000,
    low_khz=2_100_000,
    high=(1, 6, 7, 13, 14, 16, 21, 26, 27, 33, 34, 36),
    most_khz=3_900_000,
    isolated="21-39,61-79",
    nics=(
        ("0000:3b:00.0", "ens1f0", "i40e", 0, 10000),
        ("0000:af:00.0", "ens5f0", "i40e", 1, 10000),
    ),
    closids=16,
    shareable=0x600,
    mba=(10, 10, 100),
    monitoring=_EVENTS,
)
"""Two sockets of 20 cores, six of each with priority by SST-BF, CAT, CDP, MBA, monitoring."""

EPYC = Machine(
    model="AMD EPYC 7543P 32-Core Processor",
    vendor="AuthenticAMD",
    flags=f"fpu tsc constant_tsc {_RDT_FLAGS}",
    cores=32,
    threads=2,
    llc_cores=4,
    llc_kib=32768,
    ways=16,
    most_khz=3_737_000,
    nics=(("0000:81:00.0", "enp129s0", "mlx5_core", 0, 100000),),
    closids=16,
    mba=(1, 1, 2048),
    monitoring=_EVENTS,
)
"""A socket of 32 cores in eight last-level caches, bandwidth in eighths of a GB/s."""

VIRTUAL = Machine(
    model="Intel(R) Xeon(R) Processor",
    flags="fpu tsc constant_tsc hypervisor",
    cores=2,
    llc_kib=107520,
    ways=15,
)
"""A virtual machine of two CPUs that shows neither priority nor anything to divide."""
