"""Cookies that an earlier recording's scripts set for the parent of all recordings' hosts. Pure.

A script on `<key>.<ENV_HOST>` may set a cookie for ENV_HOST, and the browser then sends it to every later recording. Whatever a
browser brings on its first visit to a recording is such a cookie: it is kept from the site and taken out of the browser. A
mark of ours, which neither page nor site ever sees, says that the browser has been here.
"""

from __future__ import annotations

from recorder.gateway.headers import MARK, Pairs

MAX_NAMES, MAX_PATHS = 60, 6
HERE: Pairs = [(b"set-cookie", MARK + b"=1; Path=/; HttpOnly; SameSite=Lax")]


def names(pairs: Pairs) -> list[bytes]:
    """The names of all cookies in a request, each once, in order."""
    parts = [part.strip() for name, value in pairs if name == b"cookie" for part in value.split(b";")]
    return list(dict.fromkeys(part.partition(b"=")[0].strip() for part in parts if b"=" in part))


def without_cookies(pairs: Pairs) -> Pairs:
    """A request's headers as of a browser that has none."""
    return [(name, value) for name, value in pairs if name != b"cookie"]


def expired(foreign: list[bytes], env_host: str, target: str) -> Pairs:
    """Reply headers that take cookies out of the browser wherever a script below `env_host` can have put them.

    `target` is what was asked for: a cookie that came with it has one of its folders for a path.
    """
    out: Pairs = []
    for name in foreign[:MAX_NAMES]:
        secure = b"; Secure" if name.lower().startswith(b"__secure-") else b""
        for domain in parents(env_host):
            for path in folders(target):
                end = f"=; Domain={domain}; Path={path}; Max-Age=0".encode("latin-1", "replace")
                out.append((b"set-cookie", name + end + secure))
    return out


def parents(host: str) -> list[str]:
    """`host` and the domains above it but the last label, which no cookie may be set for."""
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(max(len(labels) - 1, 1))]


def folders(target: str) -> list[str]:
    """The paths that a cookie for `target` may have: "/", and every folder on the way, with and without its slash."""
    path = target.partition("?")[0].partition(";")[0]
    parts = [part for part in path.split("/") if part][:MAX_PATHS]
    below = ["/" + "/".join(parts[: at + 1]) for at in range(len(parts))]
    return ["/", *(form for folder in below for form in (folder, folder + "/"))]
