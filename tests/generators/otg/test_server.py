"""Requests over HTTP, answered by a generator that behaves as the test says."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.generators.otg.conftest import RESOURCES, config

from planecast.errors import InputError
from planecast.generators.otg import OtgError, Session, serve
from planecast.generators.otg.server import BODY_BYTES_MAX, open_server

JSON = {"Content-Type": "application/json"}


@dataclass
class Client:
    """One connection to a server."""

    port: int

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] = JSON
    ) -> tuple[int, Any]:
        data = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        self.connection.request(method, path, data, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        kind = answer.headers["Content-Type"]
        return answer.status, json.loads(text) if kind == "application/json" else text

    def fine(self, method: str, path: str, body: Any = None) -> Any:
        code, answer = self.send(method, path, body)
        assert code == 200, answer
        return answer

    def refused(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, str]:
        """Status and the only error, whose body has the model's shape."""
        code, answer = self.send(method, path, body, **more)
        assert set(answer) == {"code", "kind", "errors"}
        assert answer["code"] == code
        assert answer["kind"] == ("internal" if code == 500 else "validation")
        (error,) = answer["errors"]
        return code, error

    def transmit(self, state: str, *names: str) -> dict[str, Any]:
        transmit = {"state": state, "flow_names": list(names)}
        return {
            "choice": "traffic",
            "traffic": {"choice": "flow_transmit", "flow_transmit": transmit},
        }

    def flows(self, *names: str) -> list[dict[str, Any]]:
        asked = {"choice": "flow", "flow": {"flow_names": list(names)}}
        found: list[dict[str, Any]] = self.fine("POST", "/monitor/metrics", asked)["flow_metrics"]
        return found


@pytest.fixture
def client(fake: Any) -> Iterator[Client]:
    session = Session(RESOURCES)
    server = open_server(session, "127.0.0.1", 0)
    thread = threading.Thread(target=serve, args=(server, session))
    thread.start()
    found = Client(server.server_address[1])
    yield found
    found.connection.close()
    server.shutdown()
    thread.join(20)
    assert not thread.is_alive()


def two(packets: int = 0) -> dict[str, Any]:
    """Two flows, with an end or without."""
    document = config(duration={"fixed_packets": {"packets": packets}} if packets else {})
    document["flows"].append({**document["flows"][0], "name": "g"})
    return document


def test_the_version(client: Client) -> None:
    from importlib.metadata import version

    answer = client.fine("GET", "/capabilities/version")
    # A client of another version asks the same of us: it is the one that the tests have.
    assert answer["api_spec_version"] == version("snappi")
    assert answer["app_version"].startswith("planecast ")


def test_a_run_from_its_start_to_its_end(client: Client, fake: Any) -> None:
    assert client.fine("GET", "/config") == {}
    assert "warnings" in client.fine("POST", "/config", two(100))
    assert client.fine("GET", "/config") == two(100)
    assert [flow["transmit"] for flow in client.flows()] == ["stopped"] * 2
    client.fine("POST", "/control/state", client.transmit("start"))
    first = client.flows()
    assert [flow["transmit"] for flow in first] == ["started"] * 2 or first[0]["frames_tx"] == "100"
    last = client.flows()
    assert [(flow["transmit"], flow["frames_tx"]) for flow in last] == [("stopped", "100")] * 2
    ports = client.fine("POST", "/monitor/metrics", {"choice": "port", "port": {}})
    assert ports["choice"] == "port_metrics"
    assert [port["frames_tx"] for port in ports["port_metrics"]] == ["200", "0"]
    latency = client.fine("GET", "/planecast/latency")["flows"]
    assert [flow["latency_histogram"] for flow in latency] == ["HISTFAAA"] * 2
    assert [flow["name"] for flow in latency] == ["f", "g"]
    assert client.fine("GET", "/planecast/run")["run"]["seconds"] == 1.0
    # So many packets are sent, however late; a time, or none, gives up what is.
    assert fake.log()[1] == "start catch_up_us=1e+09 give_up_ms=1e+06"
    client.fine("POST", "/config", config(duration={"fixed_seconds": {"seconds": 0.1}}))
    client.fine("POST", "/control/state", client.transmit("start"))
    last = [line for line in fake.log() if "start" in line][-1]
    assert "catch_up_us" not in last
    assert "give_up_ms" not in last


def test_some_flows_of_several(client: Client, fake: Any) -> None:
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start", "g"))
    assert "start streams=01" in fake.log()
    assert [(f["name"], f["transmit"]) for f in client.flows()] == [
        ("f", "stopped"),
        ("g", "started"),
    ]
    assert [flow["name"] for flow in client.flows("g")] == ["g"]
    code, why = client.refused("POST", "/control/state", client.transmit("start", "f"))
    assert (code, why) == (
        400,
        "traffic.flow_transmit: flows run already (g); stop them first",
    )
    client.fine("POST", "/control/state", client.transmit("stop", "f"))  # it does not run
    assert client.flows("g")[0]["transmit"] == "started"
    client.fine("POST", "/control/state", client.transmit("stop"))
    sent = int(client.flows("g")[0]["frames_tx"])
    assert sent > 0
    client.fine("POST", "/control/state", client.transmit("start", "f"))
    assert client.flows("g")[0]["frames_tx"] == str(sent)


def test_flows_that_were_started_together(client: Client) -> None:
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start"))
    _, why = client.refused("POST", "/control/state", client.transmit("stop", "f"))
    assert why.endswith("are stopped together: add g to f")


def test_columns(client: Client) -> None:
    client.fine("POST", "/config", two())
    asked = {"choice": "flow", "flow": {"metric_names": ["frames_tx"]}}
    found = client.fine("POST", "/monitor/metrics", asked)["flow_metrics"]
    assert found == [{"name": "f", "frames_tx": "0"}, {"name": "g", "frames_tx": "0"}]


def test_flows_without_metrics_are_left_out(client: Client) -> None:
    client.fine("POST", "/config", config(metrics={"enable": False}))
    assert client.flows() == []
    code, why = client.refused(
        "POST", "/monitor/metrics", {"choice": "flow", "flow": {"flow_names": ["f"]}}
    )
    assert (code, why) == (400, "flow.flow_names: metrics.enable of flow 'f' is false")


def test_another_configuration_ends_the_first(client: Client, fake: Any) -> None:
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start"))
    client.fine("POST", "/config", two())
    assert [flow["frames_tx"] for flow in client.flows()] == ["0", "0"]
    first, second = fake.pids()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    os.kill(second, 0)
    client.fine("POST", "/config", {})
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)


def test_a_refused_configuration_changes_nothing(client: Client, fake: Any) -> None:
    client.fine("POST", "/config", two())
    captures = {**two(), "captures": [{"name": "c", "port_names": ["p1"]}]}
    assert client.refused("POST", "/config", captures) == (400, "captures: is not supported")
    assert client.fine("GET", "/config") == two()
    assert len(fake.pids()) == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "error"),
    [
        ("PATCH", "/config", {}, 400, "PATCH /config: changing parts of a configuration"),
        ("POST", "/monitor/capture", {}, 400, "POST /monitor/capture: captures are not supported"),
        ("POST", "/monitor/states", {}, 400, "POST /monitor/states: states are not supported"),
        ("POST", "/control/action", {}, 400, "POST /control/action: actions are not supported"),
        ("PUT", "/config", {}, 405, "PUT /config: is not known; /config has POST, GET"),
        ("DELETE", "/config", {}, 405, "DELETE /config: is not known; /config has POST, GET"),
        ("DELETE", "/nothing", {}, 404, "DELETE /nothing: is not known; known are GET /capa"),
        ("TRACE", "/config", {}, 501, "Unsupported method ('TRACE')"),
        ("GET", "/nothing", None, 404, "GET /nothing: is not known; known are GET /capa"),
        ("POST", "/config", "{", 400, "the request is not valid JSON: Expecting property name"),
        ("POST", "/config", "[" * 100000, 400, "the request is not valid JSON: "),
        ("POST", "/config", b"\xff\xfe\xfd", 400, "the request is not valid JSON: "),
        ("POST", "/config", [], 400, "the request: got [], which is not an object"),
        (
            "POST",
            "/control/state",
            {"choice": "protocol", "protocol": {"choice": "all"}},
            400,
            "protocol: is not supported",
        ),
        (
            "POST",
            "/control/state",
            {"choice": "port", "port": {"choice": "capture"}},
            400,
            "port: is not supported",
        ),
        (
            "POST",
            "/monitor/metrics",
            {"choice": "bgpv4", "bgpv4": {}},
            400,
            "bgpv4: is not supported; supported here: port, flow",
        ),
        (
            "POST",
            "/monitor/metrics",
            {"choice": "flow", "flow": {"flow_names": ["x"]}},
            400,
            "flow.flow_names: there is no flow 'x'",
        ),
    ],
)
def test_what_is_refused(
    client: Client, *, method: str, path: str, body: Any, code: int, error: str
) -> None:
    found = client.refused(method, path, body)
    assert found[0] == code
    assert found[1].startswith(error)
    client.fine("GET", "/capabilities/version")


@pytest.mark.parametrize("state", ["pause", "resume", "x"])
def test_states_that_are_not_supported(client: Client, state: str) -> None:
    client.fine("POST", "/config", two())
    assert client.refused("POST", "/control/state", client.transmit(state)) == (
        400,
        f"traffic.flow_transmit.state: {state} is not supported: start and stop are",
    )


def test_starting_what_is_not_there(client: Client) -> None:
    code, why = client.refused("POST", "/control/state", client.transmit("start"))
    assert (code, why.split(":")[0]) == (400, "traffic.flow_transmit")
    client.fine("POST", "/config", two())
    _, why = client.refused("POST", "/control/state", client.transmit("start", "h"))
    assert why == "traffic.flow_transmit.flow_names: there is no flow 'h'"


def test_a_web_page_of_others_sends_no_json(client: Client) -> None:
    forms = {"Content-Type": "text/plain"}
    code, why = client.refused("POST", "/config", "{}", headers=forms)
    assert (code, why) == (415, "Content-Type: got text/plain; send application/json")


def test_a_name_that_leads_here_from_elsewhere(client: Client) -> None:
    """A web page may give its own name our address, and then is not foreign to us."""
    code, why = client.refused("GET", "/config", headers={"Host": "evil.example:8080"})
    assert (code, why) == (403, "Host: got evil.example; the server is for this host alone")
    for host in ("localhost:1", "127.0.0.1", "[::1]:8080"):
        assert client.send("GET", "/config", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(("bind", "code"), [("0.0.0.0", 200), ("127.0.0.1", 403)])
def test_a_server_that_was_set_otherwise_has_other_names(bind: str, code: int) -> None:
    session = Session(RESOURCES)
    server = open_server(session, bind, 0)
    thread = threading.Thread(target=serve, args=(server, session))
    thread.start()
    client = Client(server.server_address[1])
    assert client.send("GET", "/config", headers={"Host": "lab7"})[0] == code
    client.connection.close()
    server.shutdown()
    thread.join(20)


def test_a_session_that_was_closed_starts_nothing(fake: Any) -> None:
    session = Session(RESOURCES)
    session.close()
    with pytest.raises(OtgError, match="the server ends"):
        session.set_config(two())
    assert fake.log() == []


def test_a_body_without_end(client: Client) -> None:
    long = {**JSON, "Content-Length": str(BODY_BYTES_MAX + 1)}
    code, _ = client.refused("POST", "/config", headers=long)
    assert code == 413


def test_a_generator_that_does_not_start(client: Client, fake: Any) -> None:
    fake.way(start="dies", code=2, says="generator.ini:3: rate: too much")
    code, why = client.refused("POST", "/config", two())
    assert (code, why) == (400, "planecast-generator: generator.ini:3: rate: too much")
    fake.way(start="dies", code=1, says="port 0: not started")
    code, why = client.refused("POST", "/config", two())
    assert (code, why) == (500, "planecast-generator: port 0: not started")
    assert client.fine("GET", "/config") == {}


def test_a_generator_that_dies_is_reported_in_the_metrics(client: Client, fake: Any) -> None:
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start"))
    os.kill(fake.pids()[0], signal.SIGKILL)
    for _ in range(2):
        code, why = client.refused("POST", "/monitor/metrics", {"choice": "flow"})
        assert (code, why) == (500, "planecast-generator: it was ended by SIGKILL")
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start"))


def test_a_request_that_the_generator_refuses(client: Client, fake: Any) -> None:
    fake.way(refuses="start")
    client.fine("POST", "/config", two())
    code, why = client.refused("POST", "/control/state", client.transmit("start"))
    assert (code, why) == (500, "the generator refused a request: no")


def test_the_file_that_a_configuration_became(client: Client) -> None:
    client.fine("POST", "/config", two())
    text = client.fine("GET", "/planecast/config")
    assert text.startswith("; -- --vdev net_ring0 --vdev net_ring1\n[ports]\n")


def test_many_at_a_time(client: Client) -> None:
    """Requests on several connections are served one by one; none is lost."""
    client.fine("POST", "/config", two())
    client.fine("POST", "/control/state", client.transmit("start"))
    counts: list[int] = []

    def ask() -> None:
        other = Client(client.port)
        for _ in range(10):
            counts.append(int(other.flows("f")[0]["frames_tx"]))
        other.connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    # Every look adds 1000: each of the 40 saw another.
    assert sorted(counts) == list(range(min(counts), min(counts) + 40000, 1000))


def test_an_address_that_is_taken() -> None:
    session = Session(RESOURCES)
    with open_server(session, "127.0.0.1", 0) as server:
        port = server.server_address[1]
        with pytest.raises(InputError, match=f"--port {port}: can't listen: Address already"):
            open_server(session, "127.0.0.1", port)
    with pytest.raises(InputError, match="can't listen"):
        open_server(session, "300.0.0.1", 0)
