"""The generator's process: its file, its requests, its refusals."""

from __future__ import annotations

import configparser
from typing import Any

import pytest

from planecast.errors import InputError, RunError
from planecast.generators import Generator, GeneratorConfig, StreamConfig, config_text

CONFIG = GeneratorConfig(
    tx=0,
    rx=None,
    link_gbps=25.0,
    lcores=(2, 1),
    main_cpu=0,
    streams=(StreamConfig("a", {"packets": 4}), StreamConfig("b", {"packets": 0})),
    run={"burst": 8},
)


def test_the_file_says_it_all() -> None:
    parser = configparser.ConfigParser()
    parser.read_string(config_text(CONFIG))
    assert {name: dict(parser[name]) for name in parser.sections()} == {
        "ports": {"tx": "0", "rx": "none", "link_gbps": "25.0", "rx_queues": "1"},
        "run": {"burst": "8"},
        "machine": {"lcores": "2,1", "main_cpu": "0"},
        "stream a": {"packets": "4"},
        "stream b": {"packets": "0"},
    }


def test_requests(fake: Any) -> None:
    with Generator(CONFIG, ["--vdev", "net_ring0"]) as generator:
        generator.start(["b"], seconds=2.0)
        assert generator.stats()["streams"][0]["sent"] == 1000
        assert not generator.stop_run()["running"]
        generator.start()
        assert len(generator.wait()["streams"]) == 2
    start, *requests = fake.log()
    assert start.endswith("generator.ini --control -- --vdev net_ring0")
    assert requests == ["start seconds=2.0 streams=b", "stats", "stop", "start", "wait"]


def test_a_refusal_is_not_the_end(fake: Any) -> None:
    fake.way(refuses="start")
    with Generator(CONFIG) as generator:
        with pytest.raises(RunError, match="the generator refused a request: no"):
            generator.start()
        with pytest.raises(RunError, match="there was no run yet"):
            generator.stats()


def test_its_last_word_is_the_reason(fake: Any) -> None:
    fake.way(start="dies", code=2, says="x.ini:3: rate: too much")
    with pytest.raises(InputError, match=r"x\.ini:3: rate: too much"), Generator(CONFIG):
        pass


def test_a_request_after_its_end(fake: Any) -> None:
    with Generator(CONFIG) as generator:
        generator.stop()
        with pytest.raises(RunError, match="the generator is not running"):
            generator.stats()
