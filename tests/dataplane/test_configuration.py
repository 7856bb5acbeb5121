"""Mistakes in a configuration or on the command line: a sentence, exit code 2, nothing started."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.programs import cpus

pytestmark = pytest.mark.live

MISTAKES = {
    "unknown key": (
        "[tables]\nrule = 5",
        "2: rule: no such key in [tables]; allowed are acl_rules,",
    ),
    "key of another section": (
        "[pool]\nburst = 5",
        "2: burst: no such key in [pool]; allowed are ",
    ),
    "unknown section": ("\n[table]\nrules = 5", "2: no section [table]; allowed are tables, pipe"),
    "empty unknown section": ("[x]", "1: no section [x]; allowed are tables"),
    "no section": ("burst = 5", "1: burst: stands before the first [section]"),
    "no equals sign": ("[pipeline]\nburst", "2: burst: neither a [section] nor key = value"),
    "no key": ("[pipeline]\n= 3", "2: = 3: neither a [section] nor key = value"),
    "twice": (
        "[pipeline]\nburst = 4\n\nburst = 5",
        "4: burst: is set a second time; line 2 has it already",
    ),
    "no number": (
        "[pipeline]\nburst = many",
        "2: burst: 'many' is not allowed; it takes a whole number from 1 to 256",
    ),
    "no value": ("[pipeline]\nburst =", "2: burst: '' is not allowed; it takes a whole number"),
    "below": ("[pipeline]\nburst = 0", "2: burst: '0' is not allowed; it takes a whole number fr"),
    "above": ("[pipeline]\nburst = 257", "2: burst: '257' is not allowed; it takes a whole numb"),
    "negative": ("[tables]\nflows = -1", "2: flows: '-1' is not allowed"),
    "huge": ("[tables]\nflows = 99999999999999999999999", "2: flows: '99999999999999999999999' is"),
    "unit": ("[tables]\nflows = 64k", "2: flows: '64k' is not allowed"),
    "hexadecimal": ("[tables]\nflows = 0x40", "2: flows: '0x40' is not allowed"),
    "no switch": ("[machine]\ntelemetry = yes", "2: telemetry: 'yes' is not allowed; it takes on"),
    "no address": ("[traffic]\ndestination_step = 4", "2: destination_step: '4' is not allowed"),
    "no code point": ("[traffic]\ndscp = 0,64", "2: dscp: '0,64' is not allowed; it takes up to 6"),
    "no page": (
        "[machine]\npage_size = 1GiB",
        "2: page_size: '1GiB' is not allowed; it takes auto",
    ),
    "no port": ("[ports]\nrx = eth0", "2: rx: 'eth0' is not allowed; it takes up to 16 of int"),
    "no CPUs": ("[machine]\nlcores = 0-", "2: lcores: '0-' is not allowed; it takes a CPU list"),
    "CPUs backwards": ("[machine]\nlcores = 3-1", "2: lcores: '3-1' is not allowed"),
    "many CPUs": (
        "[machine]\nlcores = 0-64",
        "2: lcores: '0-64' is not allowed; it takes a CPU list such as 1 or 0-3,8, of 64 CPUs",
    ),
    "a CPU twice": ("[machine]\nlcores = 1,0-2", "2: lcores: CPU 1 is named twice"),
    "unknown stage": (
        "[pipeline]\nstages = acl,nat",
        "2: stages: vpe-upstream has no stage 'nat'; it",
    ),
    "stage order": ("[pipeline]\nstages = key,acl", "2: stages: 'acl' can't come after 'key'; the"),
    "stage need": ("[pipeline]\nstages = route", "2: stages: 'route' needs the stage 'key' before"),
    "stage comma": ("[pipeline]\nstages = acl,", "2: stages: vpe-upstream has no stage ''"),
    "no stages": (
        "[pipeline]\nstages =",
        "2: stages: vpe-upstream has no stage ''; it takes all, none or some of acl, key, cla",
    ),
    "rx_ring": (
        "[pool]\nrx_ring = 100",
        "2: rx_ring: '100' is not allowed; it takes a power of two from 32 to 16384",
    ),
    "tx_ring": (
        "[pool]\nmbufs = 9999\ntx_ring = 500",
        "3: tx_ring: '500' is not allowed; it takes",
    ),
    "mbufs": (
        "[pool]\nmbufs = 1024",
        "2: mbufs: 1024 are too few for rx_ring 128 and tx_ring 512; it takes 1792 or more",
    ),
    "mbufs by the ring": (
        "[pool]\nrx_ring = 16384",
        "2: rx_ring: 32768 are too few for rx_ring 16",
    ),
    "active flows": (
        "[tables]\nflows = 100\n[traffic]\nflows = 101",
        "4: flows: 101 flows are active, but the tables have 100; traffic.flows takes no more than",
    ),
    "table flows": (
        "[tables]\nflows = 100",
        "2: flows: 65536 flows are active, but the tables have",
    ),
    "simd_bits": (
        "[machine]\nsimd_bits = 100",
        "2: simd_bits: '100' is not allowed; it takes 0, 64",
    ),
    "actions unclassified": (
        "[pipeline]\nstages = key,actions\n[ports]\nrx = 0",
        "2: stages: 'actions' needs 'classify' before it when packets come from a port",
    ),
    "a zero byte": ("[pipeline]\nburst = 5\0", "2: a zero byte: this is no text file"),
    "a long line": (
        f"[pipeline]\n# {'x' * 5000}\nburst = {'9' * 5000}",
        "3: burst: '9999999999",
    ),
    "a long key": (f"[pipeline]\n{'k' * 5000} = 1", "2: kkkkkkkkkk"),
}


def refused(dataplane: Any, *words: str | Path) -> str:
    """Runs it; it must end with 2 and one sentence, which is returned."""
    done = dataplane.run(*words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("planecast-dataplane: ")
    return str(done.stderr).removeprefix("planecast-dataplane: ")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_says_file_line_and_what_is_allowed(dataplane: Any, name: str) -> None:
    text, sentence = MISTAKES[name]
    file = dataplane.folder / "mistake.ini"
    file.write_text(text)
    said = refused(dataplane, file)
    assert said.startswith(f"{file}:{sentence}")
    assert said.count("\n") == 1


@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="needs the CPUs of the defaults")
def test_the_defaults_go_together(dataplane: Any) -> None:
    """What a file that says nothing leaves is no conflict."""
    file = dataplane.folder / "empty.ini"
    file.write_text("")
    done = dataplane.run(file, "--packets", "1000")
    assert done.returncode == 0, done.stderr
    assert '"flows": 65536' in done.stdout


def test_a_folder_is_no_configuration(dataplane: Any) -> None:
    assert refused(dataplane, dataplane.folder) == (
        f"{dataplane.folder}: can't be read: Is a directory\n"
    )


def test_no_such_file(dataplane: Any) -> None:
    said = refused(dataplane, dataplane.folder / "nowhere.ini")
    assert said.endswith("nowhere.ini: can't be read: No such file or directory\n")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("  [ pipeline ]  ; comment\r\n\t burst\t=\t4 # four\r\n", "\r\n"),
        ("; only\n\n[pipeline]\nburst=4", ""),
    ],
)
def test_what_is_fine(dataplane: Any, text: str, end: str) -> None:
    file = dataplane.folder / "fine.ini"
    small = "[tables]\nflows = 64\nacl_rules = 64\n[traffic]\nflows = 64\n"
    small += "[machine]\nmain_cpu = {}\nlcores = {}\n".format(*cpus())
    file.write_bytes((text + "\n" + small + end).encode())
    done = dataplane.run(file, "--packets", "1000")
    assert done.returncode == 0, done.stderr
    assert '"burst": 4,' in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no configuration file is named"),
        (["a.ini", "b.ini"], "one configuration file, and EAL's arguments after --"),
        (["a.ini", "--packets", "0"], "--packets: a whole number from 1 to"),
        (["a.ini", "--packets", "-5"], "--packets: a whole number from 1 to"),
        (["a.ini", "--packets", ""], "--packets: a whole number from 1 to"),
        (["a.ini", "--packets", "1e6"], "--packets: a whole number from 1 to"),
        (["a.ini", "--seconds", "0"], "--seconds: a number above 0"),
        (["a.ini", "--seconds", "inf"], "--seconds: a number above 0"),
        (["a.ini", "--seconds", "soon"], "--seconds: a number above 0"),
        (["a.ini", "--instrument", "perf"], "--instrument: callgrind or stop or trace"),
        (["a.ini", "--control", "--packets", "5"], "--control: each request says its own"),
        (["a.ini", "--control", "--instrument", "stop"], "--instrument: only with --packets or"),
    ],
)
def test_the_command_line(dataplane: Any, words: list[str], sentence: str) -> None:
    said = refused(dataplane, *words)
    assert said.startswith(sentence)
    assert "usage: planecast-dataplane CONFIG.ini" in said


def test_an_unknown_option(dataplane: Any) -> None:
    done = dataplane.run("--fast")
    assert done.returncode == 2
    assert "unrecognized option '--fast'" in done.stderr


def test_keys_are_a_configuration_of_the_defaults(dataplane: Any) -> None:
    """`--keys` can be saved, and read as it is."""
    keys = dataplane.run("--keys")
    assert keys.returncode == 0
    assert re.search(r"^burst = 32  ; .+ \(a whole number from 1 to 256\)$", keys.stdout, re.M)
    file = dataplane.folder / "keys.ini"
    file.write_text(keys.stdout.replace("65536", "64"))
    assert dataplane.run(file, "--packets", "1").returncode in (0, 3)  # 3: no CPU 1 here


def test_help(dataplane: Any) -> None:
    done = dataplane.run("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: ")


@pytest.mark.parametrize(
    ("eal", "sentence"),
    [
        (["--vdev", "net_nothing0"], "net_nothing0"),
        (["--no-such-argument"], "no-such-argument"),
    ],
)
def test_wrong_words_for_eal(dataplane: Any, eal: list[str], sentence: str) -> None:
    done = dataplane.run(dataplane.config(), "--packets", "1", "--", *eal)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sentence in done.stderr
    assert "planecast-dataplane: DPDK's EAL did not start: " in done.stderr


@pytest.mark.parametrize(
    ("eal", "sentence"),
    [
        ([], "ports.rx: there is no DPDK port 0; name one after --, such as --vdev net_null0"),
        (["--vdev", "net_pcap0,rx_pcap=/nowhere.pcap"], "/nowhere.pcap: No such file"),
    ],
)
def test_a_port_that_is_not_there(dataplane: Any, eal: list[str], sentence: str) -> None:
    """For EAL a device that fails is no reason to stop."""
    done = dataplane.run(dataplane.config(ports={"rx": 0}), "--packets", "1", "--", *eal)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "there is no DPDK port 0" in done.stderr


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_a_port_with_too_few_queues(dataplane: Any) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    config = dataplane.config(machine={"lcores": f"{cpus[0]},{cpus[1]}"}, ports={"tx": 0})
    out = dataplane.folder / "out.pcap"
    done = dataplane.run(config, "--packets", "1", "--", "--vdev", f"net_pcap0,tx_pcap={out}")
    assert done.returncode == 2
    assert "ports.tx: port 0 has 1 RX and 1 TX queues, but 2 lcores want 2 and 2" in done.stderr
