"""Open vSwitch with DPDK as a data plane under test: ports that are cross-connected in pairs.

Its database and its switch are our own, all of their files in one private folder: no service is
touched. The network interfaces that it makes of its bridges, always of the same names, are in a
network namespace of our own: so an Open vSwitch that runs on this machine doesn't notice, nor does
it disturb. Both end when we do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from planecast.dataplanes.dut import Program
from planecast.dataplanes.memory import Pages, env_words, memory_environment, pages_for
from planecast.dataplanes.meter import Meter
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.ovs_flows import open_flow_rules
from planecast.dataplanes.pmd_stats import (
    PROCESSING,
    PmdWork,
    opinion_of,
    parse_pmd_stats,
    parse_pmd_work,
)
from planecast.dataplanes.port import Port
from planecast.errors import MissingError, RunError
from planecast.native import peers_folder, set_up
from planecast.process import Planned, Process, dying_with_us, wait_until
from planecast.results.estimate import Estimate
from planecast.scenario.dataplanes.ovs import Ovs

SWITCHES = (
    "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk",
    "usr/lib/openvswitch-dpdk/ovs-vswitchd-dpdk",
    "usr/sbin/ovs-vswitchd",
)
SCHEMA = "usr/share/openvswitch/vswitch.ovsschema"
ROOTS = (Path("/"), peers_folder() / "openvswitch-switch-dpdk")
"""Where its package is: installed, or unpacked by this project's own set-up."""
PACKAGE = f"unpack it with {set_up('ovs')}, or install openvswitch-switch-dpdk"
_MEMORY = "--no-huge --legacy-mem --no-shconf --no-telemetry -m"
"""EAL's arguments for MiB of memory without a reservation."""
_MIB, _MIB_OF_VIRTUAL = 1024, 384
"""Enough for ports of any kind; for two in memory, of which a study has a switch a table."""
_BETWEEN = (0, 1)
"""DPDK's numbers of the ports that packets come in and leave by, where it has two."""
_CONTROL = "br0.mgmt"
"""Socket of the bridge, for its flows."""
_DATABASE = "conf.db"
_QUIET = ("--no-chdir", "--log-file=/dev/null")
THREADS = 2
"""Its main thread, and the one that forwards. A thread sends into the queue that has its number, so
whoever is at the other end of a memory interface has so many queues; the first stays empty."""
SEEN = 10
"""Packets of a flow, at random, until a switch knows it: exp(-10) of them have not come by then."""
START_TIMEOUT_S = 60.0
_CALL_TIMEOUT_S = 120.0
_LONGEST_IDLE_MS = 1_000_000_000


class OpenVswitch(Program):
    """Ports in pairs, each packet from one of a pair to the other."""

    name = "Open vSwitch"

    def __init__(
        self,
        ports: Sequence[Port],
        folder: Path,
        *,
        cpus: Sequence[int],
        main_cpu: int,
        wanted: Ovs,
        before: Sequence[str] = (),
        fds: Sequence[int] = (),
    ) -> None:
        """`folder` is empty, private, and the caller's; `before` stands before the switch's
        command, to run it elsewhere; `fds` are file descriptors that the switch inherits."""
        self._ports = ports
        self._before = tuple(before)
        self._fds = tuple(fds)
        self._stack = ExitStack()
        self._folder = folder
        self._cpus = tuple(cpus)
        self._main_cpu = main_cpu
        self._wanted = wanted
        self._program = wanted.program
        self._root = ROOTS[0]
        self._processes: dict[str, Process] = {}
        self._meter: Meter | None = None
        self._watched = False

    def planned(self) -> list[Planned]:
        """Database and switch. Raises MissingError when they aren't here."""
        switch = self._switch()
        return [Planned(self._database_words()), Planned((*self._before, *self._words_of(switch)))]

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        switch = self._processes.get("ovs-vswitchd")
        return None if switch is None else switch.pid

    def check(self) -> None:
        """Raises RunError with its last words when one of the two has ended."""
        for process in self._processes.values():
            process.check()

    def begin_opinion(self) -> None:
        """Clears the statistics of the threads that forward; from now on its polls are counted,
        where it has two ports and one queue of the first has them all."""
        self._polls()  # of an opinion that nobody asked for
        self._appctl("dpif-netdev/pmd-stats-clear")
        if self._meter is not None and len(self._ports) == len(_BETWEEN):
            with suppress(RunError):  # several queues
                self._meter.watch(*_BETWEEN)
                self._watched = True

    def opinion(self) -> Mapping[str, Estimate]:
        """Its own cycles a packet since then; those of polls, too, where they were counted: of the
        ones that found packets in place of its own, in which readings of the clock are."""
        polls = self._polls()
        said = opinion_of(parse_pmd_stats(self._appctl("dpif-netdev/pmd-stats-show")))
        return {name: one for name, one in said.items() if not polls or name != PROCESSING} | polls

    def _polls(self) -> dict[str, Estimate]:
        """What was counted since `begin_opinion`; nothing where nothing was."""
        if self._meter is None or not self._watched:
            return {}
        self._watched = False
        return self._meter.unwatch().opinion()

    def work(self) -> PmdWork:
        """What the threads that forward have done since their start."""
        return parse_pmd_work(self._appctl("dpif-netdev/pmd-stats-show"))

    def forget(self) -> None:
        """Removes the megaflows that it learnt from packets, and keeps what it learns from now on
        however rarely packets come."""
        self._configure(f"other_config:max-idle={_LONGEST_IDLE_MS}")
        self._appctl("revalidator/purge")

    def restart_thread(self) -> None:
        """A new thread forwards, whose exact-match cache is empty; its old one has to be polling.

        To remove megaflows does not empty that cache: of the two places for a flow it takes the one
        whose entry has the lower hash, so entries that are dead stay where theirs is high. A thread
        goes when its CPU is taken from it; on a machine with one CPU it stays.
        """
        other = next((cpu for cpu in range(os.cpu_count() or 1) if cpu not in self._cpus), None)
        if other is not None:
            self._configure(f"other_config:pmd-cpu-mask={_mask([other])}")
            self._configure(f"other_config:pmd-cpu-mask={_mask(self._cpus)}")

    @contextmanager
    def learning(self) -> Iterator[None]:
        """In this block every packet that the exact-match cache doesn't know goes into it, where
        that is on: it fills a hundred times as fast, to the same state."""
        usual = self._wanted.emc_insert_inv_prob
        if usual > 1:
            self._configure("other_config:emc-insert-inv-prob=1")
        yield
        if usual > 1:
            self._configure(f"other_config:emc-insert-inv-prob={usual}")

    def _configure(self, setting: str) -> None:
        self._vsctl("set", "Open_vSwitch", ".", setting)

    def stop(self) -> None:
        """Ends the switch, then the database; both, also when we are interrupted during it."""
        self._processes.clear()
        self._meter = None
        self._stack.close()

    def _start(self) -> None:
        """Database, switch, bridge, ports, flows. Raises MissingError or RunError."""
        if not self._before and not any(port.kind in ("interface", "xdp") for port in self._ports):
            self._before = self._stack.enter_context(Namespace(self._folder)).words
        switch, schema = self._switch(), self._root / SCHEMA
        self._call("ovsdb-tool", "create", self._folder / _DATABASE, schema)
        self._launch("ovsdb-server", *self._database_words())
        self._wait_for("db.sock")
        self._vsctl("--no-wait", "init")
        pci = " ".join(f"--allow {port.address}" for port in self._ports if port.kind == "pci")
        virtual = all(port.kind == "virtual" for port in self._ports)
        extra = f"{pci or '--no-pci'} {_MEMORY} {_MIB_OF_VIRTUAL if virtual else _MIB}"
        self._vsctl(
            *("--no-wait", "set", "Open_vSwitch", "."),
            "other_config:dpdk-init=true",
            f'other_config:dpdk-extra="{extra}"',
            f"other_config:pmd-cpu-mask={_mask(self._cpus)}",
            f"other_config:dpdk-lcore-mask={_mask([self._main_cpu])}",
            "other_config:per-port-memory=true",
            f"other_config:emc-insert-inv-prob={self._wanted.emc_insert_inv_prob}",
            f"other_config:smc-enable={str(self._wanted.smc).lower()}",
        )
        if not virtual:
            self._meter = Meter(self._pages())
            self._stack.callback(self._meter.close)
        self._launch("ovs-vswitchd", *self._words_of(switch), before=self._before)
        if self._meter is not None:
            self._meter.started()
        self._wait_for("vsw.ctl")
        self._add_bridge()
        self._add_flows()  # before its ports: threads that poll take the CPU from who adds them
        for number, port in enumerate(self._ports, 1):
            self._add_port(number, port)

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
        """The switch's command. Between ports in memory its callers load what it needs."""
        meter = self._meter
        loads = memory_environment(self._pages()) if meter is None else meter.environment()
        return (
            *env_words(loads),
            switch,
            f"unix:{self._folder / 'db.sock'}",
            f"--unixctl={self._folder / 'vsw.ctl'}",
            "--disable-system",
            *_QUIET,
        )

    def _pages(self) -> Pages:
        virtual = all(port.kind == "virtual" for port in self._ports)
        return pages_for("no-huge" if virtual else self._wanted.memory, self._ports)

    def _add_bridge(self) -> None:
        """Raises RunError with the switch's reason, which it writes to its log alone."""
        self._vsctl(
            *("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev"),
            "fail-mode=secure",
        )
        if not (self._folder / _CONTROL).exists():
            lines = self._processes["ovs-vswitchd"].said().splitlines()
            errors = [line.rpartition("|")[2] for line in lines if "|ERR|" in line]
            reason = errors[0] if errors else "it does not say why"
            raise RunError(f"it can't create a bridge: {reason}", self.name)

    def _add_flows(self) -> None:
        """The rules are of what comes in at the first port; a rule a port leads back, and through
        guests."""
        wanted, flows = self._wanted, []
        for one in range(1, len(self._ports), 2):
            first = (wanted.rules, wanted.masks) if one == 1 else (1, 1)
            flows += [*open_flow_rules(one, one + 1, *first), *open_flow_rules(one + 1, one)]
        file = self._folder / "flows"
        file.write_text("\n".join(flows) + "\n", encoding="ascii")
        self._ofctl("add-flows", self._folder / _CONTROL, file)

    def _add_port(self, number: int, port: Port) -> None:
        """Raises RunError with the switch's reason."""
        kind: tuple[str, ...] = ("type=dpdk", f'options:dpdk-devargs="{port.device(number)}"')
        if port.kind == "memif" and len(self._ports) > 2:
            kind = (*kind, f"options:n_rxq={THREADS}")
        if len(self._cpus) > 1:
            queues = ",".join(f"{queue}:{cpu}" for queue, cpu in enumerate(self._cpus))
            kind = (*kind, f"options:n_rxq={len(self._cpus)}")
            kind = (*kind, f'other_config:pmd-rxq-affinity="{queues}"')
        if port.kind == "vhost":
            kind = ("type=dpdkvhostuserclient", f"options:vhost-server-path={port.address}")
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
            "Open vSwitch with DPDK is not installed", self._program or f"/{SWITCHES[0]}", PACKAGE
        )

    def _found(self, program: str) -> str:
        """One of its other programs. Raises MissingError."""
        folders = os.pathsep.join(str(self._root / name) for name in ("usr/bin", "usr/sbin"))
        path = shutil.which(program, path=folders)
        if path is None:
            raise MissingError(f"{program} is not installed", "Open vSwitch", PACKAGE)
        return path

    def _launch(self, name: str, *words: str, before: Sequence[str] = ()) -> None:
        process = Process(
            name,
            [*before, *dying_with_us(words)],
            self._folder / f"{name}.said",
            environment=self._environment(),
            descriptors=self._descriptors() if name == "ovs-vswitchd" else (),
        )
        self._processes[name] = self._stack.enter_context(process)

    def _descriptors(self) -> tuple[int, ...]:
        return self._fds if self._meter is None else (*self._fds, self._meter.descriptor)

    def _environment(self) -> dict[str, str]:
        folder = str(self._folder)
        names = ("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR", "RUNTIME_DIRECTORY")
        found = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} | dict.fromkeys(names, folder)
        if self._root != Path("/"):
            libraries = [str(path) for path in sorted(self._root.glob("usr/lib/*-linux-*"))]
            found["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
        return found

    def _wait_for(self, name: str) -> None:
        late = RunError(f"it is not up after {START_TIMEOUT_S:.0f} s", self.name)
        wait_until((self._folder / name).exists, START_TIMEOUT_S, self.check, late)

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


def _mask(cpus: Iterable[int]) -> str:
    """As its options have CPUs."""
    return f"{sum(1 << cpu for cpu in cpus):#x}"
