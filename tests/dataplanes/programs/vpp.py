"""Stands in for VPP: its command line's socket comes some time after its start.

Asked to count packets it does as planecast-meter-vpp.so would, in bursts `bursts` times as large.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

startup = Path(sys.argv[sys.argv.index("-c") + 1])
socket = Path(re.search(r"cli-listen (\S+)", startup.read_text())[1])
way = json.loads((Path(__file__).parent / "vpp.json").read_text())
if way.get("ends"):
    sys.exit(way["ends"])
time.sleep(0.1)
socket.touch()
if "PLANECAST_COUNT" in os.environ:
    asked = dict(word.split("=", 1) for word in os.environ["PLANECAST_COUNT"].split())
    Path(asked["hold"] + ".led").touch()
    while not Path(asked["hold"]).exists():
        time.sleep(0.01)
    packets = int(asked["packets"])
    polls = round(packets / (int(asked["burst"]) * way["bursts"]))
    report = {"packets": packets, "polls": polls, "empty_polls": 0, "sent": 0}
    Path(asked["report"]).write_text(json.dumps(report | {"sent_reported": False}))
    sys.exit(0)
time.sleep(60)
