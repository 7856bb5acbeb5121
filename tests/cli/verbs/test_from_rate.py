"""``predict --from-rate`` as a person types it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Planecast = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def scenario(repository: Path, tmp_path: Path) -> str:
    shutil.copy(repository / "scenarios" / "vpp-l2xc.yaml", tmp_path / "vpp.yaml")
    return "vpp.yaml"


def test_one_rate_answers_for_more_cores(planecast: Planecast, scenario: str) -> None:
    done = planecast(
        *("predict", scenario, "--from-rate", "9.05Mpps@e5-2699v3,card=x520"),
        *("--vary", "placement.lcores=1,2", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    one, two = json.loads(done.stdout)["results"]
    assert one["throughput_pps"]["value"] == pytest.approx(9.05e6)
    assert two["throughput_pps"]["value"] == pytest.approx(18.1e6)
    assert two["scenario"]["machine"] == "e5-2699v3"


def test_a_machine_may_be_a_file(planecast: Planecast, scenario: str, tmp_path: Path) -> None:
    shown = planecast("machine", "show", "gold-6152", "--format", "json")
    assert shown.returncode == 0, shown.stderr
    import planecast as package

    entry = Path(package.__file__).parent / "catalog" / "cpus" / "gold-6152.yaml"
    shutil.copy(entry, tmp_path / "mine.yaml")
    done = planecast(
        *("predict", scenario, "--from-rate", "11.2Mpps@mine.yaml"),
        *("--set", "machine=platinum-8358", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--from-rate", "9Mpps"), "the machine of the rate is missing"),
        (("--from-rate", "9Mpps@host"), "the machine of the rate is missing"),
        (("--from-rate", "fast@e5-2699v3"), "not a packet rate"),
        (("--from-rate", "0Mpps@e5-2699v3"), "got '0Mpps'"),
        (("--from-rate", "9Mpps@e5-2699v33"), "did you mean e5-2699v3"),
        (("--from-rate", "9Mpps@e5-2699v3,card=x521"), "did you mean x520"),
        (("--from-rate", "900Mpps@e5-2699v3"), "leave 4.3 instructions a packet to 1 lcore"),
        (("--from-rate", "9Mpps@e5-2699v3,machine=gold-6152"), "the machine appears twice"),
        (
            ("--from-rate", "9Mpps@e5-2699v3,placement.lcores=1,placement.lcores=2"),
            "placement.lcores is set twice",
        ),
        (("--from-rate", "9Mpps@e5-2699v3,ports=2"), "ports of which card?"),
        (("--from-rate", "9Mpps@e5-2699v3,card=x520,ports=3"), "has 2"),
        (("--from-rate", "9Mpps@e5-2699v3,a.yaml,b.yaml"), "where one scenario file is expected"),
        (("--from-rate", "29Mpps@e5-2699v3,card=x520"), "not a limit of the cores"),
        (("--from-rate", "9Mpps@e5-2699v3", "--engine", "simulate"), "one rate is all there is"),
        (
            ("--from-rate", "9Mpps@e5-2699v3", "--set", "traffic.frame_bytes=1518"),
            "a published rate does not apply to another traffic.frame_bytes",
        ),
    ],
)
def test_bad_input_is_one_sentence(
    planecast: Planecast, scenario: str, words: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    done = planecast("predict", scenario, *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()
