"""The scenario that somebody begins with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from planecast.errors import InputError
from planecast.scenario import Scenario, load_scenario
from planecast.scenario.dataplane import KINDS
from planecast.scenario.keys import allowed, field_at
from planecast.scenario.starter import TITLES, Starter, StarterKind, next_commands, placed_command

MINE = "./app -l 0-3 -n 4 --vdev net_x,a=1 -a 0000:18:00.0 --file-prefix=x -- -p 3 --config '(0,0)'"


@pytest.mark.parametrize("kind", TITLES)
def test_each_is_a_scenario(kind: StarterKind, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(Starter(kind, frame_bytes=128, flows=100_000, command=MINE).text)
    found = load_scenario(path)
    assert found.dataplane.kind == kind
    assert (found.traffic.frame_bytes, found.traffic.flows) == (128, 100_000)
    assert found.placement.lcores == 1
    assert max(len(line) for line in path.read_text().splitlines() if "command:" not in line) <= 100


def named_in_comments(text: str) -> Iterator[tuple[str, str]]:
    """(dotted key, value) of each choice and each key that a comment behind a key names."""
    section = ""
    for line in text.splitlines():
        if line and not line.startswith((" ", "#")):
            section = line.partition(":")[0]
        typed, mark, comment = line.partition(" # ")
        if not mark or not typed.strip():
            continue
        key = f"{section}.{typed.strip().partition(':')[0]}"
        for other, value in re.findall(r"([a-z_.]+): (\d+)", comment):
            yield (other if "." in other else f"{section}.{other}"), value
        words = re.findall(r"[A-Za-z0-9_.]+", comment)
        yield from ((word, "") for word in words if "." in word)
        allowed_words = _choices(key, section, text)
        yield from ((key, word) for word in words if word in allowed_words)


def _choices(key: str, section: str, text: str) -> set[str]:
    kind = next(line.split()[-1] for line in text.splitlines() if line.startswith("  kind:"))
    noun: type[BaseModel] = KINDS[kind] if section == "dataplane" else Scenario
    field = field_at(noun, key.split(".")[1:] if section == "dataplane" else key.split("."))
    assert field is not None, key
    return set(re.findall(r"[a-z0-9-]+", allowed(field))) - {"a", "of", "from", "to", "whole"}


@pytest.mark.parametrize("kind", TITLES)
def test_what_its_comments_name_can_be_set(kind: StarterKind, tmp_path: Path) -> None:
    text = Starter(kind, command=MINE).text
    path = tmp_path / "s.yaml"
    path.write_text(text)
    named = list(named_in_comments(text))
    assert ("placement.cpus", "2") in named
    for key, value in named:
        assert value, f"{kind} has a comment about {key}, and says no value"
        load_scenario(path, {key: value})
    if kind == "vpp":
        assert {value for key, value in named if key == "dataplane.graph"} == {
            *("l2patch", "l2bridge", "ip4", "ip6")
        }
    if kind == "testpmd":
        assert {value for key, value in named if key == "dataplane.mode"} == {"mac", "macswap"}


def test_the_program_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(Starter("testpmd", program="/opt/it's/testpmd").text)
    assert load_scenario(path).dataplane.program == "/opt/it's/testpmd"


def test_a_command_line_gets_planecasts_cpus_and_ports() -> None:
    assert shlex.split(placed_command(MINE, large_pages=True)) == [
        *("./app", "--lcores", "0@{main_cpu},1@{cpu}", "{in_eal}", "{out_eal}", "--no-pci"),
        *("-n", "4", "--", "-p", "3", "--config", "(0,0)"),
    ]
    small = shlex.split(placed_command("app -l0-1 -c=3 --lcores=1 -- -x", large_pages=False))
    assert small[5:] == ["--no-pci", "--no-huge", "-m", "512", "--no-shconf", "--", "-x"]
    without = placed_command("app --no-huge -m 64", large_pages=False)
    assert shlex.split(without)[-3:] == ["--no-huge", "-m", "64"]


def test_testpmd_throws_nothing_away() -> None:
    """As its own kind of data plane is: else most of the first packets don't come out."""
    for typed in ("dpdk-testpmd -- --auto-start", "/opt/bin/testpmd -l 0-1"):
        assert placed_command(typed, large_pages=True).split().count("--no-flush-rx") == 1
        assert "--no-flush-rx" in placed_command(typed, large_pages=True).partition(" -- ")[2]
    once = placed_command("dpdk-testpmd -- --no-flush-rx", large_pages=True)
    assert once.count("--no-flush-rx") == 1
    assert "flush" not in placed_command("dpdk-l2fwd -- -p 3", large_pages=True)


def test_one_that_has_placeholders_is_taken_as_it_is() -> None:
    typed = "app --in {in} --out {out} --cpu {cpu}"
    assert placed_command(typed, large_pages=False) == typed


@given(st.lists(st.text(min_size=1), min_size=1))
def test_words_stay_words(words: list[str]) -> None:
    """Whatever the program's own arguments are, a shell's reader finds them again."""
    typed = shlex.join(["app", "--", *words])
    if "{in" not in typed:
        kept = shlex.split(placed_command(typed, large_pages=True))
        assert [word.format() for word in kept[kept.index("--") + 1 :]] == words


@pytest.mark.parametrize("typed", ["", "   ", "app 'x"])
def test_what_is_no_command_line(typed: str) -> None:
    with pytest.raises(InputError, match="--command"):
        placed_command(typed, large_pages=False)


def test_three_commands_follow() -> None:
    commands = next_commands("my file.yaml")
    assert len(commands) == 3
    assert all(command.startswith("planecast ") for command in commands)
    assert any("'my file.yaml'" in command for command in commands)
