"""One HTTP request on its way to the upstream and back, streaming both ways."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from recorder.capture import script as capturing
from recorder.environments.base import Foreign
from recorder.gateway import decode, etag, pages
from recorder.gateway.asgi import Receive, Scope, Send, respond_page, target_of
from recorder.gateway.csp import Allowance, allow
from recorder.gateway.documents import (
    RECORDED,
    XML,
    content_type,
    is_document_load,
    is_json,
    is_page,
    is_whole,
    other_kind,
    unseen,
    with_charset,
    with_vary,
)
from recorder.gateway.files import FileReply, file_reply, is_folder
from recorder.gateway.foreign import Renamer, foreign_mark, policy
from recorder.gateway.headers import CSP_HEADERS, Origins, Pairs, first, sendable, to_browser, to_upstream
from recorder.gateway.inject import Injector
from recorder.gateway.log import MAX_BODY, Seen
from recorder.gateway.script import EVENTS, scripts, tag
from recorder.gateway.sniff import SniffingInjector, is_shown, may_be_sniffed
from recorder.gateway.upload import ClientGone, Upload

SIZED = frozenset({b"content-length", b"content-encoding", b"accept-ranges", b"digest"})
NAMING_HOSTS = frozenset({"text/css", "text/javascript", "application/javascript", "application/x-javascript"})


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
        shown = self.document and is_whole(response.status, pairs)
        wanted = shown and (kind in RECORDED or may_be_sniffed(kind, pairs))
        if wanted or kind in RECORDED:
            pairs = with_vary(pairs)
        if wanted:
            self.seen.error = unseen(pairs, encoding if reader is None else "")
        elif shown and is_shown(kind) and is_page(self.pairs):
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
        if not injector.put and is_page(self.pairs):
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
