"""One HTTP request on its way to the upstream and back, streaming both ways."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email.message import Message as MailMessage
from typing import Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from recorder.capture import script as capturing
from recorder.environments.base import Foreign
from recorder.gateway import decode, etag, pages
from recorder.gateway.asgi import Receive, Scope, Send, respond_page
from recorder.gateway.csp import Allowance, allow
from recorder.gateway.files import FileReply, file_reply, is_folder
from recorder.gateway.foreign import Renamer, foreign_mark, policy
from recorder.gateway.headers import CSP_HEADERS, Origins, Pairs, first, sendable, to_browser, to_upstream
from recorder.gateway.inject import Injector, Place, pushed_charset, xml_page_place, xml_place
from recorder.gateway.log import MAX_BODY, Seen
from recorder.gateway.script import EVENTS, scripts, tag
from recorder.gateway.sniff import SniffingInjector, is_shown, may_be_sniffed
from recorder.models import UNSEEN

log = logging.getLogger(__name__)
HTML = "text/html"
XML: dict[str, Place] = {
    "application/xhtml+xml": xml_place,
    "image/svg+xml": xml_page_place,
    "text/xml": xml_page_place,
    "application/xml": xml_page_place,
}
RECORDED = frozenset({HTML, *XML})
FRAMES = frozenset({b"document", b"iframe", b"frame", b"embed", b"object", b"fencedframe"})
BODILESS = frozenset({204, 205, 304})
SIZED = frozenset({b"content-length", b"content-encoding", b"accept-ranges", b"digest"})
NAMING_HOSTS = frozenset({"text/css", "text/javascript", "application/javascript", "application/x-javascript"})


class ClientGone(Exception):
    """The browser went away before the reply was whole."""


class Upload:
    """The request's body as the browser sends it; counts it and keeps what a JSON log may want."""

    def __init__(self, receive: Receive, *, keep: bool) -> None:
        self.receive = receive
        self.keep = keep
        self.size = 0
        self.kept = bytearray()
        self.finished = asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Pieces as they come. Raises ClientGone."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            data = message.get("body", b"")
            self.size += len(data)
            if self.keep and self.size <= MAX_BODY:
                self.kept += data
            more = message.get("more_body", False)
            if data:
                yield data
        self.finished.set()

    async def gone(self) -> None:
        """Returns once the browser has gone away; the body must have been read."""
        await self.finished.wait()
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def json(self) -> bytes:
        """The kept body, if it is all there."""
        return bytes(self.kept) if self.keep and self.size <= MAX_BODY else b""


def is_document_load(pairs: Pairs) -> bool:
    """True where the browser loads a document (a page, a frame) or fetches one ahead, not where a script reads HTML."""
    destination = first(pairs, b"sec-fetch-dest")
    if b"prefetch" in (first(pairs, b"sec-purpose") or first(pairs, b"purpose") or b""):
        return True
    if destination is not None:
        return destination in FRAMES
    accepts_html = (first(pairs, b"accept") or b"").lstrip().startswith(b"text/html")
    return accepts_html and first(pairs, b"x-requested-with") is None


@dataclass(frozen=True)
class Site:
    """The site behind a recording: its names, what it is watched for (JSON or ''), what it may load from other hosts, and
    whether it is also captured as the person sees it."""

    origins: Origins
    watch: str = ""
    foreign: Foreign | None = None
    captured: bool = False


class Exchange:
    """One request and its reply."""

    def __init__(
        self, client: aiohttp.ClientSession, scope: Scope, site: Site, seen: Seen, added: Pairs | None = None
    ) -> None:
        self.client = client
        self.site = site
        self.scripts = scripts(site.watch)
        self.capture = capturing.script() if site.captured else None
        self.mark = self.scripts.mark + (foreign_mark(site.foreign) if site.foreign else "")
        self.mark += self.capture.integrity[7:15] if self.capture else ""
        self.added = added or []  # headers of ours in the reply
        self.pairs: Pairs = list(scope["headers"])
        self.method: str = scope["method"]
        self.target = target_of(scope)
        self.origins = site.origins
        self.seen = seen
        self.document = is_document_load(self.pairs)
        self.begun = False
        self.reply_kept = bytearray()
        self.keep_reply = False
        self.had_tags = False

    async def run(self, receive: Receive, send: Send) -> None:
        """Pass the request on and the reply back; fills in `seen`. Never raises for what the site or the browser does."""
        upload = Upload(receive, keep=is_json(content_type(self.pairs)[0]))
        clock = time.perf_counter()
        try:
            await self.exchange(upload, send)
        except ClientGone:
            self.seen.error = "the browser went away"
        except (aiohttp.ClientError, TimeoutError, OSError, *decode.ERRORS) as error:
            await self.failed(error, send)
        finally:
            self.seen.ms = (time.perf_counter() - clock) * 1000
            self.seen.request_bytes = upload.size
            self.seen.request_body = upload.json()

    async def failed(self, error: Exception, send: Send) -> None:
        """Say what happened: by a page, or, where the reply has begun, by breaking it off."""
        self.seen.error = f"{type(error).__name__}: {error}"
        if self.begun:
            return  # a reply that is not completed is broken off by the server: a part must not pass for the whole
        self.seen.status = 0
        await respond_page(send, pages.DOWN)

    async def exchange(self, upload: Upload, send: Send) -> None:
        """The request out and the reply in; the browser's going away ends both."""
        reply = asyncio.ensure_future(self.pass_on(upload, send))
        gone = asyncio.ensure_future(upload.gone())
        await asyncio.wait({reply, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not reply.done():
            reply.cancel()
            await asyncio.gather(reply, return_exceptions=True)
            gone.result()
            raise ClientGone
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        reply.result()

    async def pass_on(self, upload: Upload, send: Send) -> None:
        """Headers rewritten, bodies streamed."""
        out = self.with_own_tags(to_upstream(self.pairs, self.origins, document=self.document or self.rewrites()))
        if is_folder(self.origins.upstream):
            async for _ in upload.chunks():
                pass
            reply = await asyncio.to_thread(file_reply, self.origins.upstream, self.method, self.target, out)
            await self.pass_back(reply, send)
            return
        async with self.client.request(
            self.method,
            URL(self.origins.upstream + self.target, encoded=True),
            headers=CIMultiDict((name.decode("latin-1"), value.decode("latin-1")) for name, value in out),
            data=await self.body(upload),
            allow_redirects=False,
        ) as response:
            await self.pass_back(response, send)

    def with_own_tags(self, pairs: Pairs) -> Pairs:
        """If-None-Match with the tags of this variant alone."""
        out: Pairs = []
        for name, value in pairs:
            if name == b"if-none-match":
                tags = etag.for_upstream(value.decode("latin-1"), self.mark, document=self.document)
                self.had_tags = tags is not None
                if tags is not None:
                    out.append((name, tags.encode("latin-1")))
            else:
                out.append((name, value))
        return out

    async def body(self, upload: Upload) -> AsyncIterator[bytes] | bytes | None:
        """The body to send: none where the request announces none."""
        length = first(self.pairs, b"content-length")
        if length is None and first(self.pairs, b"transfer-encoding") is None:
            async for _ in upload.chunks():
                pass
            return None
        if length == b"0":
            async for _ in upload.chunks():
                pass
            return b""
        return upload.chunks()

    def rewrites(self) -> bool:
        """True where hosts are named in the site's files that we answer for."""
        return self.site.foreign is not None and bool(self.site.foreign.stub)

    async def pass_back(self, response: aiohttp.ClientResponse | FileReply, send: Send) -> None:
        """The reply, with the recorder in it where it is a document."""
        raw = [(name.lower(), value) for name, value in response.raw_headers]
        pairs = to_browser(raw, self.origins) + self.added
        kind, charset = content_type(raw)
        encoding = b",".join(value for name, value in raw if name == b"content-encoding").decode("latin-1")
        self.seen.status = response.status
        self.keep_reply = is_json(kind)
        reader = decode.decoder(encoding)
        shown = self.shows(response.status, pairs)
        wanted = shown and (kind in RECORDED or may_be_sniffed(kind, pairs))
        if wanted or kind in RECORDED:
            pairs = with_vary(pairs)
        if wanted:
            self.seen.error = unseen(pairs, encoding if reader is None else "")
        elif shown and is_shown(kind) and self.is_page():
            self.seen.error = other_kind(kind)
        if self.site.foreign is not None and (wanted or kind in RECORDED):
            pairs = [*pairs, (b"content-security-policy", policy(self.site.foreign).encode())]
        if wanted and reader is not None:
            await self.inject(response, send, pairs, kind, charset, reader)
        elif self.rewrites() and kind in NAMING_HOSTS and reader is not None and response.status == 200:
            await self.rewrite(response, send, pairs, reader)
        else:
            confirmed = self.document and response.status == 304 and self.had_tags
            await self.copy(response, send, self.marked_tags(pairs) if confirmed else pairs)
        if self.keep_reply and len(self.reply_kept) <= MAX_BODY and self.seen.response_bytes <= MAX_BODY:
            self.seen.response_body = decode.small_plain(bytes(self.reply_kept), encoding, MAX_BODY) or b""

    def is_page(self) -> bool:
        """True where the browser loads a tab's or a frame's document now, not a picture for `<object>` nor a page ahead."""
        ahead = first(self.pairs, b"sec-purpose") or first(self.pairs, b"purpose") or b""
        return first(self.pairs, b"sec-fetch-dest") not in (b"embed", b"object") and b"prefetch" not in ahead

    def shows(self, status: int, pairs: Pairs) -> bool:
        """True where this reply is a whole document that a browser is going to show."""
        attachment = (first(pairs, b"content-disposition") or b"").strip().lower().startswith(b"attachment")
        whole = status not in BODILESS and status != 206 and not 300 <= status < 400
        return self.document and whole and not attachment

    async def rewrite(
        self, response: aiohttp.ClientResponse | FileReply, send: Send, pairs: Pairs, reader: decode.Decoder
    ) -> None:
        """A style sheet or script, with the hosts in it named that we answer for."""
        assert self.site.foreign is not None
        await self.start(send, response.status, [(n, v) for n, v in pairs if n not in SIZED])
        renamer = Renamer(self.site.foreign.stub)
        async for chunk in response.content.iter_any():
            self.count(chunk)
            for piece in reader.feed(chunk):
                await send({"type": "http.response.body", "body": renamer.feed(piece), "more_body": True})
        await send({"type": "http.response.body", "body": renamer.end()})

    async def copy(self, response: aiohttp.ClientResponse | FileReply, send: Send, pairs: Pairs) -> None:
        """The reply untouched."""
        await self.start(send, response.status, pairs)
        async for chunk in response.content.iter_any():
            self.count(chunk)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def inject(
        self,
        response: aiohttp.ClientResponse | FileReply,
        send: Send,
        pairs: Pairs,
        kind: str,
        charset: str,
        reader: decode.Decoder,
    ) -> None:
        """The reply decoded, with the recorder first in it."""
        allowance = self.allowance()
        pairs = self.marked_tags(pairs)
        pairs = [(n, v) for n, v in pairs if n not in SIZED]
        pairs = [
            (n, allow(v.decode("latin-1"), allowance).encode("latin-1") if n in CSP_HEADERS else v) for n, v in pairs
        ]
        if self.method == "HEAD":
            await self.start(send, response.status, pairs)
            await send({"type": "http.response.body", "body": b""})
            return
        element = tag(xml=kind in XML, watch=self.site.watch)
        element += capturing.tag(xml=kind in XML) if self.capture else ""
        injector = (Injector if kind else SniffingInjector)(element, charset=charset, find=XML.get(kind))
        renamer = Renamer(self.site.foreign.stub if self.site.foreign else ())
        try:
            async for chunk in response.content.iter_any():
                self.count(chunk)
                for piece in reader.feed(chunk):
                    if out := renamer.feed(injector.feed(piece)):
                        await self.emit(send, response.status, pairs, out, element, charset)
        except aiohttp.ClientPayloadError:  # it broke off: what came of it goes out, and no more
            if self.begun or injector.held:
                out = renamer.feed(injector.end()) + renamer.end()
                await self.emit(send, response.status, pairs, out, element, charset)
            raise
        await self.emit(send, response.status, pairs, renamer.feed(injector.end()) + renamer.end(), element, charset)
        if not injector.put and self.is_page():
            self.seen.error = other_kind(kind)
        await send({"type": "http.response.body", "body": b""})

    def marked_tags(self, pairs: Pairs) -> Pairs:
        """ETag as that of a document with the recorder in it."""
        mark = self.mark
        return [(n, etag.marked(v.decode("latin-1"), mark).encode("latin-1") if n == b"etag" else v) for n, v in pairs]

    async def emit(self, send: Send, status: int, pairs: Pairs, out: bytes, element: str, charset: str) -> None:
        """Send a piece of a document, the headers before the first."""
        if not self.begun:
            await self.start(send, status, pairs if charset else with_charset(pairs, out, len(element)))
        await send({"type": "http.response.body", "body": out, "more_body": True})

    async def start(self, send: Send, status: int, pairs: Pairs) -> None:
        self.begun = True
        told, headers = sendable(status, pairs)
        await send({"type": "http.response.start", "status": told, "headers": headers})

    def count(self, chunk: bytes) -> None:
        """Note bytes of the reply as the upstream sent them."""
        self.seen.response_bytes += len(chunk)
        if self.keep_reply and self.seen.response_bytes <= MAX_BODY:
            self.reply_kept += chunk

    def allowance(self) -> Allowance:
        """The recorder's addresses on this origin, and the capture's where there is one."""
        served, origin = self.scripts, self.origins.gateway
        worker = origin + served.worker.path if served.worker else None
        elements = [served.recorder, *([self.capture] if self.capture else [])]
        return Allowance(
            tuple(origin + script.path for script in elements),
            tuple(script.integrity for script in elements),
            worker,
            (origin + EVENTS, *((origin + capturing.CAPTURE,) if self.capture else ())),
        )


def other_kind(kind: str) -> str:
    """What the log says of a document that takes no recorder."""
    return f"{UNSEEN}: a document of type {kind}" if kind else f"{UNSEEN}: a document without a type"


def unseen(pairs: Pairs, encoding: str) -> str:
    """Why the recorder cannot run in a document that goes to the browser, or ''."""
    if encoding:
        return f"{UNSEEN}: the document is encoded as {encoding}"
    policies = ";".join(value.decode("latin-1").lower() for name, value in pairs if name == b"content-security-policy")
    for directive in policies.replace(",", ";").split(";"):
        if (words := directive.split()) and words[0] == "sandbox" and "allow-scripts" not in words:
            return f"{UNSEEN}: the page's policy forbids all scripts"
    return ""


def target_of(scope: Scope) -> str:
    """Path and query exactly as the browser sent them."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return (raw + (b"?" + query if query else b"")).decode("latin-1")


def content_type(pairs: Pairs) -> tuple[str, str]:
    """Media type and charset, lower case; '' where not told."""
    value = first(pairs, b"content-type")
    if value is None:
        return "", ""
    message = MailMessage()
    message["content-type"] = value.decode("latin-1")
    charset: Any = message.get_param("charset") or ""
    kind = value.split(b";")[0].strip().lower().decode("latin-1")
    return kind, charset.lower() if isinstance(charset, str) else ""


def is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def with_vary(pairs: Pairs) -> Pairs:
    """The same address read by a script is another text than loaded as a document: caches must keep both."""
    return [*pairs, (b"vary", b"Sec-Fetch-Dest")]


def with_charset(pairs: Pairs, head: bytes, added: int) -> Pairs:
    """Name the charset in the header where the element would push the `<meta>` that names it out of the browser's sight."""
    charset = pushed_charset(head, added)
    if charset is None:
        return pairs
    return [(n, v + b"; charset=" + charset.encode() if n == b"content-type" else v) for n, v in pairs]
