"""The proc and sys of a machine, under ``/`` or under a folder that stands in for it in tests."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Root:
    """A file system to read a machine's state from. What isn't there reads as empty."""

    path: Path = Path("/")

    @property
    def live(self) -> bool:
        """Whether this is the running machine, so that system calls report it too."""
        return self.path == Path("/")

    @property
    def privileged(self) -> bool:
        """Whether we read this machine as root: what isn't there then is not for lack of rights."""
        return self.live and os.geteuid() == 0

    def text(self, name: str) -> str:
        """The text of a file such as ``proc/cpuinfo``, stripped; empty when it can't be read."""
        try:
            return (self.path / name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def number(self, name: str) -> int | None:
        """The whole number that a file holds; None when it holds none."""
        text = self.text(name)
        return int(text) if text.lstrip("-").isdecimal() else None

    def paths(self, pattern: str) -> list[Path]:
        """The paths that match a pattern such as ``sys/devices/system/node/node*``, in order."""
        try:
            return sorted(self.path.glob(pattern))
        except OSError:
            return []

    def program(self, *names: str) -> Path | None:
        """The first of these programs that is installed."""
        if self.live:
            folders = [Path(folder) for folder in os.get_exec_path() if folder]
        else:
            folders = [self.path / "usr/bin", self.path / "usr/local/bin"]
        for name in names:
            for folder in folders:
                if os.access(folder / name, os.X_OK) and (folder / name).is_file():
                    return folder / name
        return None

    def cpuinfo(self, key: str) -> list[str]:
        """The values of a key of ``proc/cpuinfo``, one a CPU."""
        lines = (line.partition(":") for line in self.text("proc/cpuinfo").splitlines())
        return [value.strip() for name, _, value in lines if name.strip() == key]

    def cpu_id(self) -> str:
        """Vendor, family and model of the first CPU: ``GenuineIntel-6-143``; empty if not
        reported."""
        parts = [self.cpuinfo(key)[:1] for key in ("vendor_id", "cpu family", "model")]
        return "-".join(part[0] for part in parts) if all(parts) else ""

    def boot_id(self) -> str:
        """What the kernel calls this boot; empty where it doesn't report."""
        return self.text("proc/sys/kernel/random/boot_id")

    def page_pools(self, folder: str = "sys/kernel/mm/hugepages") -> dict[int, str]:
        """The folders of the pools of large pages, by the pages' size in KiB."""
        return {
            int(re.sub(r"\D", "", path.name)): str(path.relative_to(self.path))
            for path in self.paths(f"{folder}/hugepages-[0-9]*kB")
        }

    def cpu_flags(self) -> frozenset[str]:
        """The feature flags of the first CPU."""
        return frozenset(" ".join(self.cpuinfo("flags")[:1]).split())
