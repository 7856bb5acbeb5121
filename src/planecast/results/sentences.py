"""Sentences about several results: each once, with the names of those that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LISTED = 3


def by_sentence(said: Iterable[tuple[str, Sequence[str]]]) -> dict[str, list[str]]:
    """The names that each sentence is about, of names with their sentences."""
    about: dict[str, list[str]] = {}
    for name, sentences in said:
        for sentence in sentences:
            names = about.setdefault(sentence, [])
            if name not in names:
                names.append(name)
    return about


def once(said: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Each sentence behind the names that it is about, or alone where it is about all."""
    said = list(said)
    everything = len({name for name, _ in said})
    return [
        sentence if len(names) == everything else f"{listed(names, everything)}: {sentence}"
        for sentence, names in by_sentence(said).items()
    ]


def listed(names: Sequence[str], everything: int) -> str:
    """A few names, or how many they are."""
    if len(names) == everything and everything > 1:
        return f"all {everything}"
    if len(names) <= _LISTED:
        return "; ".join(names)
    more = len(names) - _LISTED
    return f"{'; '.join(names[:_LISTED])} and {more:,} other{'s' if more > 1 else ''}"
