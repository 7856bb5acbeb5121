"""Machines made of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from planecast.host import Root

MakeRoot = Callable[..., Root]


@pytest.fixture
def make_root(tmp_path: Path) -> MakeRoot:
    """Makes a machine: keyword or mapping of file name to text, over a bare metal default."""

    def make(files: Mapping[str, str] | None = None) -> Root:
        cpu = "sys/devices/system/cpu"
        everything = {
            "proc/cpuinfo": "\n".join(
                f"processor\t: {n}\nmodel name\t: Fast CPU @ 2.50GHz\ncpu MHz\t\t: 3100.0\n"
                "flags\t\t: fpu tsc constant_tsc nonstop_tsc\n"
                for n in range(4)
            ),
            "proc/meminfo": "MemTotal: 33554432 kB\nMemAvailable:   16777216 kB\n",
            "proc/stat": "cpu  900 0 90 9000 5 0 5 0 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n",
            "proc/sys/kernel/perf_event_paranoid": "1\n",
            "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "1024\n",
            "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "1000\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
            f"{cpu}/isolated": "2-3\n",
            f"{cpu}/online": "0-3\n",
            f"{cpu}/nohz_full": "2-3\n",
            "proc/cmdline": "quiet isolcpus=2-3 nohz_full=2-3 rcu_nocbs=2-3\n",
            f"{cpu}/cpu0/cpufreq/scaling_governor": "performance\n",
            **{f"{cpu}/cpu{n}/topology/thread_siblings_list": f"{n}\n" for n in range(4)},
            "usr/lib/x86_64-linux-gnu/pkgconfig/libdpdk.pc": "Name: DPDK\nVersion: 22.11.11\n",
            "usr/bin/valgrind": "#!",
            "usr/bin/chromium": "#!",
            "usr/lib/planecast/planecast-dataplane": "#!",
            "usr/lib/planecast/planecast-dataplane-v3": "#!",
            "usr/lib/planecast/planecast-probe": "#!",
            "usr/lib/planecast/planecast-singlestep": "#!",
            **(files or {}),
        }
        for name, text in everything.items():
            path = tmp_path / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if text == "#!":
                path.chmod(0o755)
        return Root(tmp_path / "root")

    return make
