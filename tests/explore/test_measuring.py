"""Measuring in the background: one at a time, stopped with the page, its sentence passed on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.explore.conftest import Ask

from planecast.errors import InputError
from planecast.explore.measuring import Measuring
from planecast.explore.session import Session
from planecast.results import Result, ResultSet, find_run, list_runs
from planecast.results.store import CALIBRATION
from planecast.scenario import with_overrides

Make = Callable[..., Result]


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], tuple[str, ...]]:
    """A program in place of planecast, of these lines of Python."""

    def written(lines: str) -> tuple[str, ...]:
        path = tmp_path / "program.py"
        head = "import signal, sys, time\nfrom pathlib import Path"
        # As planecast: SIGTERM is a Ctrl-C.
        head += "\nsignal.signal(signal.SIGTERM, signal.default_int_handler)"
        path.write_text(f"{head}\n{lines}\n")
        return sys.executable, str(path)

    return written


def ended(measuring: Measuring) -> dict[str, object]:
    deadline = time.monotonic() + 60
    while measuring.state()["running"]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return measuring.state()


def test_a_measurement_is_a_dot_next_to_the_prediction(
    ask: Ask, session: Session, program: Callable[[str], tuple[str, ...]], points: list[Result]
) -> None:
    answer = session.root / "answer.json"
    answer.write_text(ResultSet(results=(points[0],)).model_dump_json())
    session.measuring.program = program(
        "assert sys.argv[1] == 'measure' and sys.argv[3:5] == ['--seconds', '2']\n"
        "assert 'vpe-upstream' in Path(sys.argv[2]).read_text()\n"
        f"Path(sys.argv[-1]).write_text(Path({str(answer)!r}).read_text())"
    )
    assert ask("measure", changes={}, seconds=2)["running"]
    assert ended(session.measuring)["failed"] == ""
    (dot,) = ask("answer", changes={})["measured"]
    assert dot["cycles_per_packet"]["value"] == points[0].cycles_per_packet.value
    assert ask("answer", changes={"placement.burst": 5})["measured"] == []


def test_one_at_a_time_and_stopped(
    session: Session, program: Callable[[str], tuple[str, ...]], tmp_path: Path
) -> None:
    mark = tmp_path / "ended"
    session.measuring.program = program(
        f"try:\n    Path({str(mark)!r}).write_text('begun')\n"
        # In short steps: a signal a moment before a sleep does not end that sleep.
        f"    while True:\n        time.sleep(0.01)\n"
        f"except KeyboardInterrupt:\n    Path({str(mark)!r}).write_text('cleaned up')\n"
        "    sys.exit(130)"
    )
    session.measuring.start(session.base, 1)
    with pytest.raises(InputError, match="runs already"):
        session.measuring.start(session.base, 1)
    while not mark.is_file():
        time.sleep(0.01)
    session.measuring.stop()
    assert str(ended(session.measuring)["failed"]).startswith("stopped"), "by whom is no secret"
    assert mark.read_text() == "cleaned up"
    session.measuring.stop()  # nothing runs: nothing to do


def test_its_sentence_is_passed_on(
    ask: Ask, session: Session, program: Callable[[str], tuple[str, ...]]
) -> None:
    session.measuring.program = program(
        "print('planecast: no huge pages', file=sys.stderr); sys.exit(3)"
    )
    ask("measure", changes={}, seconds=1)
    assert ended(session.measuring)["failed"] == "no huge pages"


def test_measuring_refuses_what_it_can_not_set(ask: Ask, session: Session) -> None:
    ask("measure", changes={"machine": "gold-6230n"}, seconds=1)
    assert "measuring is done on this host" in str(ended(session.measuring)["failed"])
    assert "say 1 to" in ask("measure", changes={}, seconds=0)["refused"]


def test_adding_fits_again_to_all_points(ask: Ask, session: Session, points: list[Result]) -> None:
    before = session.chosen("vpe-upstream")
    assert "no measured point" in ask("add", changes={})["refused"]
    scenario = with_overrides(points[0].scenario, {"placement.burst": 128})
    slower = points[0].cycles_per_packet.scaled(0.8, "cycles/packet")
    session.measuring.done.append(
        points[0].model_copy(update={"scenario": scenario, "cycles_per_packet": slower})
    )
    run = find_run(ask("add", changes={})["run"], session.root)
    after = session.chosen("vpe-upstream")
    assert after.basis.run == run.path.name
    assert (run.path / CALIBRATION).is_file()
    assert after.model.points == before.model.points + 1
    assert after.model.ranges["placement.burst"][1] == 128
    assert "not validated" in ask("answer", changes={})["basis"]
    # All that it was fitted to is kept, so that the next point can be added, and none twice.
    assert "no measured point" in ask("add", changes={})["refused"]
    assert len(list_runs(session.root)) == 2


def test_points_of_another_host_are_not_added(
    ask: Ask, session: Session, points: list[Result]
) -> None:
    elsewhere = points[0].manifest.model_copy(update={"host": {"cpu": "Another CPU"}})
    scenario = with_overrides(points[0].scenario, {"placement.burst": 128})
    session.measuring.done.append(
        points[0].model_copy(update={"manifest": elsewhere, "scenario": scenario})
    )
    assert "Another CPU" in ask("add", changes={})["refused"]
    assert len(list_runs(session.root)) == 1
