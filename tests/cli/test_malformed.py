"""Malformed inputs: each ends soon, with one sentence and the right exit code, and no traceback."""

from __future__ import annotations

import io
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.cli.conftest import Run

from planecast.results.atomic import READER_WAIT_S
from planecast.scenario import SCENARIO_KEYS
from planecast.scenario.read_file import SILENCE_S

HANG_S = 60
"""What takes so long on whatever machine has no end. How soon a refusal comes is a goal of
`make bench` (benchmarks/startup.py): a busy machine takes several times as long."""
WAITS_S = 2.0
"""A pipe that nobody writes into, or reads from, is waited for no longer."""

SCENARIO = "name: a\ntraffic: {{{}}}\n"

TEXTS: dict[str, str | bytes] = {
    "nothing": "",
    "random": bytes(range(256)) * 64,
    "zeros": bytes(4096),
    "utf-16": "name: a\n".encode("utf-16"),
    "half a character": b"name: \xc3",
    "huge": "a: 1\n" * 300_000,
    "one long word": "a: " + "x" * 5_000_000,
    "brackets": "a: " + "[" * 20_000,
    "braces": "{a: " * 20_000,
    "closed brackets": "a: " + "[" * 500 + "]" * 500,
    "dashes": "- " * 20_000,
    "questions": "? " * 20_000,
    "indented": "".join(" " * n + f"k{n}:\n" for n in range(400)),
    "aliases": "a0: &a0 [x, x]\n"
    + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)),
    "an alias of itself": "a: &a [*a]\n",
    "a key twice": "name: a\nname: b\n",
    "a list": "- a\n- b\n",
    "a word": "hello\n",
    "a tab": "name: a\n\ttraffic: 1\n",
    "an open quote": 'name: "a\n',
    "a tag": "name: !!python/object/apply:os.system [true]\n",
    "two documents": "name: a\n---\nname: b\n",
    "a number": SCENARIO.format("flows: 1.5"),
    "nan": SCENARIO.format("offered_pps: .nan"),
    "infinity": SCENARIO.format("offered_pps: .inf"),
    "1e30 pps": SCENARIO.format("offered_pps: 1e30pps"),
    "1e30": SCENARIO.format("offered_pps: 1e30"),
    "200,000 digits": SCENARIO.format("flows: " + "9" * 200_000),
    "many digits behind the point": SCENARIO.format("offered_pps: 1." + "9" * 200_000),
    "negative": SCENARIO.format("flows: -1"),
    "no such key": SCENARIO.format("flwos: 1"),
    "a list for a number": SCENARIO.format("flows: [1, 2]"),
    "a mapping for a name": "name: {a: b}\n",
    "a null": "name: null\n",
    "a date": SCENARIO.format("flows: 2026-01-02"),
}


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


PLACES: dict[str, Callable[[Path], None]] = {
    "nowhere": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "a pipe without a writer": _fifo,
    "a socket": _socket,
    "a loop of links": _loop,
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "an endless device": lambda path: path.symlink_to("/dev/urandom"),
    "an empty device": lambda path: path.symlink_to("/dev/null"),
    "below a file": lambda path: None,
}

VERBS: dict[str, tuple[str, ...]] = {
    "predict": ("predict", "{}"),
    "sweep": ("sweep", "{}", "--vary", "traffic.flows=1,2"),
    "validate": ("validate", "{}"),
    "survey": ("survey", "{}"),
    "plan": ("partition", "plan", "{}"),
    "measure": ("measure", "{}"),
    "search": ("search", "{}"),
    "curve": ("curve", "{}"),
    "bench": ("bench", "{}", "{}"),
}
"""Each refuses before it starts anything."""


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    def fail(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(HANG_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(run: Run, *words: str, code: int = 2) -> str:
    """Runs what is to be refused; its sentence."""
    answer = run(*words)
    assert (answer.code, answer.out) == (code, ""), answer.err[:500]
    assert answer.err
    assert len(answer.err) < 5000
    assert "mistake in planecast" not in answer.err
    assert "no run has a calibration" not in answer.err  # it was taken for a good one
    assert not list(Path().glob("runs/*/partial"))
    return answer.err


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", TEXTS)
def test_files_that_say_nothing_sensible(run: Run, kind: str, *, verb: str, tmp_path: Path) -> None:
    text = TEXTS[kind]
    path = tmp_path / "asked.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = refused(run, *(word.format(path.name) for word in VERBS[verb]))
    assert said.startswith("planecast: asked.yaml")


@pytest.mark.parametrize("verb", [*VERBS, "recording", "profile", "saved plan"])
@pytest.mark.parametrize("kind", PLACES)
def test_names_of_no_file(
    run: Run, kind: str, *, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.scenario.read_file.SILENCE_S", 0.05)
    commands = {
        **VERBS,
        "recording": ("explain", "--from", "{}"),
        "profile": ("explain", "--flame", "{}", "-o", "flame.html"),
        "saved plan": ("partition", "show", "{}"),
    }
    name = {"saved plan": "asked.json", "recording": "asked.csv"}.get(verb, "asked.yaml")
    PLACES[kind](tmp_path / name)
    if kind == "below a file":
        (tmp_path / "file").write_text("name: a\n")
        name = f"file/{name}"
    assert name in refused(run, *(word.format(name) for word in commands[verb]))


RUN_FILES: dict[str, tuple[str, ...]] = {
    "report": ("result.json", "report", "run"),
    "compare": ("result.json", "compare", "run", "run"),
    "explain": ("result.json", "explain", "run"),
    "export": ("result.json", "export", "run", "-o", "out.prom"),
    "predict": ("calibration.json", "predict", "small.yaml", "--calibration", "run"),
    "explore": ("calibration.json", "explore", "small.yaml", "--calibration", "run"),
    "search": ("search.json", "search", "--resume", "run"),
    "sweep": ("sweep.json", "sweep", "--resume", "run"),
    "replay": ("result.json", "validate", "--replay", "run"),
}
"""A file of a run, and a command that reads it."""
RUN_TEXTS: dict[str, str | bytes] = {
    "nothing": "",
    "random": bytes(range(256)) * 64,
    "nested": "[" * 20_000,
    "digits": '{"results": ' + "9" * 200_000 + "}",
    "nan": '{"results": NaN}',
    "a list": "[]",
    "cut off": '{"results": [',
}


@pytest.mark.parametrize("verb", RUN_FILES)
@pytest.mark.parametrize("kind", [*RUN_TEXTS, *PLACES])
def test_runs_whose_files_say_nothing_sensible(
    run: Run,
    kind: str,
    *,
    verb: str,
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("planecast.scenario.read_file.SILENCE_S", 0.05)
    monkeypatch.setattr("planecast.scenario.read_file.MOST_OF_A_RUN", 1 << 20)
    name, *words = RUN_FILES[verb]
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "partial").write_text("it was stopped")  # what can be resumed
    path = folder / name
    if kind in RUN_TEXTS:
        text = RUN_TEXTS[kind]
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    else:
        PLACES[kind](path)
    refused(run, *words)


@pytest.mark.parametrize(
    "word",
    [
        "traffic.flows=" + "9" * 200_000,
        "traffic.flows=-1",
        "traffic.flows=nan",
        "traffic.offered_pps=nan",
        "traffic.offered_pps=1e30pps",
        "traffic.offered_pps=1e999",
        "traffic.flows=" + "[" * 20_000,
        "traffic.flows=" + "{a: " * 5_000,
        "traffic=1",
        "traffic.flows.a=1",
        "=",
        "\x1b[31m=1",
        "traffic.seed=" + "1" * 5_000,
        "name=" + "a" * 100_000,
        "placement.cpus=0-99999999999",
        "placement.cpus=" + ",".join(map(str, range(20_000))),
        "traffic.pcap=/dev/zero",
    ],
)
def test_settings_that_are_none(run: Run, small: Path, word: str) -> None:
    refused(run, "predict", str(small), "--set", word)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("-o", "{tmp}/nowhere/a.json"), 2),
        (("-o", "{tmp}"), 2),
        (("-o", "{tmp}/file/a.json"), 2),
        (("-o", "{tmp}/loop"), 2),
        (("-o", "/dev/full"), 1),
        (("-o", "{tmp}/pipe"), 1),
        (("-o", "{tmp}/" + "a" * 300), 2),
    ],
)
def test_outputs_that_cannot_be(
    run: Run, *, words: tuple[str, ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.results.atomic.READER_WAIT_S", 0.05)
    (tmp_path / "file").write_text("")
    _fifo(tmp_path / "pipe")
    _loop(tmp_path / "loop")
    filled = [word.format(tmp=tmp_path) for word in words]
    refused(run, "schema", "scenario", *filled, code=code)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "loop").is_symlink()


def test_a_pipe_with_a_writer_is_a_file(run: Run, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"name: [a\n")
    os.close(write)
    try:
        said = refused(run, "predict", f"/dev/fd/{read}")
    finally:
        os.close(read)
    assert "this is not YAML" in said


UNPATCHED: dict[str, tuple[str, ...]] = {
    "a scenario": ("predict", "pipe"),
    "a study": ("validate", "pipe"),
    "a scenario to measure": ("measure", "pipe"),
    "a recording": ("explain", "--from", "pipe"),
    "an output": ("schema", "scenario", "-o", "pipe"),
}
"""A pipe without another end, for as long as a person waits."""


@pytest.mark.parametrize("what", UNPATCHED)
def test_a_pipe_is_waited_for_no_longer_than_a_person_waits(
    run: Run, tmp_path: Path, what: str
) -> None:
    """As shipped: the other tests wait for less."""
    assert max(SILENCE_S, READER_WAIT_S) <= WAITS_S
    _fifo(tmp_path / "pipe")
    said = refused(run, *UNPATCHED[what], code=1 if what == "an output" else 2)
    assert "pipe" in said


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=9),
)
_KEYS = st.one_of(
    st.sampled_from([*{part for key in SCENARIO_KEYS for part in key.split(".")}]),
    st.text(max_size=8),
)
_NESTED = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)


def _yaml(value: object) -> bytes:
    text = io.StringIO()
    YAML(typ="safe", pure=True).dump(value, text)
    return text.getvalue().encode("utf-8", "surrogatepass")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.dictionaries(_KEYS, _NESTED, max_size=5).map(_yaml),
        st.dictionaries(_KEYS, _NESTED, max_size=5).map(lambda own: _yaml({"name": "a", **own})),
    )
)
def test_whatever_a_file_holds_gets_a_sentence(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "any.yaml").write_bytes(content)
    answer = run("predict", "any.yaml")  # `run` has seen that no traceback was printed
    assert answer.code in (0, 2), answer.err[:500]
    assert "mistake in planecast" not in answer.err
    assert answer.code == 0 or answer.err.startswith("planecast: ")
