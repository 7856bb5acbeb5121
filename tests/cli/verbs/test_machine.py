"""``planecast machine``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.instruments.test_probe import output, read

from planecast.errors import InputError
from planecast.host import Root
from planecast.instruments.catalog_entry import likeness, microarchitecture_of_cpu


def test_list(run: Run) -> None:
    answer = run("machine", "list", "--format", "json").json()
    assert {"gold-6230n", "epyc-9354"} <= {row["name"] for row in answer["machines"]}
    assert {"x710", "cx6"} <= {row["name"] for row in answer["cards"]}


@pytest.mark.parametrize("name", ["gold-6230n", "x710", "skylake"])
def test_show_shows_the_source_of_each_value(run: Run, name: str) -> None:
    answer = run("machine", "show", name)
    assert answer.code == 0
    assert "published" in answer.out
    assert "sources" in run("machine", "show", name, "--format", "json").json()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show"], "which machine"),
        (["show", "gold"], "no machine 'gold'"),
        (["show", "no.yaml"], "no such file"),
        (["list", "gold-6230n"], "takes no name"),
        (["list", "--fresh"], "--fresh: it has no effect without probe"),
        (["probe", "host.txt"], "name it host.txt.yaml"),
        (["ports", "net_null,atm"], "no port kind 'atm'"),
    ],
)
def test_bad_input(run: Run, words: list[str], said: str) -> None:
    answer = run("machine", *words)
    assert answer.code == 2
    assert said in answer.err


def test_the_model_number_shows_the_likeness(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "proc/cpuinfo"
    cpuinfo.parent.mkdir()
    cpuinfo.write_text("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\nmodel : 1\n")
    assert likeness(None, Root(tmp_path)).microarchitecture == "sapphire-rapids"
    cpuinfo.write_text("vendor_id : Somebody\ncpu family : 6\nmodel : 1\n")
    with pytest.raises(InputError, match="--like"):
        likeness(None, Root(tmp_path))


def test_one_model_number_means_two_cores_in_two_families() -> None:
    zen4, zen5 = (microarchitecture_of_cpu(f"AuthenticAMD-{family}-17") for family in (25, 26))
    assert zen4 is not None
    assert zen5 is not None
    assert (zen4.name, zen5.name) == ("zen4", "zen5")
    assert microarchitecture_of_cpu("") is None


def test_what_a_reader_has_to_know_of_a_probe_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed = read(output(huge_share=0.4))
    monkeypatch.setattr("planecast.instruments.probe.probe_machine", lambda **how: probed)
    monkeypatch.setattr(
        "planecast.instruments.loaded_latency.loaded_latency", lambda *words, **how: None
    )
    answer = run("machine", "probe", str(tmp_path / "here.yaml"), "--like", "gold-6230n")
    assert answer.code == 0
    assert "only 40 % of the 2 MiB memory was in 2 MiB pages" in answer.out
