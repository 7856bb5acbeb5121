"""Libraries and programs that measuring, counting and testing need."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from planecast.host.check import Check
from planecast.host.root import Root
from planecast.native import how_to_build, native_folder

PROGRAMS = {
    "planecast-dataplane": "forwards the packets that are measured",
    "planecast-dataplane-v3": "is what callgrind counts instructions in",
    "planecast-probe": "measures the caches that the model needs",
    "planecast-singlestep": "counts instructions natively, AVX-512 too, where counters are hidden",
}


def check_software(root: Root, folder: Path | None = None) -> Iterator[Check]:
    """DPDK, planecast's own programs (in `folder`), valgrind, Chromium."""
    yield _dpdk(root)
    here = folder or native_folder()
    for name, purpose in PROGRAMS.items():
        there = os.access(here / name, os.X_OK)
        needs = "install libdpdk-dev, then " if "dataplane" in name else ""
        yield Check(
            name,
            "good" if there else "missing",
            str(here / name) if there else "not built",
            f"it {purpose}",
            "" if there else f"{needs}{how_to_build()}",
        )
    valgrind = root.program("valgrind")
    yield Check(
        "valgrind",
        "good" if valgrind else "limits",
        str(valgrind or "not installed"),
        "callgrind counts instructions by stage; without it they are single-stepped, slowly",
        "" if valgrind else "sudo apt-get install valgrind",
    )
    chromium = root.program("chromium", "chromium-browser", "google-chrome")
    yield Check(
        "chromium",
        "good" if chromium else "note",
        str(chromium or "not installed"),
        "only the tests need it: they look at the report in a browser",
        "" if chromium else "sudo apt-get install chromium chromium-driver",
    )


def dpdk_version(root: Root) -> str | None:
    """The version in libdpdk's pkg-config file, so of the development package; None without it."""
    patterns = ("usr/lib/*/pkgconfig", "usr/lib*/pkgconfig", "usr/local/lib*/**/pkgconfig")
    for pattern in patterns:
        for path in root.paths(f"{pattern}/libdpdk.pc"):
            version = re.search(
                r"^Version:\s*(\S+)", root.text(str(path.relative_to(root.path))), re.MULTILINE
            )
            if version:
                return version[1]
    return None


def _dpdk(root: Root) -> Check:
    version = dpdk_version(root)
    if version:
        return Check("libdpdk", "good", version, "the data plane can be built")
    return Check(
        "libdpdk",
        "missing",
        "not installed",
        "no data plane can be built, so nothing can be measured; predicting works",
        f"sudo apt-get install libdpdk-dev dpdk, then {how_to_build()}",
    )
