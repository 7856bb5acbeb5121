"""Stands in for planecast-probe: a machine of 32 KiB, 1 MiB and a share of 12 MiB."""

from __future__ import annotations

import json
import sys
import time

KIB, MIB = 1 << 10, 1 << 20


def latency(size: int) -> float:
    return next((y for end, y in ((32 * KIB, 3), (MIB, 10), (12 * MIB, 40)) if size <= end), 400)


def point(kind: str, page: str, size: int, width: int, cycles: float) -> dict[str, object]:
    return {
        "kind": kind,
        "page": page,
        "bytes": size,
        "lines": size // (4096 if kind == "page_chase" else 64),
        "width": width,
        "units": 100,
        "cycles": [cycles] * 8,
        "canary_before": [2.0] * 8,
        "canary_after": [2.0] * 8,
    }


def cache(level: int, size: int, shared: str) -> dict[str, object]:
    kind = "Data" if level == 1 else "Unified"
    return {"level": level, "type": kind, "bytes": size, "ways": 8, "shared_cpus": shared}


def main() -> None:
    sizes = [int(2 ** (13 + i / 3)) // 64 * 64 for i in range(46)]
    points = []
    for page in ("2MiB", "4KiB"):
        points += [point("chase", page, size, 1, latency(size)) for size in sizes]
        points += [point("page_chase", page, 4096 << k, 1, 5.0 + k) for k in range(3)]
        for width in (2, 4, 8, 16, 32):
            points.append(point("chase", page, sizes[-1], width, 400 / width))
        points += [point("prefetch", page, sizes[-1], w, 500 / w) for w in (1, 2, 4, 8, 16, 32)]
    points += [
        point("chase", "2MiB", size, 8, latency(size) / 8)
        for size in sizes[:-1]
        if size >= 256 * KIB
    ]
    points += [point("stream", "2MiB", sizes[-1], 1, 4.0), point("additions", "2MiB", 0, 1, 0.5)]
    answer = {
        "probe": 1,
        "complete": True,
        "cpu": 0,
        "tsc_hz": 2e9,
        "seconds": 12.0,
        "rounds": 2,
        "turn": 4,
        "canary_rounds": 15000,
        "huge_share": 1.0,
        "cpu_model": "Made-up",
        "caches": [cache(1, 32 * KIB, "0"), cache(2, MIB, "0"), cache(3, 32 * MIB, "0-1")],
        "siblings": [],
        "transfers": [],
        "points": points,
    }
    print(json.dumps(answer))


def state() -> None:
    """A shared cache whose lines live for 10 ms, whoever asks for them, and for half of it next to
    a stream."""
    paces = [(size, pace) for size in (MIB, 4 * MIB, 16 * MIB, 64 * MIB) for pace in (30, 60, 100)]
    ages = [size // 64 * pace for size, pace in paces]
    survival, streamed = (
        [
            {
                "bytes": size,
                "pace": pace,
                "lap_cycles": age,
                "share": 1.0 if size <= MIB or age < lifetime else 0.1,
                "cycles": 100.0,
                "timed": 1000,
            }
            for (size, pace), age in zip(paces, ages, strict=True)
        ]
        for lifetime in (2e7, 1e7)
    )
    walks = [
        {"kind": kind, "pages": pages, "width": width, "cycles": [cycles / width] * 7}
        for pages, walk in ((8192, 4.0), (32768, 24.0), (65536, 32.0))
        for width in (1, 8)
        for kind, cycles in (("in_order", 20 + walk), ("scattered", 60), ("huge", 20))
    ]
    memory = [
        {"width": width, "loaded": loaded, "cycles": [400 / width * (1 + loaded)] * 8}
        for loaded in (False, True)
        for width in (1, 8, 32)
    ]
    answer = {
        "state": 1,
        "complete": True,
        "cpu": 0,
        "tsc_hz": 2e9,
        "began_tsc": time.monotonic_ns(),
        "ended_tsc": time.monotonic_ns(),
        "hit_cycles": 100.0,
        "miss_cycles": 400.0,
        "huge_share": 1.0,
        "survival": survival,
        "streamed_survival": streamed,
        "streamed": 0.1,
        "conflicts": [{"same": 110.0, "spread": 105.0}, {"same": 108.0, "spread": 106.0}],
        "other": 1,
        "other_stream": 0.15,
        "stream": [0.1, 0.2, 0.2, 0.2],
        "memory": memory,
        "walks": walks,
    }
    print(json.dumps(answer))


if "--state" in sys.argv:
    state()
else:
    main()
