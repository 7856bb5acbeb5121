"""The physics is written once: no second file shares a cache or makes an interval."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ONCE = {
    # What only a second implementation would contain, and the files that may.
    "a cache's time that a line stays": (
        r"expm1?\(-.*(rate|touch)|characteristic time|1 - exp\(-.*T",
        {"machine/cache_sharing.py", "machine/ddio.py", "workload/sizes.py"},
    ),
    "what tenants hold of a divided cache": (r"brought = .*miss", {"machine/tenants.py"}),
    "DDIO's ways": (r"lines per set|Poisson\(|poisson\.", {"machine/ddio.py"}),
    "memory's latency by load": (r"\bREACH\b", {"machine/memory.py"}),
    "a prediction's interval": (r"stdtrit|ppf\(0\.975", {"model/prediction.py"}),
}
LOOKED_AT = (
    "engines",
    "machine",
    "model",
    "workload",
    "partition",
    "sweep",
    "explain",
    "calibrate",
)


@pytest.mark.parametrize("what", ONCE)
def test_it_is_written_once(what: str, repository: Path) -> None:
    pattern, allowed = ONCE[what]
    root = repository / "src" / "planecast"
    found = {
        str(path.relative_to(root))
        for room in LOOKED_AT
        for path in (root / room).rglob("*.py")
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }
    assert found <= allowed


def test_what_it_looks_for_is_there(repository: Path) -> None:
    root = repository / "src" / "planecast"
    for what in ("what tenants hold of a divided cache", "memory's latency by load"):
        pattern, allowed = ONCE[what]
        for name in allowed:
            assert re.search(pattern, (root / name).read_text(encoding="utf-8")), name


def test_native_code_shares_caches_in_one_file(repository: Path) -> None:
    native = repository / "native"
    found = {
        str(path.relative_to(native))
        for path in native.rglob("*.cpp")
        if "tests" not in path.parts and re.search(r"find_time\(", path.read_text(encoding="utf-8"))
    }
    assert found <= {"model/cache_sharing.cpp", "model/served.cpp", "model/bindings.cpp"}
