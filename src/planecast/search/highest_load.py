"""The highest load that a search asks for, before the generator shows what it reaches."""

from __future__ import annotations

from dataclasses import replace

from planecast.search.question import Question
from planecast.search.session import capped_at
from planecast.search.tester import Ceiling


def highest_load(question: Question) -> Ceiling:
    """The highest load that is asked for: the link's, unless a person named less. What is asked at
    a rate needs no more than that."""
    link = Ceiling(question.link_pps, "link", link_words(question))
    most = capped_at(link, question.max_pps)
    if question.method in ("latency", "soak") and question.rate_pps is not None:
        most = replace(most, pps=min(most.pps, question.rate_pps))
    return most


def link_words(question: Question) -> str:
    """What the link carries, in words."""
    carried = f"{question.link_pps / 1e6:.4g} Mpps of these frames"
    return f"{question.link_gbps:g} Gbit/s carry {carried}"
