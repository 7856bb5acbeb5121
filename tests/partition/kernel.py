"""A resctrl tree in a folder, with the kernel's rules, errors and words; and kills in the middle.

The rules are those of Documentation/arch/x86/resctrl.rst, and what the kernel says when one is
broken.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from planecast.host.cpu_list import kernel_cpus
from planecast.partition.division import contiguous
from planecast.partition.resctrl import STATUS, Tree
from planecast.partition.schemata import Schemata, parse_schemata
from planecast.scenario.cpus import format_cpus


class Killed(BaseException):
    """The process is gone at this moment."""


class KernelTree(Tree):
    """As the kernel: what is refused leaves all as it was, with the reason in last_cmd_status."""

    def __init__(self, root: Path, hook: Callable[[int, str], None] | None = None) -> None:
        """`hook` is called before and after every change, with its number from 0."""
        super().__init__(root / "sys/fs/resctrl")
        self._hook = hook
        self.moments = 0

    def write(self, group: str, name: str, text: str) -> None:
        self._moment(f"before {group}/{name}")
        try:
            if name == "schemata":
                self._schemata(group, text)
            else:
                self._cpus(group, text)
        except OSError as error:
            raise self.refused(error, f"writing {text.strip()!r}", self.path / group) from error
        self._moment(f"after {group}/{name}")

    def make(self, group: str) -> None:
        self._moment(f"before mkdir {group}")
        most = int((self.path / "info/L3/num_closids").read_text())
        if len(self.groups()) >= most:
            self._status("Out of CLOSIDs")
            raise self.refused(OSError(errno.ENOSPC, "No space left"), "mkdir", self.path / group)
        fresh = self.path / group
        fresh.mkdir()
        (fresh / "schemata").write_text((self.path / "info/fresh").read_text())
        (fresh / "cpus_list").write_text("\n")
        (fresh / "mode").write_text("shareable\n")
        self._moment(f"after mkdir {group}")

    def remove(self, group: str) -> None:
        self._moment(f"before rmdir {group}")
        if (self.path / group).exists():
            back = kernel_cpus((self.path / group / "cpus_list").read_text())
            own = kernel_cpus((self.path / "cpus_list").read_text())
            (self.path / "cpus_list").write_text(format_cpus([*own, *back]) + "\n")
            shutil.rmtree(self.path / group)
        self._moment(f"after rmdir {group}")

    def _moment(self, what: str) -> None:
        if self._hook is not None:
            self._hook(self.moments, what)
        self.moments += 1

    def _status(self, text: str) -> None:
        (self.path / STATUS).write_text(text + "\n")

    def _refuse(self, text: str) -> None:
        self._status(text)
        raise OSError(errno.EINVAL, "Invalid argument")

    def _schemata(self, group: str, text: str) -> None:
        path = self.path / group / "schemata"
        now = parse_schemata(path.read_text())
        for resource, values in parse_schemata(text).items():
            if resource not in now:
                self._refuse(f"Unknown or unsupported resource name '{resource}'")
            for domain, value in values.items():
                if domain not in now[resource]:
                    self._refuse(f"Unknown domain {domain}")
                now[resource][domain] = self._bandwidth(value) if resource == "MB" else value
                if resource != "MB":
                    self._mask(value)
        self._status("ok")
        path.write_text(rendered(now))

    def _mask(self, mask: int) -> None:
        full = int((self.path / "info/L3/cbm_mask").read_text(), 16)
        least = int((self.path / "info/L3/min_cbm_bits").read_text())
        if mask == 0 or mask > full:
            self._refuse("Mask out of range")
        if not contiguous(mask):
            self._refuse(f"The mask {mask:x} has non-consecutive 1-bits")
        if mask.bit_count() < least:
            self._refuse(f"Need at least {least} bits in the mask")

    def _bandwidth(self, value: int) -> int:
        least = int((self.path / "info/MB/min_bandwidth").read_text())
        step = int((self.path / "info/MB/bandwidth_gran").read_text())
        if not least <= value <= 100:
            self._refuse(f"MB value {value} out of range [{least},100]")
        return -(-value // step) * step

    def _cpus(self, group: str, text: str) -> None:
        wanted = set(kernel_cpus(text))
        online = {
            cpu
            for name in self.groups()
            for cpu in kernel_cpus((self.path / name / "cpus_list").read_text())
        }
        if not wanted <= online:
            self._refuse("Can only assign online CPUs")
        default = self.path / "cpus_list"
        if not group and not set(kernel_cpus(default.read_text())) <= wanted:
            self._refuse("Can't drop CPUs from default group")
        dropped = set(kernel_cpus((self.path / group / "cpus_list").read_text())) - wanted
        for name in self.groups():
            path = self.path / name / "cpus_list"
            now = set(kernel_cpus(path.read_text()))
            after = wanted if name == group else now - wanted
            after = after | dropped if not name and group else after
            path.write_text(format_cpus(after) + "\n")
        self._status("ok")


def rendered(schemata: Schemata) -> str:
    """As the kernel prints schemata."""
    lines = []
    for resource, values in schemata.items():
        form = "{}={:4d}" if resource == "MB" else "{}={:x}"
        lines.append(f"    {resource}:" + ";".join(form.format(d, v) for d, v in values.items()))
    return "\n".join(lines) + "\n"


def prepare(root: Path) -> Path:
    """Makes a written tree one that KernelTree keeps: what a new group begins with."""
    top = root / "sys/fs/resctrl"
    (top / "info/fresh").write_text((top / "schemata").read_text())
    cpus = kernel_cpus((top / "cpus_list").read_text())
    (top / "cpus_list").write_text(format_cpus(cpus) + "\n")
    return root


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of the tree but what the kernel said last."""
    top = root / "sys/fs/resctrl"
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and str(path.relative_to(top)) != STATUS
    }


def kill_at(moment: int) -> Callable[[int, str], None]:
    """A hook that ends the process for good at a moment."""

    def hook(number: int, what: str) -> None:
        if number == moment:
            os.kill(os.getpid(), 9)

    return hook


def raise_at(moment: int) -> Callable[[int, str], None]:
    """A hook that stops everything at a moment, as a kill does: nothing is cleaned up."""

    def hook(number: int, what: str) -> None:
        if number == moment:
            raise Killed(what)

    return hook
