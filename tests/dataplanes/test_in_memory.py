"""Programs of others between ports in memory: what instruments can't run is left out."""

from __future__ import annotations

import shlex

import pytest

from planecast.dataplanes.in_memory import portable, refuse_outside
from planecast.errors import InputError
from planecast.scenario import Scenario
from planecast.scenario.starter import placed_command


def mine(command: str) -> Scenario:
    return Scenario.model_validate(
        {"name": "mine", "dataplane": {"kind": "command", "command": command}}
    )


def portable_words(command: str) -> list[str]:
    return shlex.split(portable(mine(command)).dataplane.command)


def test_a_command_that_init_wrote_for_large_pages_runs_without() -> None:
    command = placed_command("./app -n 4 -- -p 3 --name 'a b'", large_pages=True)
    assert portable_words(command) == [
        *("./app", "--lcores", "0@{main_cpu},1@{cpu}"),
        *("--no-huge", "-m", "512", "--no-shconf"),
        *("{in_eal}", "{out_eal}", "--no-pci", "-n", "4", "--", "-p", "3", "--name", "a b"),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "app --no-huge -m 64 {in_eal} {out_eal}",
        "app {in_eal} {out_eal} --in-memory",
        placed_command("app", large_pages=False),
        "app --in {in} --out {out}",
        "app {in_eal} 'x",
    ],
)
def test_a_command_that_needs_no_large_pages_stays(command: str) -> None:
    assert portable(mine(command)).dataplane.command == command


@pytest.mark.parametrize(
    "own",
    [
        "-m 1024",
        "--socket-mem=1024,0",
        "--socket-mem 1024",
        "--huge-dir /mnt/huge",
        "--huge-unlink",
    ],
)
def test_options_for_large_pages_are_left_out(own: str) -> None:
    for command in (f"app {own} {{in_eal}} {{out_eal}} -- -m 7", f"app {{in_eal}} {own} -- -m 7"):
        words = portable_words(command)
        assert words.count("--no-huge") == 1
        assert words[-3:] == ["--", "-m", "7"]
        kept = {*words} - {*portable_words(command.replace(f"{own} ", ""))}
        assert kept == set()


def test_braces_of_its_own_stay_doubled() -> None:
    command = "app {in_eal} {out_eal} -- --set {{a}}"
    assert portable_words(command)[-1] == "{{a}}"


def test_other_programs_stay() -> None:
    scenario = Scenario.model_validate({"name": "s", "dataplane": {"kind": "testpmd"}})
    assert portable(scenario) is scenario


@pytest.mark.parametrize("ports", ["{in} {out}", "{in_eal}", "{out_eal} --vdev=net_null0"])
def test_a_command_without_both_of_its_ports_is_not_run_in_memory(ports: str) -> None:
    with pytest.raises(InputError, match=r"does not take its ports as {in_eal} and {out_eal}"):
        refuse_outside(mine(f"app {ports}"), "counted")
