"""``planecast partition topology``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.host.trees import EPYC, VIRTUAL, XEON, write_tree


def test_the_picture_shows_who_shares_what(run: Run, tmp_path: Path) -> None:
    answer = run("partition", "topology", "--sysfs", write_tree(tmp_path / "xeon", XEON))
    assert answer.code == 0
    assert "2 sockets, 40 cores, 80 threads" in answer.out
    assert "L3 1: 27.5 MiB, 11 ways" in answer.out
    assert "21/61^!" in answer.out
    assert "22/62_!" in answer.out
    assert "clock high (^): base 2700 MHz" in answer.out
    assert "L3 ways 0x7ff among 16 classes, at least 1 way each, 0x600 shared" in answer.out
    assert "NIC 0000:af:00.0 ens5f0 (i40e), 10 Gbit/s" in answer.out


def test_other_machines(run: Run, tmp_path: Path) -> None:
    epyc = run("partition", "topology", "--sysfs", write_tree(tmp_path / "epyc", EPYC))
    assert "L3 7: 32 MiB, 16 ways" in epyc.out
    assert "(1/8 GB/s)" in epyc.out
    virtual = run("partition", "topology", "--sysfs", write_tree(tmp_path / "v", VIRTUAL))
    assert "to divide: nothing" in virtual.out
    assert "clocks: the kernel reports none" in virtual.out


def test_json_and_csv(run: Run, tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "xeon", XEON)
    document = run("partition", "topology", "--sysfs", tree, "--format", "json").json()
    assert len(document["cores"]) == 40
    assert len(document["fingerprint"]) == 16
    csv = run("partition", "topology", "--sysfs", tree, "--format", "csv").out.splitlines()
    assert len(csv) == 81
    assert csv[0].startswith("cpu,siblings,socket")


def test_a_folder_that_is_no_machine_is_refused(run: Run, tmp_path: Path) -> None:
    answer = run("partition", "topology", "--sysfs", tmp_path)
    assert answer.code == 2
    assert "sys/devices/system/cpu/online" in answer.err


def test_this_machine(run: Run) -> None:
    assert run("partition", "topology", "--format", "json").json()["cores"]


def test_a_page_of_the_machine_and_of_a_plan(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "machine.html"
    tree = write_tree(tmp_path / "xeon", XEON)
    assert run("partition", "topology", "--sysfs", tree, "-o", page).out == f"{page}\n"
    assert "socket 1, node 1, L3 1: 27.5 MiB, 11 ways" in page.read_text()
    who = tmp_path / "tenants.yaml"
    who.write_text("name: s\ntenants:\n  - {name: dp, role: dataplane, cores: 1}\n")
    plan = tmp_path / "plan.html"
    run("partition", "plan", who, "--sysfs", tree, "--tries", "1", "-o", plan)
    assert "Whose the cores are" in plan.read_text()
