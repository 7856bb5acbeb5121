"""``planecast generator serve`` as a person starts it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

CONFIG: dict[str, Any] = {
    "ports": [{"name": "p", "location": "net_ring0"}],
    "flows": [{"name": "f", "tx_rx": {"port": {"tx_name": "p", "rx_names": ["p"]}}}],
}


def test_a_dry_run_prints_the_generators_file(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    answer = run("generator", "serve", "--dry-run", path, "--lcores", "3,1", "--catch-up-ms", "5")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("; -- --vdev net_ring0\n[ports]\ntx = 0\nrx = 0\n")
    for line in ("lcores = 3,1", "catch_up_us = 5000", "[stream 00]", "rate = 1000"):
        assert line in answer.out.splitlines()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "config.json: is not valid JSON: "),
        (json.dumps({**CONFIG, "captures": [{"name": "c"}]}), "captures: is not supported"),
        (None, "config.json: there is no such file"),
    ],
)
def test_a_configuration_that_is_wrong(
    run: Any, tmp_path: Path, text: str | None, sentence: str
) -> None:
    path = tmp_path / "config.json"
    if text is not None:
        path.write_text(text)
    answer = run("generator", "serve", "--dry-run", path)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


@pytest.mark.parametrize("lcores", ["", "x", "1,2,3", "-1", "1,"])
def test_cpus_that_are_wrong(run: Any, lcores: str) -> None:
    answer = run("generator", "serve", f"--lcores={lcores}")
    assert answer.code == 2
    assert f"--lcores: got '{lcores}'" in answer.err


def test_a_port_that_is_taken(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        answer = run("generator", "serve", "--port", str(other.getsockname()[1]))
    assert answer.code == 2
    assert "can't listen: Address already in use" in answer.err


def test_without_a_word_it_says_what_there_is(run: Any) -> None:
    answer = run("generator")
    assert answer.code == 2
    assert "serve" in run("generator", "--help").out
