"""``perf script``: the samples of ``perf record``, a stack each, as its text prints them.

A sample begins with a line ``COMM PID[/TID] [CPU] TIME: PERIOD EVENT:``, of which fields may be
missing (``-F``), and continues with a line a frame, the innermost first, ``ADDRESS SYMBOL+0xOFFSET
(OBJECT)``; without ``-g`` the one frame stands behind the event. An empty line ends it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planecast.errors import InputError

_HEAD = re.compile(
    r"(?P<comm>\S.*?)\s+(?:\d+(?:/\d+)?)\s+(?:\[\d+\]\s+)?(?:[\d.]+:\s+)?"
    r"(?:(?P<period>\d+)\s+)?(?P<event>[A-Za-z_][^\s]*?):(?:\s+(?P<frame>[0-9a-f]+\s.*))?\s*"
)
_FRAME = re.compile(r"\s*[0-9a-f]+\s+(?P<symbol>.+?)\s+\((?P<object>.*)\)\s*")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")
_NAMELESS = "[unknown]"

Stack = tuple[str, ...]
"""From the thread's name over the outermost function to the innermost."""


@dataclass(frozen=True)
class SampledStacks:
    """What was sampled of one event."""

    event: str
    """As perf names it: ``cycles``, ``cpu-clock``."""
    stacks: dict[Stack, float]
    """Events by stack where samples show their period, else samples."""
    samples: int
    weighted: bool
    """Whether samples show their period."""
    others: tuple[str, ...] = ()
    """Events of the file that were left out."""
    remarks: tuple[str, ...] = ()


def read_perf_script(lines: Iterable[str], path: str) -> SampledStacks:
    """The stacks of the event that was sampled most.

    Raises InputError for text that holds no sample, and for ``perf.data`` itself.
    """
    found: dict[str, dict[Stack, float]] = defaultdict(lambda: defaultdict(float))
    samples = Counter[str]()
    unweighted: set[str] = set()
    bad: list[int] = []
    for line_number, head, frames in _samples(lines, path):
        if head is None:
            bad.append(line_number)
            continue
        event = head["event"].rstrip(":")
        stack = _stack(head["comm"], frames)
        if head["period"] is None:
            unweighted.add(event)
        found[event][stack] += float(head["period"] or 1)
        samples[event] += 1
    if not samples:
        raise InputError(
            "it has no sample of perf script",
            path,
            "record with perf record -g -C CPUS, then perf script > FILE",
        )
    event = samples.most_common(1)[0][0]
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    remarks = (f"line {bad[0]}{more} of {path} is not a sample: left out",) if bad else ()
    return SampledStacks(
        event,
        dict(found[event]),
        samples[event],
        event not in unweighted,
        tuple(sorted(set(samples) - {event})),
        remarks,
    )


def _samples(
    lines: Iterable[str], path: str
) -> Iterator[tuple[int, re.Match[str] | None, list[str]]]:
    """Line of the head, the head (None when it is none), the frames from the innermost on."""
    head: re.Match[str] | None = None
    start, frames = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith("PERFILE"):
            raise InputError(
                "this is what perf record writes for perf alone",
                path,
                "give its text: perf script -i FILE > FILE.txt",
            )
        text = line.rstrip("\n")
        if not text.strip() or text.startswith("#"):
            if head is not None:
                yield start, head, frames
            head, frames = None, []
            continue
        frame = _FRAME.fullmatch(text) if text[0] in " \t" else None
        if frame is not None and head is not None:
            frames.append(_name(frame))
            continue
        if head is not None:
            yield start, head, frames
        head, start, frames = _HEAD.fullmatch(text.strip()), number, []
        if head is None:
            yield number, None, []
        elif head["frame"] and (alone := _FRAME.fullmatch(head["frame"])):
            frames.append(_name(alone))
    if head is not None:
        yield start, head, frames


def _stack(comm: str, frames: list[str]) -> Stack:
    """The stack, the thread first. Unknown frames are one: without frame pointers perf
    walks through whatever lies on the stack."""
    found = [comm]
    for frame in reversed(frames or [_NAMELESS]):
        if frame != _NAMELESS or found[-1] != _NAMELESS:
            found.append(frame)
    return tuple(found)


def _name(frame: re.Match[str]) -> str:
    """A function's name; of one without a symbol, the object that it is in."""
    symbol = _OFFSET.sub("", frame["symbol"])
    if symbol != _NAMELESS:
        return symbol
    where = frame["object"].rpartition("/")[2]
    return where if where.startswith("[") else f"[{where}]"
