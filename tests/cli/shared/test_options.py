"""Options that several verbs share."""

from __future__ import annotations

import pytest

from planecast.cli.shared.options import overrides, variations
from planecast.errors import InputError


def test_settings_become_dotted_keys() -> None:
    found = overrides(["traffic.flows=4096", "workload.stages=acl,key", "machine=off"], seed=3)
    assert found == {
        "traffic.seed": 3,
        "traffic.flows": 4096,
        "workload.stages": "acl,key",
        "machine": "off",
    }


def test_variations_are_lists() -> None:
    assert variations(["traffic.flows=256,64Ki", "workload.stages=[acl],[acl, key]"]) == {
        "traffic.flows": [256, "64Ki"],
        "workload.stages": [["acl"], ["acl", "key"]],
    }


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["flows"], "--set: got 'flows'; write it as KEY=VALUE, for example traffic.flows=4096"),
        (["=4"], "--set: got '=4'; write it as KEY=VALUE, for example traffic.flows=4096"),
        (["a=1", "a=2"], "--set a=2: a is set twice; keep one of the two"),
    ],
)
def test_a_setting_that_is_none_says_so(texts: list[str], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        overrides(texts)
    assert str(error.value) == sentence


@pytest.mark.parametrize("text", ["flows", "flows=", "=1,2", "flows=[1"])
def test_a_variation_that_is_none_says_so(text: str) -> None:
    with pytest.raises(InputError, match="write it as KEY=VALUE,VALUE"):
        variations([text])
