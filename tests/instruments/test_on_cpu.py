"""Time on CPU of our descendants, from a proc that is made up."""

from __future__ import annotations

from pathlib import Path

from planecast.instruments.on_cpu import busy_ns, ran_ns


def _thread(proc: Path, pid: int, parent: int, thread: int, *, cpu: int, ran: int) -> None:
    fields = ["S", str(parent), *["0"] * 34, str(cpu), "0"]
    for folder in (proc / str(pid), proc / str(pid) / "task" / str(thread)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stat").write_text(f"{pid} (a (b) c) {' '.join(fields)}\n")
    (proc / str(pid) / "task" / str(thread) / "schedstat").write_text(f"{ran} 5 9\n")


def test_threads_of_descendants_on_the_cpus_count(tmp_path: Path) -> None:
    _thread(tmp_path, 10, 1, 10, cpu=1, ran=50)  # ourselves
    _thread(tmp_path, 20, 10, 20, cpu=0, ran=100)  # a child, its main thread elsewhere
    _thread(tmp_path, 20, 10, 21, cpu=1, ran=1000)
    _thread(tmp_path, 30, 20, 30, cpu=1, ran=2000)  # a grandchild
    _thread(tmp_path, 40, 1, 40, cpu=1, ran=9000)  # another process
    (tmp_path / "meminfo").write_text("")
    before = busy_ns({1}, tmp_path, 10)
    assert before == {21: 1000, 30: 2000}
    _thread(tmp_path, 20, 10, 21, cpu=1, ran=1700)
    _thread(tmp_path, 20, 10, 22, cpu=1, ran=400)  # it was not there before
    assert ran_ns(before, busy_ns({1}, tmp_path, 10)) == 700


def test_what_has_ended_is_left_out(tmp_path: Path) -> None:
    assert busy_ns({1}, tmp_path / "gone", 10) == {}
    assert ran_ns({5: 100}, {}) == 0
