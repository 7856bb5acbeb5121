"""Stands in for vppctl: notes each command, and replies what the test says, code 0 on errors.

`replies` are by how a command begins; those in `after` hold once a command was there that has its
key in it. With `one_command` only the first command of a call is read.
"""

import json
import sys
from pathlib import Path

folder = Path(__file__).parent
assert sys.argv[1] == "-s"
if not Path(sys.argv[2]).exists():
    sys.exit("connect: No such file or directory")
way = json.loads((folder / "vpp.json").read_text())
lines = " ".join(sys.argv[3:]).split("\n")
if way.get("one_command"):
    lines = lines[:1]
log = folder / "commands"
earlier = log.read_text() if log.exists() else ""
log.write_text(earlier + "; ".join(lines) + "\n")
for line in lines:
    replies = {"show version": "vpp v24.02-release built by x on y", **way["replies"]}
    for command, later in way.get("after", {}).items():
        if command in earlier:
            replies |= later
    earlier += line
    matching = [words for words in replies if line.startswith(words)]
    if matching:
        print(replies[max(matching, key=len)])
