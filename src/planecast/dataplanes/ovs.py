"""Open vSwitch with DPDK as a data plane under test: ports that are cross-connected in pairs.

Its database and its switch are our own, all of their files in one private folder: no service is
touched. The network interfaces that it makes of its bridges, always of the same names, are in a
network namespace of our own: so an Open vSwitch that runs on this machine doesn't notice, nor does
it disturb. Both end when we do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from planecast.controlled import STOP_TIMEOUT_S, Planned, end_politely
from planecast.dataplanes.command import dying_with_us
from planecast.dataplanes.end import End
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.peer import ended_error
from planecast.errors import MissingError, RunError
from planecast.leftovers import note_process
from planecast.native import peers_folder
from planecast.results.estimate import Estimate

SWITCHES = (
    "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk",
    "usr/lib/openvswitch-dpdk/ovs-vswitchd-dpdk",
    "usr/sbin/ovs-vswitchd",
)
SCHEMA = "usr/share/openvswitch/vswitch.ovsschema"
ROOTS = (Path("/"), peers_folder() / "openvswitch-switch-dpdk")
"""Where its package is: installed, or unpacked by this project's own set-up."""
PACKAGE = "unpack it with tools/setup.sh ovs, or install openvswitch-switch-dpdk"
_MEMORY = "--no-huge --legacy-mem --no-shconf -m 1024 --no-telemetry"
"""EAL's arguments for MiB of memory without a reservation."""
_CONTROL = "br0.mgmt"
_DATABASE = "conf.db"
_QUIET = ("--no-chdir", "--log-file=/dev/null")
"""Socket of the bridge, for its flows."""
THREADS = 2
"""Its main thread, and the one that forwards. A thread sends into the queue that has its number, so
whoever is at the other end of a memory interface has so many queues; the first stays empty."""
START_TIMEOUT_S = 60.0
_CALL_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class PmdStats:
    """What a PMD thread says of its work since its statistics were cleared."""

    received: int
    """Packets."""
    cycles_per_packet: float
    """TSC cycles, those in which it found none among them."""
    processing_cycles_per_packet: float
    """TSC cycles of the iterations that found packets."""
    megaflow_hits: int | None = None
    """Packets that no exact cache knew (EMC, SMC, simple match), so that masks were tried one after
    another; None where it doesn't say."""
    upcalls: int | None = None
    """Packets that no cache knew: the slow path was asked."""
    packets_per_batch: float | None = None
    """Packets of a send call."""


class OpenVswitch:
    """Ports in pairs, each packet from one of a pair to the other."""

    name = "Open vSwitch"

    def __init__(
        self,
        ends: Sequence[End],
        folder: Path,
        *,
        cpu: int,
        main_cpu: int,
        program: str | None,
        before: Sequence[str] = (),
    ) -> None:
        """`folder` is empty, private, and the caller's; `before` stands before the switch's
        command, to run it elsewhere."""
        self._ends = ends
        self._before = tuple(before)
        self._stack = ExitStack()
        self._folder = folder
        self._cpu = cpu
        self._main_cpu = main_cpu
        self._program = program
        self._root = ROOTS[0]
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []

    def planned(self) -> list[Planned]:
        """Database and switch. Raises MissingError when they aren't here."""
        switch = self._switch()
        return [Planned(self._database_words()), Planned((*self._before, *self._words_of(switch)))]

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self.stop()

    def ports(self) -> Mapping[str, int]:
        """Nothing."""
        return {}

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return next((found.pid for name, found in self._processes if name == "ovs-vswitchd"), None)

    def check(self) -> None:
        """Raises RunError with its last words when one of the two has ended."""
        for name, process in self._processes:
            code = process.poll()
            if code is not None:
                raise ended_error(name, code, self._said(name))

    def begin_opinion(self) -> None:
        """Clears the statistics of the thread that forwards."""
        self._appctl("dpif-netdev/pmd-stats-clear")

    def opinion(self) -> Mapping[str, Estimate]:
        """Its own cycles a packet since then."""
        return opinion_of(parse_pmd_stats(self._appctl("dpif-netdev/pmd-stats-show")))

    def stop(self) -> None:
        """Ends the switch, then the database; both, also when we are interrupted meanwhile."""
        self._processes.clear()
        self._stack.close()

    def _start(self) -> None:
        """Database, switch, bridge, ports, flows. Raises MissingError or RunError."""
        if not self._before and not any(end.kind == "interface" for end in self._ends):
            self._before = self._stack.enter_context(Namespace(self._folder)).words
        switch, schema = self._switch(), self._root / SCHEMA
        self._call("ovsdb-tool", "create", self._folder / _DATABASE, schema)
        self._launch("ovsdb-server", *self._database_words())
        self._wait_for("db.sock")
        self._vsctl("--no-wait", "init")
        pci = " ".join(f"--allow {end.address}" for end in self._ends if end.kind == "pci")
        extra = f"{pci or '--no-pci'} {_MEMORY}"
        self._vsctl(
            *("--no-wait", "set", "Open_vSwitch", "."),
            "other_config:dpdk-init=true",
            f'other_config:dpdk-extra="{extra}"',
            f"other_config:pmd-cpu-mask={1 << self._cpu:#x}",
            f"other_config:dpdk-lcore-mask={1 << self._main_cpu:#x}",
            "other_config:per-port-memory=true",
        )
        self._launch("ovs-vswitchd", *self._words_of(switch), before=self._before)
        self._wait_for("vsw.ctl")
        self._add_bridge()
        for number, end in enumerate(self._ends, 1):
            self._add_port(number, end)
        for one in range(1, len(self._ends), 2):
            for come, go in ((one, one + 1), (one + 1, one)):
                self._ofctl("add-flow", self._folder / _CONTROL, f"in_port={come},actions={go}")

    def _database_words(self) -> tuple[str, ...]:
        """The database's command, when it is known where its package is."""
        return (
            self._found("ovsdb-server"),
            str(self._folder / _DATABASE),
            f"--remote=punix:{self._folder / 'db.sock'}",
            f"--unixctl={self._folder / 'db.ctl'}",
            *_QUIET,
        )

    def _words_of(self, switch: str) -> tuple[str, ...]:
        """The switch's command."""
        return (
            switch,
            f"unix:{self._folder / 'db.sock'}",
            f"--unixctl={self._folder / 'vsw.ctl'}",
            "--disable-system",
            *_QUIET,
        )

    def _add_bridge(self) -> None:
        """Raises RunError with the switch's reason, which it tells its log alone."""
        self._vsctl(
            *("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev"),
            "fail-mode=secure",
        )
        if not (self._folder / _CONTROL).exists():
            lines = self._said("ovs-vswitchd").splitlines()
            errors = [line.rpartition("|")[2] for line in lines if "|ERR|" in line]
            reason = errors[0] if errors else "it does not say why"
            raise RunError(f"it makes no bridge: {reason}", self.name)

    def _add_port(self, number: int, end: End) -> None:
        """Raises RunError with the switch's reason."""
        kind: tuple[str, ...] = ("type=dpdk", f'options:dpdk-devargs="{end.device(number)}"')
        if end.kind == "memif" and len(self._ends) > 2:
            kind = (*kind, f"options:n_rxq={THREADS}")
        if end.kind == "vhost":
            kind = ("type=dpdkvhostuserclient", f"options:vhost-server-path={end.address}")
        self._vsctl(
            *("add-port", "br0", f"p{number}", "--", "set", "Interface", f"p{number}"),
            *(*kind, f"ofport_request={number}"),
        )
        error = self._vsctl("get", "Interface", f"p{number}", "error").strip()
        if error not in ("[]", '""', ""):
            raise RunError(f"port {number} was refused: {error}", self.name)

    def _switch(self) -> str:
        """The switch, and where the rest of its package is. Raises MissingError."""
        for root in ROOTS:
            names = (self._program,) if self._program else [str(root / name) for name in SWITCHES]
            path = next((path for path in map(shutil.which, names) if path is not None), None)
            if path is not None and (root / SCHEMA).is_file():
                self._root = root.absolute()
                return str(Path(path).absolute())
        raise MissingError(
            "Open vSwitch with DPDK is not here", self._program or f"/{SWITCHES[0]}", PACKAGE
        )

    def _found(self, program: str) -> str:
        """One of its other programs. Raises MissingError."""
        folders = os.pathsep.join(str(self._root / name) for name in ("usr/bin", "usr/sbin"))
        path = shutil.which(program, path=folders)
        if path is None:
            raise MissingError(f"{program} is not here", "Open vSwitch", PACKAGE)
        return path

    def _launch(self, name: str, *words: str, before: Sequence[str] = ()) -> None:
        with (self._folder / f"{name}.said").open("wb") as said:
            process = subprocess.Popen(
                [*before, *dying_with_us(words)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=self._environment(),
                start_new_session=True,
            )
        self._stack.callback(end_politely, process, STOP_TIMEOUT_S)
        self._processes.append((name, process))
        note_process(self._folder, process.pid)

    def _environment(self) -> dict[str, str]:
        folder = str(self._folder)
        names = ("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR", "RUNTIME_DIRECTORY")
        found = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | dict.fromkeys(names, folder)
        if self._root != Path("/"):
            libraries = [str(path) for path in sorted(self._root.glob("usr/lib/*-linux-*"))]
            found["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
        return found

    def _wait_for(self, name: str) -> None:
        until = time.monotonic() + START_TIMEOUT_S
        while not (self._folder / name).exists():
            self.check()
            if time.monotonic() > until:
                raise RunError(f"it is not up after {START_TIMEOUT_S:.0f} s", self.name)
            time.sleep(0.02)

    def _said(self, name: str) -> str:
        path = self._folder / f"{name}.said"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def _vsctl(self, *words: object) -> str:
        timeout = f"--timeout={_CALL_TIMEOUT_S:.0f}"
        return self._call("ovs-vsctl", f"--db=unix:{self._folder / 'db.sock'}", timeout, *words)

    def _ofctl(self, *words: object) -> str:
        return self._call("ovs-ofctl", *words)

    def _appctl(self, *words: object) -> str:
        return self._call("ovs-appctl", "-t", self._folder / "vsw.ctl", *words)

    def _call(self, program: str, *words: object) -> str:
        """What one of its tools prints. Raises RunError with what it complains of."""
        try:
            done = subprocess.run(
                dying_with_us([self._found(program), *map(str, words)]),
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=_CALL_TIMEOUT_S + 5,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"{program} did not answer", self.name) from None
        if done.returncode != 0:
            self.check()
            said = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
            raise RunError(said[-1], f"{self.name}: {program}")
        return done.stdout


def opinion_of(found: PmdStats) -> dict[str, Estimate]:
    """The statistics as estimates: cycles a packet, shares of the packets, packets a batch."""

    def said(value: float, unit: str) -> Estimate:
        return Estimate(value=value, samples=found.received, unit=unit, kind="measured")

    opinion = {
        "pmd": said(found.cycles_per_packet, "cycles/packet"),
        "pmd processing": said(found.processing_cycles_per_packet, "cycles/packet"),
    }
    for name, count in (("megaflow look-ups", found.megaflow_hits), ("upcalls", found.upcalls)):
        if count is not None and found.received > 0:
            opinion[name] = said(count / found.received, "share")
    if found.packets_per_batch is not None:
        opinion["batch"] = said(found.packets_per_batch, "packets")
    return opinion


def parse_pmd_stats(text: str) -> PmdStats:
    """``dpif-netdev/pmd-stats-show``: the thread that received most. Raises RunError for text
    without one."""
    found = [_thread(part) for part in re.split(r"^pmd thread ", text, flags=re.MULTILINE)[1:]]
    threads = [thread for thread in found if thread is not None]
    if not threads:
        raise RunError("no thread that forwards tells of packets", "pmd-stats-show")
    return max(threads, key=lambda thread: thread.received)


def _thread(text: str) -> PmdStats | None:
    received = re.search(r"packets received: (\d+)", text)
    total = re.search(r"avg cycles per packet: ([\d.]+)", text)
    processing = re.search(r"avg processing cycles per packet: ([\d.]+)", text)
    if received is None or total is None or processing is None:
        return None  # a thread without packets has no averages
    hits = re.search(r"megaflow hits: (\d+)", text)
    failed = re.findall(r"miss with (?:success|failed) upcall: (\d+)", text)
    batch = re.search(r"avg\. packets per output batch: ([\d.]+)", text)
    return PmdStats(
        int(received[1]),
        float(total[1]),
        float(processing[1]),
        megaflow_hits=int(hits[1]) if hits else None,
        upcalls=sum(map(int, failed)) if failed else None,
        packets_per_batch=float(batch[1]) if batch else None,
    )
