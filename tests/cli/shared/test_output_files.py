"""Where answers are not written: twice to one file, over what is read, under another's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "predict small.yaml --engine simulate --series a.csv -o a.csv",
            "planecast: --output a.csv: it is the file of --series, too; name another one",
        ),
        (
            "predict small.yaml --engine simulate --series a.csv --trace ./link",
            "--trace link: it is the file of --series, too",
        ),
        ("reproduce vpe --html a.html -o a.html --format json", "it is the file of --html, too"),
        ("partition plan t.yaml --apply --state a -o a", "it is the file of --state, too"),
        ("predict small.yaml -o ./small.yaml", "it would be written over what SCENARIO reads"),
        ("explain --from small.yaml -o small.yaml", "over what --from reads"),
        ("validate --replay x --replay small.yaml -o small.yaml", "over what --replay reads"),
        (
            "predict small.yaml -o a.html",
            "--output a.html: this answer is not written as .html; end the name in .txt, .csv, "
            ".json or .parquet (planecast report makes a page of a run)",
        ),
        ("measure small.yaml -o a.htm", "this answer is not written as .htm; end the name"),
        ("explain --events skx -o a.html", "this answer is not written as .html"),
        ("query x -o a.html", "this answer is not written as .html"),
        ("schema scenario -o a.csv", "not written as .csv; end the name in .json\n"),
        ("report latest -o a.csv", "not written as .csv; end the name in .html or .json\n"),
        ("measure small.yaml --format parquet", "parquet is not for a terminal"),
        ("measure small.yaml --wide --format json", "--wide: only a table has a width"),
        ("history --wide -o a.html", "--wide: only a table has a width"),
    ],
)
def test_a_file_is_refused_before_the_work(
    run: Run, small: Path, tmp_path: Path, words: str, said: str
) -> None:
    (tmp_path / "link").symlink_to("a.csv")
    before = small.read_text()
    answer = run(*words.split())
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert small.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "small.yaml"]


def test_devices_take_several_answers(run: Run, small: Path) -> None:
    words = ("--engine", "simulate", "--series", "/dev/null", "-o", "/dev/null")
    assert "it is the file of" not in run("predict", small, *words).err


def test_pages_and_named_formats_are_not_refused(run: Run, tmp_path: Path) -> None:
    assert run("partition", "topology", "-o", "a.html").code == 0
    assert run("schema", "scenario", "--format", "json", "-o", "a.html").code == 0
    assert (tmp_path / "a.html").read_text().startswith("{")
    assert "there is no complete run" in run("report", "-o", "a.json").err


def test_wide_is_of_verbs_with_tables(run: Run) -> None:
    assert "no such option: --wide" in run("schema", "scenario", "--wide").err
