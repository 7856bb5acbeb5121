"""Sentences about several results."""

from __future__ import annotations

from planecast.results.sentences import listed, once


def test_a_sentence_about_all_stands_alone_and_others_name_whom_they_are_about() -> None:
    said = [("a", ("hot", "slow")), ("b", ("hot",)), ("c", ("hot", "slow"))]
    assert once(said) == ["hot", "a; c: slow"]
    assert once([("a", ("hot",))]) == ["hot"]
    assert once([]) == []


def test_a_name_stands_once() -> None:
    assert once([("a", ("hot",)), ("a", ("hot",)), ("b", ())]) == ["a: hot"]


def test_of_many_names_a_few_are_listed() -> None:
    names = [str(n) for n in range(6)]
    assert once([*((name, ("hot",)) for name in names), ("x", ())]) == ["0; 1; 2 and 3 others: hot"]
    assert once([(name, ("hot",)) for name in names]) == ["hot"]
    assert listed(["0", "1", "2", "3"], 6) == "0; 1; 2 and 1 other"
