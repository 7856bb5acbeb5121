"""``planecast partition plan`` and ``show``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.host.trees import EPYC, VIRTUAL, XEON, write_tree

PUBLISHED = """\
pqos -e "llc:0=0x7ff;llc:1=0x7f0;llc:2=0x3;llc:3=0xc;"
pqos -e "mba:0=100;mba:1=100;mba:2=10;mba:3=10;"
pqos -a "llc:0=0-19,40-59"
pqos -a "llc:1=21,26,27,28,29,36,22,23,24,30,31,32;llc:2=25,34,38,39;llc:3=20,33,35,37"
pqos -a "llc:1=61,66,67,68,69,76,62,63,64,70,71,72;llc:2=65,74,78,79;llc:3=60,73,75,77"
"""
"""RES, page "RDT Test configuration"."""

TENANTS = """\
name: two
tenants:
  - {name: dp, role: dataplane, cores: 4, profile: vpe-upstream}
  - {name: ctl, role: control, rank: 2, cores: 1, profile: quiet}
  - {name: noisy, role: neighbour, rank: 3, cores: 6, profile: stream}
"""


@pytest.fixture
def tenants(tmp_path: Path) -> Path:
    path = tmp_path / "tenants.yaml"
    path.write_text(TENANTS)
    return path


def test_the_published_commands_character_for_character(run: Run, repository: Path) -> None:
    study = repository / "studies" / "res-6230n.yaml"
    assert run("partition", "show", study, "--tries", "1").out == PUBLISHED


def test_a_plan_for_a_recorded_machine(run: Run, tmp_path: Path, tenants: Path) -> None:
    tree = write_tree(tmp_path / "xeon", XEON)
    kept = tmp_path / "plan.json"
    said = run("partition", "plan", tenants, "--sysfs", tree, "--tries", "12", "-o", kept)
    assert said.code == 0, said.err
    plan = json.loads(kept.read_text())
    (dp,) = [share for share in plan["division"]["shares"] if share["tenant"] == "dp"]
    assert dp["cores"] == [21, 26, 27, 33]  # isolated, of priority, by a card
    table = run("partition", "plan", tenants, "--sysfs", tree, "--tries", "12").out
    assert "divisions tried; the next best" in table
    shown = {
        form: run("partition", "show", kept, "--sysfs", tree, "--as", form).out
        for form in ("resctrl", "taskset", "cgroup", "ovs", "dpdk", "sst")
    }
    assert "mkdir /sys/fs/resctrl/planecast-1" in shown["resctrl"]
    assert "echo 'L3:0=" in shown["resctrl"]
    assert "taskset -c 21,26-27,33 COMMAND  # dp" in shown["taskset"]
    assert "cpuset.mems" in shown["cgroup"]
    assert "pmd-cpu-mask=0x20c200000" in shown["ovs"]
    assert "dpdk-lcore-mask=" in shown["ovs"]
    assert "-l 21,26-27,33 --main-lcore 21  # dp" in shown["dpdk"]
    assert "echo 2700000 > /sys/devices/system/cpu/cpu21/cpufreq/scaling_min_freq" in shown["sst"]
    other = write_tree(tmp_path / "epyc", EPYC)
    refused = run("partition", "show", kept, "--sysfs", other)
    assert refused.code == 2
    assert "for another machine" in refused.err


def test_amd_bandwidth_and_many_caches(run: Run, tmp_path: Path, tenants: Path) -> None:
    tree = write_tree(tmp_path / "epyc", EPYC)
    out = run("partition", "show", tenants, "--sysfs", tree, "--as", "resctrl", "--tries", "9").out
    assert "7=" in out
    assert "MB:0=2048;1=2048" in out


def test_a_machine_with_nothing_to_divide_still_gets_cores(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text("name: s\ntenants:\n  - {name: dp, role: dataplane, cores: 1}\n")
    tree = write_tree(tmp_path / "virtual", VIRTUAL)
    answer = run("partition", "show", path, "--sysfs", tree, "--as", "taskset")
    assert answer.out == "taskset -c 0 COMMAND  # dp\n"


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("  - {name: a, cores: 1, profil: l3fwd}\n", "tenants.yaml:3: unknown key"),
        ("  - {name: a, cores: 1, profile: l4fwd}\n", "profiles are l3fwd"),
        ("  - {name: a}\n", "needs either cpus or cores"),
        ("  - {name: a, cpus: 1}\n  - {name: b, cpus: 0-2}\n", "tenants.yaml:4: CPU 1 is b's"),
        ("  - {name: a, cpus: 99}\n", "CPU 99, which is not online"),
    ],
)
def test_mistakes_are_reported(run: Run, tmp_path: Path, text: str, fragment: str) -> None:
    path = tmp_path / "tenants.yaml"
    path.write_text("name: x\ntenants:\n" + text)
    answer = run("partition", "plan", path, "--sysfs", write_tree(tmp_path / "v", VIRTUAL))
    assert answer.code == 2
    assert fragment in answer.err


def test_text_that_is_no_plan_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("{}")
    answer = run("partition", "show", path)
    assert answer.code == 2
    assert "this is not a plan" in answer.err


def test_applying_and_undoing_say_what_is_missing(run: Run, tmp_path: Path, tenants: Path) -> None:
    undone = run("partition", "--state", tmp_path / "record.json", "--undo")
    assert undone.out == "nothing is applied: there is no record\n"
    tree = write_tree(tmp_path / "xeon", XEON)
    refused = run("partition", "plan", tenants, "--sysfs", tree, "--tries", "1", "--apply")
    assert refused.code == 2
    assert "a machine that isn't this one can't be changed" in refused.err
    assert "Usage" in run("partition").out


def test_a_plan_for_a_machine_of_the_catalogue(run: Run, tmp_path: Path, tenants: Path) -> None:
    kept = tmp_path / "plan.json"
    made = run("partition", "plan", tenants, "--machine", "epyc-9354", "--tries", "3", "-o", kept)
    assert made.code == 0, made.err
    assert "EPYC 9354" in json.loads(kept.read_text())["machine"]
    shown = run("partition", "show", kept, "--machine", "epyc-9354", "--as", "resctrl")
    assert "MB:0=2048;1=2048" in shown.out
    assert "for another machine" in run("partition", "show", kept, "--machine", "epyc-7532").err
    unknown = run("partition", "plan", tenants, "--machine", "epyc")
    assert unknown.code == 2
    assert unknown.err.startswith("planecast: --machine epyc: the catalogue has no machine 'epyc'")


def test_the_file_may_name_a_machine(run: Run, tenants: Path) -> None:
    tenants.write_text("machine: gold-6230n\n" + TENANTS)
    assert "Gold 6230N" in run("partition", "plan", tenants, "--tries", "1").out
    tenants.write_text("machine: gold-6230\n" + TENANTS)
    refused = run("partition", "plan", tenants)
    assert refused.code == 2
    assert "tenants.yaml:1: machine: the catalogue has no machine" in refused.err
