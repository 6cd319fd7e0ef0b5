"""The benchmark server: ``python -m tasks_admin.benchmark.server --port 9000 --data DIR``.

Listens on one port for the control API and on one for each site: the control port plus 1, 2, … unless ``--ports
shop=9101,miniwob=9102`` says otherwise; port 0 takes free ones. The token for the control API comes from
FOOTPATH_BENCHMARK_TOKEN. Once all ports listen, one line of JSON goes to standard output: {"control": url, "sites":
{name: origin}}. SIGINT and SIGTERM end it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import web

from tasks_admin.benchmark.control import Control
from tasks_admin.benchmark.engine.sessions import Store
from tasks_admin.benchmark.sites import SITES, find_variant

TOKEN = "FOOTPATH_BENCHMARK_TOKEN"  # noqa: S105 (the name of a variable)


class Server:
    """The control API and all sites, on one event loop."""

    def __init__(self, data: Path, token: str, host: str = "127.0.0.1") -> None:
        self.host = host
        self.store = Store(data, find_variant)
        self.control = Control(SITES, self.store, token)
        self.url = ""
        self._stack = AsyncExitStack()

    async def start(self, port: int = 0, ports: Mapping[str, int] | None = None) -> None:
        """Listen. Raises OSError if a port is taken."""
        for number, (name, site) in enumerate(SITES.items(), start=1):
            wanted = (ports or {}).get(name, port + number if port else 0)
            self.control.origins[name] = await self._listen(site.app(self.store), wanted)
        self.url = await self._listen(self.control.app(), port)

    async def stop(self) -> None:
        """End all listeners; open requests are given a moment."""
        await self._stack.aclose()

    async def _listen(self, app: web.Application, port: int) -> str:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=2)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, self.host, port)
        await site.start()
        return f"http://{self.host}:{runner.addresses[0][1]}"


def parse_ports(text: str) -> dict[str, int]:
    """``shop=1,miniwob=2`` as a dict. Raises ValueError."""
    pairs = [part.partition("=") for part in text.split(",") if part]
    unknown = [name for name, _, _ in pairs if name not in SITES]
    if unknown:
        raise ValueError(f"no such site: {', '.join(unknown)}")
    return {name: int(port) for name, _, port in pairs}


async def serve(options: argparse.Namespace, token: str) -> None:
    """Serve until a signal comes."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = Server(options.data, token, options.host)
    await server.start(options.port, options.ports)
    ready = {"control": server.url, "sites": server.control.origins}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()
    await stop.wait()
    await server.stop()


def main(arguments: list[str] | None = None) -> int:
    """Run the server; the exit status."""
    parser = argparse.ArgumentParser(prog="tasks_admin.benchmark.server", description="Serve the bundled benchmark.")
    parser.add_argument("--port", type=int, default=9000, help="of the control API; 0 takes free ports")
    parser.add_argument("--ports", type=parse_ports, default={}, help="of the sites: shop=9001,miniwob=9002")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--data", type=Path, required=True, help="folder for the sessions")
    options = parser.parse_args(arguments)
    token = os.environ.get(TOKEN, "")
    if not token:
        parser.error(f"{TOKEN} is not set")
    try:
        asyncio.run(serve(options, token))
    except OSError as error:
        sys.stderr.write(f"The benchmark server cannot listen: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
