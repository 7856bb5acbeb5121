"""Options that can have no effect with what else is typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from planecast.cli.lazy import load_verb
from planecast.cli.shared.option_rules import (
    Alone,
    Excludes,
    Needs,
    Typed,
    choices_of,
    label_of,
    listed,
    parts_of,
    rules_of,
)
from planecast.cli.shared.output_files import Page
from planecast.cli.verbs import VERBS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("search s --start 5", "--start: it has no effect without --method rfc2544, latency, "),
        ("search s --engine simulate --rate 1Mpps", "--rate: it has no effect without --method l"),
        ("search s --method rfc2544 --soak-seconds 5", "--soak-seconds: it has no effect without"),
        ("search s --method loss-curve --loss 1%", "--loss: it has no effect without --method "),
        ("search s --method mrr --exceed 10%", "--exceed: it has no effect without --method mlr"),
        ("search s --method mrr --expect 1Mpps..2Mpps", "--expect: it has no effect without --me"),
        ("search s --method soak --rate 1Mpps --start 9", "--start: it has no effect with --rate"),
        ("search s --method soak --rate 1Mpps --trials 9", "no effect with --method soak --rate"),
        ("search s --engine simulate --generator-cpu 1", "without --engine measure; add that, or"),
        ("search s --engine simulate --telemetry perf", "--telemetry: it has no effect without"),
        ("search s --method mrr --calibration x", "without --engine simulate or --method mlr; add"),
        ("search --resume x --rate 5", "--rate: a search continues with its own parameters"),
        ("sweep s --precision 0.1", "--precision: it has no effect without --engine simulate"),
        ("sweep s --seed 3", "--seed: it has no effect without --sample lhs; add that, or leave"),
        ("sweep s --dask tcp://h:1 --workers 2", "--workers: it has no effect with --dask"),
        ("predict s --precision 1%", "--precision: the closed form simulates no time; add --eng"),
        ("predict s --engine simulate --precision 1% --duration 1ms", "with --duration; leave it"),
        ("optimise s --rate 1 --vary x --percentile p50", "--percentile: it has no effect without"),
        ("optimise s --rate 1 --vary x --no-confirm --confirm-best 2", "with --no-confirm; leave"),
        ("optimise s --rate 1 --vary x --no-confirm --seconds 2", "--seconds: it has no effect wi"),
        ("sensitivity s --draws 0 --seed 2", "--seed: it has no effect with --draws 0; leave it"),
        ("explain --packets 3", "--packets: no counters are asked about; add --from, "),
        ("explain --published x --packets 3", "--packets: no counters are asked about"),
        ("explain --from x --level 3", "--level: it has no effect without --count"),
        ("explain latest --from x", "RUN: it has no effect with --from"),
        ("explain --count 1 --calibration x", "--calibration: it has no effect with --count"),
        ("explain --classes --against x", "--against: it has no effect with --classes"),
        ("explain --events skx --against x", "--against: it has no effect with --events"),
        ("explain --flame x --wide", "--wide: it has no effect with --flame"),
        ("history --by dpdk --points", "--points: it has no effect with --by"),
        ("history --points -o x.html", "--points: it has no effect with --output *.html"),
        ("machine show host --runs x", "--runs: it has no effect without ports"),
        ("machine probe x.yaml -o y.json", "--output: it has no effect with probe"),
        ("partition --state x topology", "--state: it has no effect without --undo"),
        ("partition plan x --state y", "--state: it has no effect without --apply"),
        ("partition plan x.json --tries 9", "--tries: it has no effect with *.json"),
        ("partition verify x --state y", "--state: it has no effect without --plan"),
        ("validate s --replay x", "STUDY: it has no effect with --replay"),
        ("calibrate --machine x s", "--machine: a study is measured on this host; add --from"),
    ],
)
def test_an_option_without_an_effect_is_refused(run: Run, words: str, said: str) -> None:
    answer = run(*words.split())
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_what_has_an_effect_is_not_refused(run: Run) -> None:
    for words in (
        "search s --method soak --rate 1Mpps --loss 1e-6 --soak-seconds 5",
        "search s --method latency --start 5",
        "search s --engine simulate --calibration x",
        "search --resume x --max-seconds 3 --wide",
        "sweep s --sample lhs --seed 3 -n 5",
        "optimise s --rate 1 --vary x --latency 1us --percentile p50 --confirm-best 2",
        "explain --from x --packets 3 --arch skx",
        "explain --published x --against y --packets 3",
        "partition plan x --tries 9",
    ):
        assert "it has no effect" not in run(*words.split()).err


def commands() -> Iterator[Any]:
    """Every command of the program."""
    for verb in VERBS:
        whole = load_verb(verb)
        yield whole
        yield from getattr(whole, "commands", {}).values()


def conditions_of(rule: object) -> tuple[str, ...]:
    """The conditions that a rule names."""
    if isinstance(rule, Needs):
        return rule.any_of
    if isinstance(rule, Excludes):
        return rule.conditions
    if isinstance(rule, Page):
        return (*rule.given, *rule.unless)
    return ()


def test_rules_name_what_there_is() -> None:
    seen = 0
    for command in commands():
        names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        labels = {label_of(one) for one in command.params} | {"--wide"}
        by_name = {name: one for one in command.params for name in one.opts}
        for rule in (rule for said in rules_of(command.callback).values() for rule in said):
            if isinstance(rule, Alone):
                assert set(rule.others) <= labels, command.name
            for name, value in (part for text in conditions_of(rule) for part in parts_of(text)):
                seen += 1
                assert not name or name in names, (command.name, name)
                choices = choices_of(by_name[name]) if name in by_name else ()
                assert value is None or not choices or value in choices, (command.name, value)
    assert seen > 50


def test_a_condition_in_words_and_in_parts() -> None:
    assert list(parts_of("--method latency --rate")) == [("--method", "latency"), ("--rate", None)]
    assert list(parts_of("probe")) == [("", "probe")]
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a or b",
        "a, b or c",
    ]


def test_defaults_and_switches_count() -> None:
    def values(**given: object) -> Typed:
        command = load_verb("optimise")
        context = command.make_context("optimise", ["s", "--rate", "1", "--vary", "x"])
        context.params.update(given)
        return Typed(context)

    assert values().holds("--percentile p99")
    assert not values().holds("--latency")
    assert not values().holds("--no-confirm")
    assert values(wants_confirmation=False).holds("--no-confirm")
    assert values(wants_confirmation=True).holds("--confirm")
    assert values(output=Path("a.html")).holds("--output *.html")
    assert not values().holds("--nothing")
