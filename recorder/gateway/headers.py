"""Header lists on their way to the upstream and back. Pure; order is kept."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

Pairs = list[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-connection",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",
    }
    | {b"transfer-encoding", b"upgrade"}
)
# Told by a proxy in front of us; the site is to see a browser, not our installation.
OURS = frozenset(
    {b"expect", b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-forwarded-port"}
)
MARK = b"__footpath_here"  # the cookie by which the gateway knows a browser again
DECODABLE = ("gzip", "deflate", "br", "identity")
CSP_HEADERS = frozenset({b"content-security-policy", b"content-security-policy-report-only"})
NAMING_ORIGIN = (
    frozenset({b"location", b"content-location", b"refresh", b"access-control-allow-origin", b"link"}) | CSP_HEADERS
)
STATUSES = range(100, 600)
NEVER_A_BODY = frozenset({204, 304})
SPACED = bytes(0x20 if code == 0x7F or code < 0x20 and code != 0x09 else code for code in range(256))


@dataclass(frozen=True)
class Origins:
    """The two names of one site: what the browser calls it and what it is."""

    gateway: str  # "http://key.env.localhost:8000"
    upstream: str  # "http://127.0.0.1:9001"

    @property
    def upstream_host(self) -> str:
        """Host and port of the upstream, as in a Host header: without the user and password that its address may have."""
        return urlsplit(self.upstream).netloc.rpartition("@")[2]

    @property
    def upstream_origin(self) -> str:
        """The upstream as the site calls itself."""
        return f"{urlsplit(self.upstream).scheme}://{self.upstream_host}"

    @property
    def gateway_host(self) -> str:
        return urlsplit(self.gateway).netloc


def first(pairs: Pairs, name: bytes) -> bytes | None:
    """The first value of a header, names being lower case."""
    return next((value for own, value in pairs if own == name), None)


def connection_named(pairs: Pairs) -> frozenset[bytes]:
    """Headers that `Connection` names: they are for this hop only."""
    return frozenset(
        word.strip().lower()
        for name, value in pairs
        if name == b"connection"
        for word in value.split(b",")
        if word.strip()
    )


def to_upstream(pairs: Pairs, origins: Origins, *, document: bool) -> Pairs:
    """Request headers as the upstream gets them; `document` where the reply may have to be read by us."""
    dropped = HOP_BY_HOP | OURS | connection_named(pairs)
    sent = ((name, request_value(name, value, origins, document)) for name, value in pairs if name not in dropped)
    return [(name, value) for name, value in sent if name != b"cookie" or value]


def without_mark(cookies: bytes) -> bytes:
    """A Cookie header without the gateway's own."""
    if MARK not in cookies:
        return cookies
    return b"; ".join(part.strip() for part in cookies.split(b";") if part.strip().partition(b"=")[0] != MARK)


def request_value(name: bytes, value: bytes, origins: Origins, document: bool) -> bytes:
    """One request header, with the recording's origin named as the upstream's."""
    if name == b"host":
        return origins.upstream_host.encode()
    if name == b"cookie":
        return without_mark(value)
    if name in (b"origin", b"referer"):
        return to_other_origin(value.decode("latin-1"), origins.gateway_host, origins.upstream_origin).encode("latin-1")
    if name == b"accept-encoding" and document:
        return decodable(value.decode("latin-1")).encode()
    return value


def to_other_origin(url: str, host: str, origin: str) -> str:
    """`url` on `origin` if it is on `host` (whatever the scheme: a proxy may end TLS before us), else unchanged."""
    for scheme in ("http://", "https://"):
        if url.lower().startswith(scheme + host.lower()):
            rest = url[len(scheme) + len(host) :]
            if not rest or rest[0] in "/?#":
                return origin + rest
    return url


def decodable(accepted: str) -> str:
    """Accept-Encoding without what the injector cannot read."""
    kept = [part.strip() for part in accepted.split(",") if part.split(";")[0].strip().lower() in DECODABLE]
    return ", ".join(kept) or "identity"


def to_browser(pairs: Pairs, origins: Origins) -> Pairs:
    """Reply headers as the browser gets them: the upstream's origin by the recording's name, everything else as it is."""
    dropped = HOP_BY_HOP | connection_named(pairs) | {b"alt-svc"}
    return [(name, reply_value(name, value, origins)) for name, value in pairs if name not in dropped]


def sendable(status: int, pairs: Pairs) -> tuple[int, Pairs]:
    """A reply's status and headers as HTTP lets them be written, where a site is lax about it.

    A status that is none counts as one of the 500s (RFC 9110, section 15), control characters in values as spaces (5.5), and
    a reply that never has a body is sent without the length of one.
    """
    told = [(n, v.translate(SPACED)) for n, v in pairs if n != b"content-length" or status not in NEVER_A_BODY]
    return status if status in STATUSES else 599, told


def reply_value(name: bytes, value: bytes, origins: Origins) -> bytes:
    """One reply header."""
    if name == b"set-cookie":
        return cookie_for_gateway(value, origins)
    if name in NAMING_ORIGIN:
        return renamed(value.decode("latin-1"), origins).encode("latin-1")
    return value


def renamed(value: str, origins: Origins) -> str:
    """`value` with every mention of the upstream's origin replaced; longer host names that begin alike are left alone."""
    out, at, wanted = [], 0, origins.upstream_origin.lower()
    low = value.lower()
    while (found := low.find(wanted, at)) >= 0:
        end = found + len(wanted)
        whole = end == len(value) or value[end] in "/?#;, '\">"
        out += [value[at:found], origins.gateway if whole else value[found:end]]
        at = end
    return "".join([*out, value[at:]])


def cookie_for_gateway(value: bytes, origins: Origins) -> bytes:
    """Set-Cookie without a Domain that names the upstream's host: the cookie is the recording's origin's own."""
    host = (urlsplit(origins.upstream).hostname or "").encode()
    return b";".join(part for part in value.split(b";") if not names_domain(part, host))


def names_domain(part: bytes, host: bytes) -> bool:
    """True for a `Domain=` attribute that is `host` or a domain above it."""
    name, mark, domain = part.strip().partition(b"=")
    own = domain.strip().lower().lstrip(b".")
    return bool(mark) and name.strip().lower() == b"domain" and (host == own or host.endswith(b"." + own))
