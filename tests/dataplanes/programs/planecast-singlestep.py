"""Stands in for planecast-singlestep: counts made up from the program's configuration."""

from __future__ import annotations

import configparser
import json
import sys
from pathlib import Path

PER_PACKET = {
    "source": 20,
    "acl": 80,
    "key": 25,
    "classify": 90,
    "actions": 50,
    "route": 40,
    "tx": 4,
}
PER_BURST = 100


def main() -> None:
    words = sys.argv[1:]
    program = words[words.index("--") + 1 :]
    with (Path(sys.argv[0]).resolve().parent / "log").open("a") as file:
        file.write(f"step {' '.join(words)}\n")
    config = configparser.ConfigParser()
    config.read(program[1])
    packets = int(program[program.index("--packets") + 1])
    pipeline = config["pipeline"]
    stages = [] if pipeline["stages"] == "none" else pipeline["stages"].split(",")
    bursts = -(-packets // int(pipeline["burst"]))
    found = {
        f"stage_{name}": {
            "instructions": PER_PACKET[name] * packets + PER_BURST * bursts,
            "mispredictions": bursts,
            "jumps": 3 * packets,
            "windows_16": 6 * packets,
            "windows_32": 4 * packets,
            "calls": 1,
        }
        for name in ("source", *stages, "tx")
    }
    if stages == ["key"]:  # nothing to look ahead for
        found["stage_key"]["instructions"] -= 10 * packets
    kinds = [kind for kind in next(iter(found.values())) if kind != "calls"]
    total = {kind: sum(stage[kind] for stage in found.values()) for kind in kinds}
    total["instructions"] += 5 * bursts + 1000
    answer = {
        "total": total,
        "code_lines": 200,
        "steps_per_second": 1e5,
        "stages": found,
        "functions": [],
    }
    Path(words[words.index("--output") + 1]).write_text(json.dumps(answer))


main()
