"""Labels: what the results of a run are called in figures and tables."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence

from planecast.results import Result
from planecast.results.scenario_labels import label_of, varied_keys

_LINE = 26
"""Characters of a label that stand on one line next to a figure; a telephone shows that many."""


def result_labels(results: Sequence[Result]) -> list[str]:
    """A short name a result: the keys in which the scenarios differ, else the scenario's name.

    Results of equal scenarios are numbered, for a figure draws equal labels on one place.
    """
    varied = varied_keys([result.scenario for result in results])
    labels = [
        label_of(result.scenario, varied) if varied else result.scenario.name for result in results
    ]
    return unique(labels)


def unique(labels: Sequence[str]) -> list[str]:
    """The labels, those that come again numbered: ``a``, ``a #2``."""
    seen: Counter[str] = Counter()
    found = []
    for label in labels:
        seen[label] += 1
        found.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return found


def plain(text: str) -> str:
    """`text` as Plotly shows it letter by letter: it would take ``<b>`` and ``<a>`` as markup."""
    return html.escape(text, quote=False)


def folded(label: str) -> str:
    """A label for an axis: folded at spaces and commas into lines that a narrow screen holds."""
    lines = [""]
    for word in _words(label):
        if lines[-1] and len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] += word
    return "<br>".join(plain(line.strip()) for line in lines)


def _words(label: str) -> list[str]:
    words = [""]
    for letter in label:
        words[-1] += letter
        if letter in " ,":
            words.append("")
    return [word for word in words if word]
