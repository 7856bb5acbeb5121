"""The CPUs of a machine, the best for an lcore first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from planecast.host import Root
from planecast.host.lcore_order import core_groups, lcore_order


def machine(folder: Path, cores: str, **more: str) -> Root:
    """A tree of these cores, each with its threads: ``0,2 1,3``."""
    groups = [[int(cpu) for cpu in core.split(",")] for core in cores.split()]
    every = sorted(cpu for group in groups for cpu in group)
    files: Mapping[str, str] = {
        "online": ",".join(map(str, every)),
        **{
            f"cpu{cpu}/topology/thread_siblings_list": ",".join(map(str, group))
            for group in groups
            for cpu in group
        },
        **more,
    }
    for name, text in files.items():
        path = folder / "sys/devices/system/cpu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return Root(folder)


@pytest.mark.parametrize(
    ("cores", "order"),
    [
        ("0", (0,)),
        ("0 1", (1, 0)),
        ("0 1 2 3", (1, 2, 3, 0)),
        ("0,1 2,3", (2, 0, 3, 1)),
        ("0,4 1,5 2,6 3,7", (1, 2, 3, 0, 5, 6, 7, 4)),
    ],
)
def test_whole_cores_first_and_the_core_of_cpu_0_last(
    tmp_path: Path, cores: str, order: tuple[int, ...]
) -> None:
    assert lcore_order(machine(tmp_path, cores)) == order


def test_isolated_cores_come_before_all_others(tmp_path: Path) -> None:
    assert lcore_order(machine(tmp_path, "0 1 2 3", isolated="2-3")) == (2, 3, 1, 0)


def test_isolated_cpus_that_a_container_does_not_lend_are_left(tmp_path: Path) -> None:
    root = machine(tmp_path, "0 1 2 3", isolated="2-3", online="0-1")
    cgroup = tmp_path / "sys/fs/cgroup"
    cgroup.mkdir(parents=True)
    (cgroup / "cpuset.cpus.effective").write_text("0-2\n")
    assert lcore_order(root) == (2, 1, 0)


def test_one_node_after_the_other(tmp_path: Path) -> None:
    root = machine(tmp_path, "0 1 2 3")
    for number, cpus in enumerate(("0,2", "1,3")):
        node = tmp_path / f"sys/devices/system/node/node{number}"
        node.mkdir(parents=True)
        (node / "cpulist").write_text(cpus + "\n")
    assert lcore_order(root) == (2, 1, 3, 0)


def test_cpus_without_a_known_core_count_as_one_each(tmp_path: Path) -> None:
    assert core_groups((3, 1), Root(tmp_path)) == [(1,), (3,)]
    assert core_groups((1, 2), machine(tmp_path, "0,1 2,3")) == [(1,), (2,)]
