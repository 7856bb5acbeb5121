"""Stands in for VPP: its command line's socket comes some time after its start."""

import json
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
time.sleep(60)
