"""Lets the recorder past a page's Content-Security-Policy, and nobody else. Pure.

What is added are exact addresses on the recording's own origin, or, where addresses do not count (`strict-dynamic`), the
hash of the recorder. A nonce or hash is never added where it would switch `unsafe-inline` off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Directives = list[tuple[str, list[str]]]
TRUSTED = "footpath"  # the trusted-types policy that `static/recorder/80-deliver.js` makes, once per document


@dataclass(frozen=True)
class Allowance:
    """What the recorder needs: addresses of its scripts (none where it comes without an element), its worker and where it posts,
    `elsewhere` on another origin than the page's; `hashes` are `sha256-…`, of the elements."""

    scripts: tuple[str, ...]
    hashes: tuple[str, ...]
    worker: str | None
    posts: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


def allow(header: str, allowance: Allowance) -> str:
    """A CSP header value (one or several policies, comma-separated) that lets the recorder in and is else as strict."""
    return ", ".join(allow_in_policy(policy, allowance) for policy in header.split(",") if policy.strip())


def allow_in_policy(policy: str, allowance: Allowance) -> str:
    """One policy with the recorder let in; unchanged where it was never kept out."""
    directives = parse(policy)
    before = list(directives)
    directives = allow_script(directives, allowance)
    directives = allow_worker(directives, before, allowance)
    directives = allow_connect(directives, allowance)
    directives = allow_trusted_type(directives, allowance)
    return policy.strip() if directives == before else written(directives)


def parse(policy: str) -> Directives:
    """Directives in order; of two with one name the first counts, so later ones are left alone."""
    parts = [part.split() for part in policy.split(";")]
    return [(words[0].lower(), words[1:]) for words in parts if words]


def written(directives: Directives) -> str:
    return "; ".join(" ".join([name, *values]) for name, values in directives)


def effective(directives: Directives, *names: str) -> tuple[str, list[str]] | None:
    """The first of `names` that the policy has, with its sources."""
    for name in names:
        for own, values in directives:
            if own == name:
                return own, values
    return None


def allow_script(directives: Directives, allowance: Allowance) -> Directives:
    """Let the script element in. A directive for elements alone is added, so that handlers, eval and workers keep theirs."""
    found = effective(directives, "script-src-elem", "script-src", "default-src")
    if found is None or not allowance.scripts:
        return directives
    name, sources = found
    if has(sources, "'strict-dynamic'"):
        return with_sources(directives, "script-src-elem", sources, [f"'{one}'" for one in allowance.hashes])
    if allows_own(sources):
        return directives
    return with_sources(directives, "script-src-elem", sources, allowance.scripts)


def allow_worker(directives: Directives, before: Directives, allowance: Allowance) -> Directives:
    """Let the worker in. Under `strict-dynamic` a worker begun by a script is allowed already."""
    found = effective(before, "worker-src", "child-src", "script-src", "default-src")
    if found is None or allowance.worker is None or allows_own(found[1]) or has(found[1], "'strict-dynamic'"):
        return directives
    return with_sources(directives, "worker-src", addresses(found[1]), [allowance.worker])


def allow_connect(directives: Directives, allowance: Allowance) -> Directives:
    """Let the last post of a page that goes away out."""
    found = effective(directives, "connect-src", "default-src")
    if found is None or "*" in found[1]:
        return directives
    posts = () if has(found[1], "'self'") else allowance.posts
    if not posts and not allowance.elsewhere:
        return directives
    return with_sources(directives, "connect-src", addresses(found[1]), [*posts, *allowance.elsewhere])


def allow_trusted_type(directives: Directives, allowance: Allowance) -> Directives:
    """Let the policy be made that trusts the worker's address. The recorder takes its name before the page could."""
    found = effective(directives, "trusted-types")
    if found is None or allowance.worker is None or "*" in found[1]:
        return directives
    return with_sources(directives, "trusted-types", found[1], [TRUSTED])


def with_sources(directives: Directives, name: str, sources: list[str], more: Sequence[str]) -> Directives:
    """`name` with `sources` and some more, in its place or at the end."""
    kept = [value for value in sources if value.lower() != "'none'"]
    new = (name, [*kept, *(source for source in more if source not in kept)])
    if any(own == name for own, _ in directives):
        first = next(place for place, (own, _) in enumerate(directives) if own == name)
        return [new if place == first else directive for place, directive in enumerate(directives)]
    return [*directives, new]


def addresses(sources: list[str]) -> list[str]:
    """Sources that mean something outside scripts: no nonces, hashes and script keywords."""
    return [source for source in sources if not source.startswith("'") or source.lower() == "'self'"]


def allows_own(sources: list[str]) -> bool:
    """True where the page's own origin is allowed already."""
    return has(sources, "'self'") or "*" in sources


def has(sources: list[str], keyword: str) -> bool:
    return any(source.lower() == keyword for source in sources)
