"""CSP: the recorder gets in; for everybody else the policy is what it was."""

from __future__ import annotations

import pytest

from recorder.gateway.csp import Allowance, allow

A = Allowance(("http://k/r.js",), ("sha256-abc",), "http://k/w.js", ("http://k/events",))

POLICIES = {
    "img-src *": "img-src *",
    "default-src 'self'": "default-src 'self'",
    "script-src 'self' 'unsafe-inline'": "script-src 'self' 'unsafe-inline'",
    "default-src 'none'": (
        "default-src 'none'; script-src-elem http://k/r.js; worker-src http://k/w.js; connect-src http://k/events"
    ),
    "script-src 'none'": "script-src 'none'; script-src-elem http://k/r.js; worker-src http://k/w.js",
    "script-src 'nonce-x'": "script-src 'nonce-x'; script-src-elem 'nonce-x' http://k/r.js; worker-src http://k/w.js",
    "script-src 'nonce-x' 'strict-dynamic'": (
        "script-src 'nonce-x' 'strict-dynamic'; script-src-elem 'nonce-x' 'strict-dynamic' 'sha256-abc'"
    ),
    "script-src 'unsafe-inline' cdn.com": (
        "script-src 'unsafe-inline' cdn.com; script-src-elem 'unsafe-inline' cdn.com http://k/r.js; "
        "worker-src cdn.com http://k/w.js"
    ),
    "script-src 'sha256-q'; connect-src 'none'": (
        "script-src 'sha256-q'; connect-src http://k/events; script-src-elem 'sha256-q' http://k/r.js; worker-src http://k/w.js"
    ),
    "SCRIPT-SRC-ELEM cdn.com; script-src 'self'": "script-src-elem cdn.com http://k/r.js; script-src 'self'",
    "connect-src api.com": "connect-src api.com http://k/events",
    "worker-src 'none'": "worker-src http://k/w.js",
    "script-src *": "script-src *",
    "script-src a.com; script-src b.com": (
        "script-src a.com; script-src b.com; script-src-elem a.com http://k/r.js; worker-src a.com http://k/w.js"
    ),
    "sandbox allow-forms": "sandbox allow-forms",
    "require-trusted-types-for 'script'": "require-trusted-types-for 'script'",
    "trusted-types page 'allow-duplicates'": "trusted-types page 'allow-duplicates' footpath",
    "trusted-types 'none'": "trusted-types footpath",
    "trusted-types *": "trusted-types *",
}


@pytest.mark.parametrize("policy", POLICIES)
def test_policy(policy: str) -> None:
    assert allow(policy, A) == POLICIES[policy]


@pytest.mark.parametrize("policy", POLICIES)
def test_letting_in_twice_changes_nothing_more(policy: str) -> None:
    once = allow(policy, A)
    assert allow(once, A) == once


def test_without_an_element_of_ours_scripts_stay_as_they_were() -> None:
    allowance = Allowance((), (), "http://k/w.js", ("http://k/events",), ("http://bye",))
    assert allow("script-src 'nonce-x'; connect-src 'none'", allowance) == (
        "script-src 'nonce-x'; connect-src http://k/events http://bye; worker-src http://k/w.js"
    )
    assert allow("default-src 'self'", allowance) == "default-src 'self'; connect-src 'self' http://bye"
    assert allow("connect-src *", allowance) == "connect-src *"


def test_each_policy_of_a_header_is_met() -> None:
    assert allow("script-src 'self', script-src 'none'", A) == (
        "script-src 'self', script-src 'none'; script-src-elem http://k/r.js; worker-src http://k/w.js"
    )


def test_unsafe_inline_is_never_switched_off() -> None:
    allowed = allow("script-src 'unsafe-inline' x.com", A)
    assert "sha256-" not in allowed
    assert "nonce-" not in allowed
