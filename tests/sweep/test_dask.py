"""A Dask cluster answers as this machine does, and its killed workers lose no points."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator

import pytest
from tests.sweep.conftest import MakeJob

from planecast.errors import InputError, RunError
from planecast.results import RunDirectory, read_parquet
from planecast.results.store import SWEEP
from planecast.sweep import Workers, run_sweep

# Of the cluster's own threads and sockets while a worker dies.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_killed_worker_loses_no_points(make_job: MakeJob, folder: RunDirectory) -> None:
    from distributed import LocalCluster

    job = make_job("traffic.flows=1:64Ki:log", sample="lhs", points=40, batch=1)
    killed: list[int] = []
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        workers = Workers(2, cluster.scheduler_address)
        workers.check()
        with pytest.raises(RunError, match="what answers is a Nanny"):
            Workers(2, cluster.workers[0].address).check()

        def kill(done: float, total: float, words: str) -> None:
            if done > 0 and not killed:
                killed.append(cluster.workers[0].pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(killed[0], signal.SIGKILL)

        run_sweep(job, folder, workers, kill)
    assert killed
    assert read_parquet(folder.path / SWEEP)["point"].tolist() == list(range(40))


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that is none of Dask's: it takes a connection, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield "127.0.0.1:{1}".format(*server.getsockname())


def test_no_scheduler_is_a_sentence(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planecast.sweep.workers.CONNECT_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:9", silent):
        with pytest.raises(RunError, match="no Dask scheduler answers"):
            Workers(2, address).check()
    for address in ("nowhere", "post://host:1", "tcp://[::1"):
        with pytest.raises(InputError, match="give tcp://HOST:8786"):
            Workers(2, address).check()
