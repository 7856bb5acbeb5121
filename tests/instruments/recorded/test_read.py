"""Recorded files of every tool: what is read, whatever the version, the locale and the layout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.explain.counters import Asked, explain_recording
from planecast.instruments.recorded import Recording, read_recording
from planecast.instruments.recorded.number import number, scaled_number


def read(folder: Path, text: str) -> Recording:
    file = folder / "recorded"
    file.write_text(text, encoding="utf-8")
    return read_recording(file)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4659960482", 4659960482),
        ("0,246", 0.246),
        ("1.234.567", 1234567),
        ("1,234,567", 1234567),
        ("1e9", 1e9),
        ("18446744073709551615", 2.0**64),
        ("-5", -5),
        ("<not counted>", None),
        ("-nan", None),
        ("inf", None),
    ],
)
def test_numbers_of_any_locale_are_read(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["12a", "1,2,3", "0x10", "--5", "1.2.3", "9" * 70])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        number(text)


def test_pcm_writes_units_behind_numbers() -> None:
    assert [scaled_number(t) for t in ("45 M", "449K", "35 %", "12")] == [45e6, 449e3, 0.35, 12]


ROWS = {
    "plain": "4659960482,,cycles,2785208122,16.69,0.279,GHz",
    "interval": "     1.017184940,4659960482,,cycles,2785208122,16.69,0.279,GHz",
    "core": "1.017184940,S0-D0-C1,2,4659960482,,cycles,2785208122,16.69,,",
    "cpu": "CPU3,4659960482,,cycles,2785208122,16.69,,",
    "german": "1,017184940;4659960482;;cycles;2785208122;16,69;0,279;GHz",
    "spaces": "1.017184940 4659960482  cycles 2785208122 16.69 0.279 GHz",
    "named": "4659960482,,cpu/event=0x3c,umask=0x0,any=1,name=cycles/,2785208122,16.69,,",
    "byte mark": "\ufeff4659960482,,cycles,2785208122,16.69,0.279,GHz",
}


@pytest.mark.parametrize("layout", ROWS)
def test_perf_csv_is_read_in_every_layout(tmp_path: Path, layout: str) -> None:
    before = "" if layout == "byte mark" else "# started on Sat\n\n"
    found = read(tmp_path, f"{before}{ROWS[layout]}\n")
    (count,) = found.counts
    assert found.tool == "perf stat"
    assert count.value == 4659960482
    assert count.running == pytest.approx(0.1669)
    assert "cycles" in count.event
    assert count.place == {"core": "S0-D0-C1", "cpu": "CPU3"}.get(layout, "")
    timed = layout in ("interval", "core", "german", "spaces")
    assert count.round == (pytest.approx(1.01718494) if timed else 0)


def test_perf_csv_keeps_what_was_not_counted_and_says_what_was_cut_off(tmp_path: Path) -> None:
    text = "<not counted>,,branches,0,0.00,,\n5,,cycles,9,100.00,,\n6,,instructi"
    found = read(tmp_path, text)
    assert [(c.event, c.value, c.reason) for c in found.counts] == [
        ("branches", None, "<not counted>"),
        ("cycles", 5, ""),
    ]
    assert "line 3 of" in found.remarks[0]


def test_perf_metrics_are_shares(tmp_path: Path) -> None:
    text = "5,,slots,9,100.00,25.5,%  tma_backend_bound\n,,,,,74.5,%  tma_retiring\n"
    found = read(tmp_path, text)
    assert [(share.node, share.value) for share in found.shares] == [
        ("tma_backend_bound", 0.255),
        ("tma_retiring", 0.745),
    ]


def test_perf_json_is_read_with_the_slips_of_its_versions(tmp_path: Path) -> None:
    text = (
        '{"interval" : 1.0, "core" : "S0-D0-C0", "counter-value" : "17.000000", "unit" : "", '
        '"event" : "cycles", "event-runtime" : 9, "pcnt-running" : 50.00, "metric-value" : 0.5, '
        '"metric-unit" : "x",}\n'
        '{"counter-value" : 18, "event" : "instructions", "pcnt-running" : "100,00", '
        '"metric-value" : "0.7", "metric-unit" : "%  tma_retiring"}\n'
        '{"counter-value" : -nan, "event" : "branches", "pcnt-running" : 0.00}\n'
        '{"metric-value" : "12.5", "metric-unit" : "%  frontend_bound"}\n'
        '{"counter-value" : "3", "event" : "cut'
    )
    found = read(tmp_path, text)
    assert [(c.event, c.value, c.running, c.place) for c in found.counts] == [
        ("cycles", 17, 0.5, "S0-D0-C0"),
        ("instructions", 18, 1.0, ""),
        ("branches", None, 0.0, ""),
    ]
    assert [(s.node, s.value) for s in found.shares] == [
        ("tma_retiring", pytest.approx(0.007)),
        ("frontend_bound", 0.125),
    ]
    assert "line 5 of" in found.remarks[0]


TOPLEV = """\
# 4.7-full-perf on Intel(R) Xeon(R) CPU
Timestamp,CPUs,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle
1.0,S0-C0,Frontend_Bound,13.92,% Slots,,,0.1,100.0,,
1.0,S0-C0,Frontend_Bound.Fetch_Latency,12.11,% Slots <,,,0.2,25.0,,
1.0,S0-C0-T0,Info.Thread.IPC,1.30,Metric,,,,,,
2.0,S0-C0,Fronte
"""


@pytest.mark.parametrize("turned", [False, True])
def test_toplev_is_read_by_the_names_of_its_columns(tmp_path: Path, turned: bool) -> None:
    text = TOPLEV
    if turned:  # another version puts the columns in another order
        rows = [line.split(",") for line in TOPLEV.splitlines()]
        text = "\n".join(",".join(reversed(row)) if len(row) == 11 else row[0] for row in rows)
    found = read(tmp_path, text)
    assert [(s.node, s.value, s.running) for s in found.shares] == [
        ("Frontend_Bound", pytest.approx(0.1392), 1.0),
        ("Frontend_Bound.Fetch_Latency", pytest.approx(0.1211), 0.25),
    ]
    assert [(r.name, r.value, r.place) for r in found.readings] == [
        ("Info.Thread.IPC", 1.3, "S0-C0-T0")
    ]


def test_toplev_without_a_column_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the column Value is missing"):
        read(tmp_path, "CPUs,Area,Values of,Unit\nS0,Frontend_Bound,1,% Slots\n")


MEMORY = """\
,,SKT0,SKT0,SKT0,SKT1,System
Date,Time,Ch0Read,Ch0Write,Mem Read (MB/s),Mem Read (MB/s),Memory
2026-11-22,08:00:00.1,10,20,30,7,70
2026-11-22,08:00:01.1,12,22,,9,90
"""


def test_pcm_memory_is_read_by_place_and_name(tmp_path: Path) -> None:
    found = read(tmp_path, MEMORY)
    assert found.tool == "pcm-memory"
    rows = {(r.place, r.name, r.round): r.value for r in found.readings}
    assert rows["SKT0", "Mem Read (MB/s)", 0] == 30
    assert rows["SKT1", "Mem Read (MB/s)", 1] == 9
    assert ("SKT0", "Mem Read (MB/s)", 1) not in rows
    assert rows["System", "Memory", 1] == 90


def test_pcm_names_a_place_once(tmp_path: Path) -> None:
    text = "System;;;;Socket 0;\nDate;Time;EXEC;IPC;IPC;FREQ\n2026-11-22;08:00;0,5;1,25;2;0,9\n"
    found = read(tmp_path, text)
    assert found.tool == "pcm"
    assert [(r.place, r.name, r.value) for r in found.readings] == [
        ("System", "EXEC", 0.5),
        ("System", "IPC", 1.25),
        ("Socket 0", "IPC", 2),
        ("Socket 0", "FREQ", 0.9),
    ]


def test_pcm_pcie_repeats_its_header_and_distinguishes_hits_from_misses(tmp_path: Path) -> None:
    text = """\
Skt,PCIeRdCur,RFO,CRd,DRd,ItoM,PRd,WiL
0,45 M,8587 K,449 K,102 M,33 M,0,1891 K,(Total)
0,0,0,0,0,0,0,1891 K,(Miss)
Skt,PCIeRdCur,RFO,CRd,DRd,ItoM,PRd,WiL
0,44000000,8000000,400000,100000000,32000000,0,1800000
"""
    found = read(tmp_path, text)
    rows = {(r.name, r.place, r.round): r.value for r in found.readings}
    assert rows["PCIeRdCur total", "socket 0", 0] == 45e6
    assert rows["WiL miss", "socket 0", 0] == 1891e3
    assert rows["ItoM", "socket 0", 1] == 32e6


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("a,b,c\n1,2,3\n", "format of this recording is not known"),
        (" Performance counter stats for 'sleep':\n\n 1 cycles\n", "human-readable output"),
        ('{"a": 1}\n', "no line is one of perf stat's JSON"),
        ("Date,Time,EXEC\n", "let it run for an interval"),
        ("Area,Value\n", "no row holds a value"),
    ],
)
def test_what_can_not_be_read_gets_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(tmp_path, text)


TERMINAL = """\
# 4.7 on Intel(R) Xeon(R)
S0-C0    Frontend_Bound:                 13.91 % Slots
S0-C0    BE_Bound.Memory_Bound:          44.58 % Slots  <==
S0-C0-T0 BE_Bound.Mem_Bound.DRAM_Bound:  47.11 % Stalls <==
S0-C0    Frontend_Bound:                 13.95 % Slots
"""
METRICS = """\
 Performance counter stats for 'sleep 1':

  6.1 %  frontend_bound             (20.00%)
 12,345,678      cycles             #     65.9 %  backend_bound_cpu          (19.99%)
"""


def test_what_toplev_prints_for_people_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, TERMINAL)
    assert [(s.node, s.value, s.place) for s in found.shares] == [
        ("Frontend_Bound", pytest.approx(0.1395), "S0-C0"),
        ("BE_Bound.Memory_Bound", pytest.approx(0.4458), "S0-C0"),
        ("BE_Bound.Mem_Bound.DRAM_Bound", pytest.approx(0.4711), "S0-C0-T0"),
    ]
    assert "rounded" in found.remarks[0]


def test_what_perf_prints_of_its_metrics_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, METRICS)
    assert [(s.node, s.value, s.running) for s in found.shares] == [
        ("frontend_bound", pytest.approx(0.061), pytest.approx(0.2)),
        ("backend_bound_cpu", pytest.approx(0.659), pytest.approx(0.1999)),
    ]


@pytest.mark.parametrize(
    ("file", "limit"),
    [
        ("6-2-TMA-Intel", "Backend bound 53.4 % → Memory bound 44.6 % → DRAM bound 47.1 %"),
        ("6-3-TMA-AMD", "Backend bound 67.5 % → Core bound 65.9 %"),
    ],
)
def test_a_books_outputs_lead_to_the_books_conclusions(file: str, limit: str) -> None:
    path = shared(f"perf-book/{file}.md")
    assert explain_recording(read_recording(path), Asked(file)).limits[0].startswith(limit)


def test_what_is_no_text_gets_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "perf.data"
    file.write_bytes(b"PERFILE2\xff\xfe\x00\x80")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_recording(file)
    with pytest.raises(InputError, match="can't read the file"):
        read_recording(tmp_path)


def test_a_command_line_above_perfs_rows_is_no_header(tmp_path: Path) -> None:
    file = tmp_path / "perf.csv"
    file.write_text(
        "perf version 6.17\n"
        "perf stat -a -I 1000 -x , -e {cpu-cycles,instructions,branch-misses} -- sleep 1\n"
        "1.001,340060066,,cpu-cycles,10031900423,100.00,,\n"
        "1.001,244499732,,instructions,10031900423,100.00,0.72,insn per cycle\n"
    )
    found = read_recording(file)
    assert found.tool == "perf stat"
    assert [count.event for count in found.counts] == ["cpu-cycles", "instructions"]


def shared(name: str) -> Path:
    folder = os.environ.get("PLANECAST_SHARED_DATA")
    root = Path(folder) if folder else Path(__file__).resolve().parents[4] / "shared" / "data"
    if not (root / name).exists():
        pytest.skip("the recorded outputs are not here")
    return root / name


@pytest.mark.parametrize("number_of", [1, 2, 3, 4, 5])
def test_real_recordings_agree_with_the_values_next_to_them(number_of: int) -> None:
    """A reader of another project wrote down the rates of each round: counts over the interval."""
    found = read_recording(shared(f"lkp/perf-stat-{number_of}.txt"))
    wanted: dict[str, list[float]] = {}
    values = shared(f"lkp/perf-stat-{number_of}.yaml").read_text(encoding="utf-8")
    times: list[float] = []
    for line in values.splitlines():
        key, _, value = line.partition(": ")
        if key == "time":
            times.append(float(value))
        elif key.startswith("i."):
            wanted.setdefault(key[2:], []).append(float(value))
    checked = 0
    for at, time in enumerate(times):
        length = time - (times[at - 1] if at else 0)
        for event in ("instructions", "cpu-cycles", "dTLB-loads", "branch-misses"):
            mine = [
                count.value or 0
                for count in found.counts
                if count.round == pytest.approx(time)
                and count.event.strip("/").rpartition("/")[2] == event
            ]
            if mine and len(wanted.get(event, ())) == len(times):
                assert sum(mine) / length == pytest.approx(wanted[event][at], rel=1e-6)
                checked += 1
    assert checked >= 4
