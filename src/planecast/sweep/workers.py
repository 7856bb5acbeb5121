"""Who answers the batches: this process, processes here, or a Dask cluster.

All three are executors of concurrent.futures, so the sweep doesn't know which it has.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from planecast.cleanup import private_folder
from planecast.errors import InputError, RunError
from planecast.extras import extra_library

RETRIES = 5
"""Workers that a Dask batch may lose before it is given up."""
CONNECT_SECONDS = 10
_SOCKET_PATH_BYTES = 107
"""Of the longest path of a socket (unix(7))."""


@dataclass(frozen=True)
class Workers:
    """How many answer, and where."""

    count: int
    """Processes here; one: no process but this."""
    dask: str | None = None
    """Address of a Dask scheduler; then its workers answer."""

    def check(self) -> None:
        """Raises InputError for an address that is none, RunError when no Dask scheduler answers
        there, MissingError without Dask."""
        if self.dask is not None:
            _check_scheduler(self.dask)

    @contextmanager
    def executor(self) -> Iterator[tuple[Executor, int]]:
        """(an executor, how many batches keep it busy). What still runs at the end is dropped."""
        if self.dask is not None:
            with _dask(self.dask) as found:
                yield found
            return
        executor = _Here() if self.count == 1 else _processes(self.count)
        try:
            yield executor, 1 if self.count == 1 else 2 * self.count
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


class _Here(Executor):
    """Answers at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  the future carries it to whoever asks
            future.set_exception(error)
        return future


def _processes(count: int) -> ProcessPoolExecutor:
    # Each worker is one core's worth: numpy's own threads would fight over the cores.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    _keep_sockets_in_a_private_folder()
    # A fork of this process could copy locks that its threads hold.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["planecast.sweep.answer"])
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


@cache
def _keep_sockets_in_a_private_folder() -> tempfile.TemporaryDirectory[str]:
    """multiprocessing keeps its sockets in a folder of its own, and leaves it when it is killed. It
    gets a private one, that the next command takes away, where the path is short enough."""
    folder = private_folder()
    if len(os.fsencode(folder.name)) > _SOCKET_PATH_BYTES - len("/listener-12345678"):
        return folder
    # What multiprocessing.util.get_temp_dir returns; there is no public way to set it.
    multiprocessing.current_process()._config["tempdir"] = folder.name  # type: ignore[attr-defined]
    return folder


def _begin() -> None:
    """Ctrl-C ends a worker at once, and so does the end of the process that it answers to."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _check_scheduler(address: str) -> None:
    where, what_to_do = f"--dask {address}", "give tcp://HOST:8786"
    library = extra_library("distributed", "dask", where, "leave it out: this host")
    try:
        library.comm.core.registry.get_backend(library.comm.parse_address(address)[0])
        library.comm.parse_host_port(library.comm.parse_address(address)[1])
    except ValueError as error:
        raise InputError(str(error), where, what_to_do) from None

    # A client would try as long, and complain once more when it is deleted.
    async def asked() -> str:
        arguments = library.Security().get_connection_args("client")
        server = library.rpc(address, timeout=CONNECT_SECONDS, connection_args=arguments)
        try:
            return str((await server.identity())["type"])
        finally:
            await server.close_rpc()

    try:
        found = asyncio.run(asyncio.wait_for(asked(), CONNECT_SECONDS + 1))
        reason = "" if found == "Scheduler" else f"what answers is a {found}"
    except Exception as error:  # noqa: BLE001  whatever another server's words are taken for
        reason = str(error).partition("\n")[0] or f"silent for {CONNECT_SECONDS + 1} s"
    if reason:
        raise RunError(f"no Dask scheduler answers: {reason}", where, what_to_do)


@contextmanager
def _dask(address: str) -> Iterator[tuple[Executor, int]]:
    library = extra_library("distributed", "dask", f"--dask {address}", "leave it out: this host")
    client = library.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    try:
        threads = sum(client.nthreads().values())
        executor: Executor = client.get_executor(retries=RETRIES, pure=False)
        yield executor, max(4, 2 * threads)
        executor.shutdown(wait=False)
    finally:
        client.close()
