"""Stands in for pqos: its state in a file, what it was asked in another, its words as printed.

Run as ``fake_pqos.py FOLDER ARGUMENTS…``. A file ``refuse`` in the folder holds the number, from 0,
of the change that it refuses.
"""

import json
import sys
from pathlib import Path
from typing import Any

WAYS, CLASSES, LIMITED = 11, 16, 8


def fresh(cpus: int, sockets: int) -> dict[str, Any]:
    full = {str(s): [(1 << WAYS) - 1] * CLASSES for s in range(sockets)}
    free = {str(s): [100] * LIMITED for s in range(sockets)}
    return {"l3": full, "mba": free, "cpus": [0] * cpus}


def shown(state: dict[str, Any], details: bool) -> list[str]:
    lines = ["NOTE:  Mixed use of MSR and kernel interfaces to manage", "       CAT or CMT & MBM"]
    if details:
        lines += [
            "INFO: L3 CAT details: CDP support=1, CDP on=0, #COS=16, #ways=11, ways contention "
            "bit-mask 0x600",
            "INFO: MBA details: #COS=8, linear, max=90, step=10",
        ]
    for socket, masks in state["l3"].items():
        lines.append(f"L3CA/MBA COS definitions for Socket {socket}:")
        lines += [f"    L3CA COS{n} => MASK {mask:#x}" for n, mask in enumerate(masks)]
        lines += [f"    MBA COS{n} => {v}% available" for n, v in enumerate(state["mba"][socket])]
    per = len(state["cpus"]) // len(state["l3"])
    for socket in state["l3"]:
        lines.append(f"Core information for socket {socket}:")
        for cpu in range(int(socket) * per, (int(socket) + 1) * per):
            lines.append(
                f"    Core {cpu}, L2ID {cpu}, L3ID {socket} => COS{state['cpus'][cpu]}, RMID0"
            )
    return lines


def define(state: dict[str, Any], text: str) -> None:
    for part in filter(None, text.split(";")):
        (kind, place), (number, value) = (
            part.split(":")[0].split("@"),
            part.split(":")[1].split("="),
        )
        for socket in place.split(","):
            if kind == "llc":
                mask = int(value, 16)
                if mask >> WAYS or mask == 0 or "01" in f"{mask:b}".rstrip("0").replace("1", "", 1):
                    sys.exit("ERROR: Requested CBM is not contiguous or too wide")
                state["l3"][socket][int(number)] = mask
            else:
                state["mba"][socket][int(number)] = -(-int(value) // 10) * 10


def associate(state: dict[str, Any], text: str) -> None:
    for part in filter(None, text.split(";")):
        number, cpus = part.removeprefix("llc:").split("=")
        for cpu in cpus.split(","):
            state["cpus"][int(cpu)] = int(number)


def main(folder: Path, words: list[str]) -> None:
    file, log, refuse = folder / "state.json", folder / "asked", folder / "refuse"
    state = json.loads(file.read_text())
    if words[0] == "-s":
        print("\n".join(shown(state, "-v" in words)))
        return
    before = log.read_text() if log.exists() else ""
    log.write_text(before + "pqos " + " ".join(words) + "\n")
    if refuse.exists() and before.count("\n") == int(refuse.read_text()):
        sys.exit("ERROR: Allocation configuration error!")
    {"-e": define, "-a": associate}[words[0]](state, words[1])
    file.write_text(json.dumps(state))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
