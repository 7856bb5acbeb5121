"""Who may ask: whoever has the address with the token, on this host, from this page."""

from __future__ import annotations

import socket

import pytest
from tests.explore.conftest import PORT, TOKEN, Client

from planecast.explore.server import LOOPBACK, Listening


def test_the_page_is_served_with_a_policy_that_forbids_all_else(client: Client) -> None:
    page = client.get(f"/{TOKEN}/")
    assert page.status == 200
    assert b"<title>planecast explore</title>" in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    script = client.get(f"/{TOKEN}/static/main.js")
    assert script.status == 200
    assert "javascript" in script.headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/", "/static/main.js", f"/{TOKEN}", f"/{TOKEN[:-1]}x/", "/api/answer"]
)
def test_without_the_token_there_is_nothing(client: Client, path: str) -> None:
    refused = client.get(path)
    assert refused.status == 403
    assert b"token" in refused.body


@pytest.mark.parametrize(
    "host", ["example.org", f"example.org:{PORT}", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_another_hosts_name_is_refused(client: Client, host: str) -> None:
    assert client.get(f"/{TOKEN}/", host=host).status == 403


def test_localhost_is_this_host(client: Client) -> None:
    assert client.get(f"/{TOKEN}/", host=f"localhost:{PORT}").status == 200


def test_another_pages_requests_are_refused(client: Client) -> None:
    path, body = f"/{TOKEN}/api/page", b"{}"
    assert client.post(path, body, origin="http://example.org").status == 403
    assert client.post(path, body, origin="null").status == 403
    assert client.post(path, body, origin=f"http://127.0.0.1:{PORT}").status == 200


@pytest.mark.parametrize(
    "path", ["../server.py", "%2e%2e/server.py", "..%2fserver.py", "/etc/passwd"]
)
def test_no_file_beyond_the_pages_own(client: Client, path: str) -> None:
    assert client.get(f"/{TOKEN}/static/{path}").status == 404


@pytest.mark.parametrize(
    ("body", "type_", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b" " * 300_000, "application/json", 400),
        (b'{"changes": []}', "application/json", 200),
    ],
)
def test_what_is_no_question_gets_a_sentence(
    client: Client, body: bytes, type_: str, status: int
) -> None:
    answer = client.post(f"/{TOKEN}/api/answer", body, content_type=type_)
    assert answer.status == status
    assert answer.json["refused"]


def test_an_answers_body_does_not_wait_for_its_head_to_be_confirmed() -> None:
    listening = Listening(0)
    with listening.socket, socket.create_connection((LOOPBACK, listening.port)):
        connection, _ = listening.socket.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
