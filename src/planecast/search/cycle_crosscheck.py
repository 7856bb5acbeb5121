"""The data plane's own cycles a packet against ours, on one trial."""

from __future__ import annotations

import re

from planecast.results.search import CyclesCheck
from planecast.search.session import Session
from planecast.search.tester import Ceiling

_PART = re.compile(r"node |clocks$|.* processing$|of it |program\d+\.")
"""Counts of a part of its cycles: of nodes, of ports, without those of polls that found nothing, or
of one of several programs."""
AGREE_PERCENT = 5.0
"""Counts that differ by more are said to disagree."""


def check_cycles(session: Session, ceiling: Ceiling) -> CyclesCheck | None:
    """A trial of its own at the highest load. None when one of the two counts nothing."""
    opinion = session.opinion(ceiling.pps)
    ours = opinion.cycles_per_packet
    own = {
        name: said
        for name, said in opinion.own.items()
        if said.unit == "cycles/packet" and not _PART.match(name)
    }
    if ours is None or not ours.samples or not own:
        return None
    return CyclesCheck(offered_pps=ceiling.pps, ours=ours, own=own)


def check_words(check: CyclesCheck) -> str:
    """The check as a sentence."""
    said = ", ".join(
        f"{check.own[name].value:.4g} ({name}, {percent:+.1f} %)"
        for name, percent in check.difference_percent.items()
    )
    differ = max(map(abs, check.difference_percent.values())) > AGREE_PERCENT
    why = (
        f": more than {AGREE_PERCENT:g} % apart, so look at both before you use one"
        if differ
        else ""
    )
    return (
        f"at {check.offered_pps / 1e6:.4g} Mpps offered, by our clock and count "
        f"{check.ours.value:.4g} cycles a packet, by its own {said}{why}"
    )
