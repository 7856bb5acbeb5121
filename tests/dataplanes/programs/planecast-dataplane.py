"""Stands in for planecast-dataplane: speaks its language, forwards nothing, misbehaves on request.

`way.json` next to it says how; `log` next to it gets a line for its start, each request and its
end. What it answers is a smooth function of the request, so that a model can be fitted to it.
"""

from __future__ import annotations

import configparser
import json
import math
import os
import random
import signal
import sys
import time
from pathlib import Path

HERE = Path(sys.argv[0]).resolve().parent
WAY = {
    "start": "right",  # garbage, dies, other, silent
    "trial": "right",  # dies, error, garbage, lost, short, silent
    "code": 1,
    "says": "",
    "prints": "",
    "stubborn": False,
    "trial_s": 0.0,
    "disturbed": 0.0,
}
STAGES = {
    "source": 22,
    "acl": 60,
    "key": 12,
    "classify": 40,
    "actions": 16,
    "route": 14,
    "tx": 5,
    "compute": 9000,
}
SAMPLED = 8


def log(text: str) -> None:
    with (HERE / "log").open("a") as file:
        file.write(f"{os.getpid()} {text}\n")


def say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def die() -> None:
    print("EAL: something about hugepages", file=sys.stderr)
    print(f"planecast-dataplane: {WAY['says']}", file=sys.stderr, flush=True)
    if WAY["prints"]:
        print(WAY["prints"], flush=True)
    sys.exit(WAY["code"])


def cost_of(stage: str, asked: dict[str, str]) -> float:
    flows, burst = int(asked["flows"]), int(asked["burst"])
    cost = STAGES[stage] * (1 + 2 / burst)
    if stage in ("classify", "actions"):
        cost *= 1 + 0.02 * math.log2(flows)
    if stage == "acl" and burst < 16:
        cost *= 1.3
    return cost


def lcore(cpu: int, asked: dict[str, str], chance: random.Random) -> dict[str, object]:
    """The windows of one lcore."""
    stages = [] if asked["stages"] == "none" else asked["stages"].split(",")
    costs = {name: cost_of(name, asked) for name in ("source", *stages, "tx")}
    count, packets = int(asked["windows"]), int(asked["packets"])
    sampled = 0 if asked["stage_clock"] == "0" else SAMPLED * int(asked["burst"])
    state = [1.5 if chance.random() < WAY["disturbed"] else 1.0 for _ in range(count)]
    factors = [slow * (1 + 0.01 * chance.random()) for slow in state]
    bursts = -(-packets // int(asked["burst"]))
    return {
        "cpu": cpu,
        "chain": 0,
        "segment": 0,
        "clock_cost": 20,
        "began_tsc": time.monotonic_ns(),
        **({"settled": WAY["settled"]} if "settled" in WAY else {}),
        "windows": {
            "count": count,
            "cycles": [round(packets * f * sum(costs.values())) for f in factors],
            "packets": [packets] * count,
            "bursts": [bursts] * count,
            "empty_polls": [0] * count,
            "canary_compute": [[2.0 * slow, 2.0 * slow] for slow in state],
            "canary_chase": [[40.0, 41.0]] * count,
            "sampled_packets": [sampled] * count,
            "sampled_bursts": [SAMPLED if sampled else 0] * count,
            "stage_cycles": {
                name: [round(sampled * f * cost) for f in factors] for name, cost in costs.items()
            },
        },
    }


def answer_to(request: str, cpus: list[int], chance: random.Random) -> dict[str, object]:
    asked = dict(word.split("=") for word in request.split()[1:])
    used = cpus[: int(asked["lcores"])]
    forwarded = len(used) * (int(asked["windows"]) * int(asked["packets"]) + int(asked["warmup"]))
    return {
        "trial": {"windows": int(asked["windows"])},
        "lcores": [lcore(cpu, asked, chance) for cpu in used],
        "packets_in": forwarded,
        "packets_out": forwarded - 3,
        "copies": 0,
        "in_flight": 0,
        "drops": {"acl": 3, "tx": 0},
        "conserved": WAY["trial"] != "lost",
        "interrupted": False,
        "tsc_hz": 2_000_000_000,
        "page_size": "4KiB",
        "simd_bits": 256,
        "dpdk": "made up",
    }


def serve(cpus: list[int]) -> None:
    chance = random.Random(os.getpid())
    for line in sys.stdin:
        log(line.strip())
        time.sleep(WAY["trial_s"])
        if line.strip() == "quit":
            return
        if WAY["trial"] == "dies":
            die()
        elif WAY["trial"] == "error":
            say({"error": WAY["says"]})
        elif WAY["trial"] == "garbage":
            print("Segmentation fault, perhaps", flush=True)
        elif WAY["trial"] == "short":
            say({"trial": {}})
        elif WAY["trial"] != "silent":
            say(answer_to(line, cpus, chance))


def main() -> None:
    with (HERE / "way.json").open() as file:
        WAY.update(json.load(file))
    signal.signal(signal.SIGTERM, signal.SIG_IGN if WAY["stubborn"] else lambda *_: sys.exit(130))
    log(f"start {' '.join(sys.argv[1:])}")
    config = configparser.ConfigParser()
    config.read(sys.argv[1])
    if WAY["start"] == "dies":
        die()
    elif WAY["start"] == "garbage":
        print("hello", flush=True)
    elif WAY["start"] == "other":
        say({"welcome": 1})
    elif WAY["start"] != "silent":
        say({"ready": {}})
    serve([int(cpu) for cpu in config["machine"]["lcores"].split(",")])
    log("end of input")
    while WAY["stubborn"]:
        time.sleep(0.01)


main()
