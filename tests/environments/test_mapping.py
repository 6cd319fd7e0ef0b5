"""The declarative mapping: what is refused before it is used, and where a request may go."""

from __future__ import annotations

import copy
import socket
from typing import Any

import pytest

from recorder.environments.base import AnswerLost, EnvironmentDown, TaskRef
from recorder.environments.http import from_options
from recorder.environments.mapping import filled_body, filled_path
from recorder.environments.options import BadOptions
from recorder.environments.wire import is_private_name, place_of, send
from tests.environments.seven_sites import SevenSites

GOOD: dict[str, Any] = {
    "base_url": "https://api.example:8443/",
    "prepare": {"path": "/sessions", "body": {"task": "{task}"}, "read": {"session": "id"}},
    "evaluate": {"path": "/sessions/{session}/score", "read": {"score": "score"}},
}


def changed(place: str, value: Any) -> dict[str, Any]:
    options = copy.deepcopy(GOOD)
    *path, last = place.split(".")
    inner = options
    for part in path:
        inner = inner.setdefault(part, {})
    inner[last] = value
    return options


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("base_url", "api.example", "base_url: 'api.example' is no web address"),
        ("base_url", "file:///etc", "is no web address"),
        ("base_url", "https://api.example/v1", "must be an origin only"),
        ("site_url", "https://user:pw@site.example", "must be an origin only"),
        ("prepare.path", "//evil.example/x", "prepare.path: must be a path that begins with one /"),
        ("prepare.path", "https://evil.example/x", "prepare.path: must be a path"),
        ("prepare.path", "/sessions/{session}", "prepare: {session} means nothing here; known: seed, site, task"),
        ("prepare.body", {"a": ["{password}"]}, "prepare: {password} means nothing here"),
        ("prepare.method", "BREW", "prepare.method"),
        ("evaluate.read", {}, "evaluate.read.score: Field required"),
        ("evaluate.path", "/{site}/score", "it uses {site}; say in `site` what that is"),
        ("prepare.read.sesion", "id", "prepare.read.sesion: this name is not known here"),
        ("timeout", 0, "timeout"),
        ("page", "{nothing}", "page: {nothing} means nothing here"),
        ("reset", {"path": "/reset"}, "reset: with new_session, `read` must say where"),
        ("refuse", ["control"], "refuse: a refused path begins with /, not 'control'"),
        ("headers", {"X-A\r\nB": "1"}, "is no header"),
        ("headers", {"X": "{secret:DATABASE_URL}"}, "must be named FOOTPATH_SECRET_"),
        ("foreign", {"allow": ["https://cdn.example/x"]}, "is no host name"),
        ("mapping", "eight-sites", "mapping: there is no ready mapping 'eight-sites'; there are: seven-sites"),
    ],
)
def test_what_cannot_work_is_refused_with_its_place(place: str, value: Any, said: str) -> None:
    with pytest.raises(BadOptions) as caught:
        from_options(changed(place, value))
    assert said in caught.value.message


def test_a_small_mapping_is_enough() -> None:
    mapping = from_options(GOOD).mapping
    assert (mapping.base_url, mapping.page, mapping.evaluate.repeatable) == (
        "https://api.example:8443",
        "{start_path}",
        False,
    )


def test_placeholders_in_paths_stay_one_part_and_bodies_keep_types() -> None:
    values = {"task": "a/b ?#", "seed": 7, "variant": None, "site": "x"}
    assert filled_path("/s/{task}", values) == "/s/a%2Fb%20%3F%23"
    template = {"seed": "{seed}", "what": "task {task}", "variant": "{variant}", "no?": "{variant}", "list": ["{seed}"]}
    assert filled_body(template, values) == {"seed": 7, "what": "task a/b ?#", "variant": None, "list": [7]}


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("::1", True),
        ("fd00::1", True),
        ("93.184.216.34", False),
        ("benchmark", False),
        ("api.example", False),
    ],
)
def test_private_names(host: str, private: bool) -> None:
    assert is_private_name(host) is private


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "192.168.1.1"])
def test_a_name_that_turns_out_private_is_refused_unless_that_is_meant(
    fake: SevenSites, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    def resolve(host: str, port: int, **kwargs: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(EnvironmentDown, match="is a private address now"):
        send(place_of(f"http://api.example:{fake.port}"), "GET", "/env/x/", headers={}, timeout=2)
    assert fake.asked == []


def test_a_private_place_that_is_meant_is_reached(fake: SevenSites, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, port, *rest, **kwargs: real("127.0.0.1", port, *rest, **kwargs)
    )
    options = fake.options(base_url=f"http://benchmark:{fake.port}", private=True)
    assert from_options(options).prepare(TaskRef("amazon", "amazon_browse_category", None, 1)).id
    assert fake.headers[-1]["Host"] == f"benchmark:{fake.port}"


def test_the_proxy_of_the_process_is_not_used(fake: SevenSites, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert send(place_of(fake.url), "GET", "/env/x/", headers={}, timeout=5).status == 200


def test_an_answer_that_drips_ends_at_the_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = place_of(f"http://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(AnswerLost, match=r"did not answer within 0.4 s"):
            send(place, "GET", "/", headers={}, timeout=0.4)
