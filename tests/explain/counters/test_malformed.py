"""Two hundred broken counter files: a sentence each, no traceback, nothing impossible as fact."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from planecast.errors import InputError
from planecast.explain.counters import (
    Asked,
    CounterExplanation,
    explain,
    explain_recording,
    uncore,
)
from planecast.explain.counters.uncore import MEMORY, PCIE, Setup, explain_uncore, with_uncore
from planecast.instruments.recorded import read_recording
from planecast.results import Manifest

WANTED = 200


def sources(made: ModuleType) -> dict[str, str]:
    """A good file of every kind."""
    events = dict(list(made.broadwell().items())[:10])  # level 1 and some of level 2
    csv = made.perf_csv(events, 2)
    json = "".join(
        f'{{"interval" : 1.0, "counter-value" : "{value:.0f}", "unit" : "", "event" : "{event}", '
        f'"pcnt-running" : 100.00, "metric-value" : "0.1", "metric-unit" : ""}}\n'
        for event, value in events.items()
    )
    toplev = "Timestamp,CPUs,Area,Value,Unit,Multiplex\n" + "".join(
        f"1.0,S0-C0,{name},{100 * share:.2f},% Slots,100.0\n"
        for name, share in (made.LEVEL_1 | made.LEVEL_2).items()
    )
    memory = ",,SKT0,SKT0,SKT0\nDate,Time,Ch0Read,Ch0Write,Mem Read (MB/s)\n"
    memory += "2026-11-22,08:00:00,100,50,100\n2026-11-22,08:00:01,110,51,110\n"
    pcie = "Skt,PCIeRdCur,RFO,CRd,DRd,ItoM,PRd,WiL\n0,45 M,8 M,449 K,102 M,33 M,0,1891 K\n"
    return {"perf.csv": csv, "perf.json": json, "toplev": toplev, "memory": memory, "pcie": pcie}


BAD_NUMBERS = (
    "-35", "18446744073709551615", "39406496739481088", "-nan", "nan", "inf", "1e400", "",
    "<not supported>", "<not counted>", "9" * 80, "0", "1,5", "1.234.567", "0x1f", "７", "NaN%",
)  # fmt: skip


def broken(made: ModuleType) -> Iterator[tuple[str, str]]:
    """Names and texts of files that were cut, mixed, translated, emptied, or hold nonsense."""
    chance = random.Random(20261122)
    for kind, text in sources(made).items():
        lines = text.splitlines()
        for share in (0.0, 0.02, 0.3, 0.55, 0.97):
            yield f"{kind} cut at {share}", text[: int(len(text) * share)]
        yield f"{kind} twice", text + text
        yield f"{kind} backwards", "\n".join(reversed(lines))
        yield f"{kind} lines cut", "\n".join(line[: len(line) // 2] for line in lines)
        yield f"{kind} semicolons", text.replace(",", ";")
        yield f"{kind} decimal commas", text.replace(".", ",")
        yield f"{kind} tabs", text.replace(",", "\t")
        yield f"{kind} carriage returns", text.replace("\n", "\r\n")
        yield f"{kind} upper case", text.upper()
        yield f"{kind} nuls", text.replace(",", "\0,", 20)
        yield f"{kind} quotes", text.replace(",", '",', 3)
        yield f"{kind} header alone", lines[0]
        yield f"{kind} other columns", text.replace("Value", "Worth").replace("event", "thing")
        for number in BAD_NUMBERS:
            places = [chance.randrange(1, len(lines)), len(lines) - 1]
            for at in places if kind.startswith("perf") else places[:1]:
                fields = lines[at].split(",")
                fields[min(chance.randrange(1, 5), len(fields) - 1)] = number
                changed = [*lines[:at], ",".join(fields), *lines[at + 1 :]]
                yield f"{kind} {number!r} in line {at}", "\n".join(changed)


def check(found: CounterExplanation) -> None:
    """Nothing impossible stands in the answer as a value."""
    for node in found.nodes:
        if node.share is not None:
            assert -1e-9 <= node.share.value <= 1 + 1e-9, node
        else:
            assert node.marks
            assert not node.over
    for metric in found.metrics:
        if metric.value is not None:
            assert math.isfinite(metric.value.value)
            assert 0 <= metric.value.value < 2**63
    assert found.limits
    assert found.certainty


def answered(file: Path) -> CounterExplanation:
    """As `planecast explain --from` takes a file, with a packet rate for what needs one."""
    recording = read_recording(file)
    setup = Setup(pps=1e6)
    if recording.tool in (PCIE, MEMORY):
        return explain_uncore(recording, str(file), setup)
    return with_uncore(
        explain_recording(recording, Asked(str(file), "broadwell")), recording, setup
    )


def test_two_hundred_broken_files(
    made_events: ModuleType, tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the versions of everything, two hundred times, are most of the work
    for module in (explain, uncore):
        monkeypatch.setattr(module, "collect_manifest", lambda *_: manifest)
    refused: dict[str, str] = {}
    read = 0
    file = tmp_path / "broken"
    for name, text in broken(made_events):
        file.write_text(text, encoding="utf-8")
        try:
            found = answered(file)
        except InputError as error:
            refused[name] = str(error)
        else:
            read += 1
            check(found)
    assert all(sentence.strip() and "\n" not in sentence for sentence in refused.values())
    assert len(refused) + read >= WANTED
    assert len(refused) >= 40
    assert read >= 40


PERF = "3e9,,cycles,1,100.00,,\n{instructions},,instructions,1,{running},,\n{rest}"


def explained(folder: Path, text: str, arch: str = "zen4") -> CounterExplanation:
    file = folder / "perf.csv"
    file.write_text(text, encoding="utf-8")
    return explain_recording(read_recording(file), Asked(str(file), arch, packets=1e6))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("-5", "is -5, which is not a count"),
        ("18446744073709551615", "near 2^64: the counter ran below zero"),
        ("39406496739481088", "is 1.31e+07 a cycle, more than 64"),
        ("<not counted>", "was not counted (<not counted>)"),
        ("-nan", "was not counted (-nan)"),
    ],
)
def test_an_impossible_count_is_left_out_and_reported(
    tmp_path: Path, value: str, sentence: str
) -> None:
    text = PERF.format(instructions="4e9", running="100.00", rest=f"{value},,ex_ret_ops,1,99.0,,")
    found = explained(tmp_path, text)
    retiring = next(node for node in found.nodes if node.node == "retiring")
    assert retiring.share is None
    assert any(sentence in line for line in found.certainty)


def test_an_impossible_share_is_never_bare(tmp_path: Path) -> None:
    rest = "36e9,,ex_ret_ops,1,100.00,,\n1e9,,de_src_op_disp.all,1,100.00,,\n"
    found = explained(tmp_path, PERF.format(instructions="4e9", running="100.00", rest=rest))
    marks = {node.node: node.marks for node in found.nodes if node.share is None}
    assert marks["retiring"] == ("impossible: 200 %: above 100 %",)
    assert marks["bad_speculation"] == ("impossible: -194.4 %: below 0 %",)
    assert any("2 of the values are impossible" in line for line in found.certainty)


def test_a_ratio_of_events_of_different_times_is_refused(tmp_path: Path) -> None:
    found = explained(tmp_path, PERF.format(instructions="4e9", running="0.80", rest=""))
    metric = next(m for m in found.metrics if m.metric == "instructions_per_cycle")
    assert metric.value is None
    assert metric.marks == ("refused: counted 0.8 % of the time, and not together",)
    # what rests on one event alone is as good as its scaling
    assert next(m for m in found.metrics if m.metric == "instructions").value is not None


def test_half_of_the_time_is_marked(tmp_path: Path) -> None:
    found = explained(tmp_path, PERF.format(instructions="4e9", running="30.00", rest=""))
    metric = next(m for m in found.metrics if m.metric == "instructions_per_cycle")
    assert metric.value is not None
    assert metric.marks == ("counted 30 % of the time, and not together",)
    assert any("took turns" in note for note in found.notes)


def test_hidden_counters_get_their_own_sentence(tmp_path: Path) -> None:
    text = "<not supported>,,cycles,0,100.00,,\n<not supported>,,instructions,0,100.00,,\n"
    with pytest.raises(InputError, match="virtual machine without vPMU; count on the host"):
        explained(tmp_path, text)


def test_a_counter_that_was_never_free_names_the_watchdog(tmp_path: Path) -> None:
    rest = "<not counted>,,ex_ret_ops,0,0.00,,\n"
    found = explained(tmp_path, PERF.format(instructions="4e9", running="100.00", rest=rest))
    assert any("nmi_watchdog=0" in line for line in found.unknown)


def test_a_clock_of_seven_gigahertz_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "pcm.csv"
    file.write_text("Socket 0,,,\nDate,Time,UncFREQ,IPC\nd,t,7.0,1.1\n", encoding="utf-8")
    found = explain_recording(read_recording(file), Asked(str(file), "skylake"))
    clock = next(metric for metric in found.metrics if metric.metric == "UncFREQ")
    assert clock.value is None
    assert clock.marks == ("impossible: a clock of 7 GHz is not possible",)


def test_what_pcm_divides_in_silence_is_said(tmp_path: Path) -> None:
    file = tmp_path / "pcm.csv"
    file.write_text("System,,,\nDate,Time,L3MISS,IPC\nd,t,7.5,1.1\n", encoding="utf-8")
    found = explain_recording(read_recording(file), Asked(str(file), "skylake"))
    misses = next(metric for metric in found.metrics if metric.metric == "L3MISS")
    assert misses.value is not None
    assert misses.value.unit == "millions"
    assert "older versions by 2^20" in misses.marks[0]


def test_a_processor_nobody_knows_is_not_a_hidden_counter(tmp_path: Path) -> None:
    text = "5,,some_new_event,1,100.00,,\n6,,another_one,1,100.00,,\n"
    with pytest.raises(InputError, match="no event is known to any definition") as error:
        explained(tmp_path, text)
    assert "virtual machine" not in str(error.value)
