"""Stands in for planecast-generator: speaks its language, sends nothing, misbehaves on request.

`way.json` next to it says how; `log` next to it gets a line for its start and each request. A
stream has sent its `packets` at the second look at it; one without an end has sent 1000 a look.
"""

from __future__ import annotations

import configparser
import json
import os
import sys
from pathlib import Path

HERE = Path(sys.argv[0]).resolve().parent
WAY = {"start": "right", "dies_at": "", "refuses": "", "code": 2, "says": "", "lost": 0}


def log(text: str) -> None:
    with (HERE / "log").open("a") as file:
        file.write(f"{os.getpid()} {text}\n")


def say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def die() -> None:
    print(f"planecast-generator: {WAY['says']}", file=sys.stderr, flush=True)
    sys.exit(WAY["code"])


class Run:
    """Streams that were started, and how often one has looked at them."""

    def __init__(self, config: configparser.ConfigParser, names: list[str]) -> None:
        self.packets = {name: int(config[f"stream {name}"]["packets"]) for name in names}
        self.looks = 0
        self.running = True

    def stream(self, name: str) -> dict[str, object]:
        packets = self.packets[name]
        sent = min(packets, packets // 2 * self.looks) if packets else 1000 * self.looks
        lost = WAY["lost"] if sent else 0
        return {
            "name": name,
            "sent": sent,
            "sent_bytes": sent * 64,
            "received": sent - lost,
            "received_bytes": (sent - lost) * 64,
            "lost": lost,
            "sent_pps": 1000.0,
            "received_pps": 999.0,
            "latency_ns": {"min": 10, "mean": 20.5, "max": 30, "p50": 20} if sent else None,
            **({} if self.running else {"latency_histogram": "HISTFAAA"}),
        }

    def answer(self) -> dict[str, object]:
        streams = [self.stream(name) for name in self.packets]
        return {"running": self.running, "seconds": 1.0, "streams": streams, "total": {}}


def main() -> None:
    with (HERE / "way.json").open() as file:
        WAY.update(json.load(file))
    log(f"start {' '.join(sys.argv[1:])}")
    config = configparser.ConfigParser()
    config.read(sys.argv[1])
    streams = [name.split()[1] for name in config.sections() if name.startswith("stream ")]
    if WAY["start"] == "dies":
        die()
    say({"ready": {"streams": streams}})
    run = None
    for line in sys.stdin:
        word, *words = line.split()
        log(line.strip())
        if word == WAY["dies_at"]:
            die()
        elif word == WAY["refuses"]:
            say({"error": "no"})
        elif word == "start":
            asked = dict(each.split("=") for each in words)
            run = Run(config, asked["streams"].split(",") if "streams" in asked else streams)
            for name in run.packets:
                run.packets[name] = int(asked.get(f"{name}.packets", run.packets[name]))
            say({"started": {"streams": len(run.packets)}})
        elif run is None:
            say({"error": "there was no run yet; start one"})
        else:
            run.looks += word == "stats"
            if word == "wait":
                run.looks = max(run.looks, 2)
            run.running = run.running and word == "stats"
            say(run.answer())


main()
