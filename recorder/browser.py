"""Which Chromium to drive, and how to start it. Run as a script with --ensure it installs one where it may."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
REMEDY = (
    "no Chromium was found. Install one (Debian: apt-get install chromium), run "
    "'.venv/bin/python -m playwright install chromium', or set FOOTPATH_CHROMIUM=/path/to/chromium"
)

# Pages of the browser's own window that a new tab of a recent Chromium loads beside the page: two thirds of what a context costs.
OWN_POPUPS = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI")
# A page that no gateway carries says farewell to a server of ours on loopback, for which a page from the internet would have to ask.
ASKING = ("LocalNetworkAccessChecks",)
# Of two such flags the last one wins, so what Playwright switches off is switched off here too; a test holds the two together.
PLAYWRIGHTS = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
    "msForceBrowserSignIn", "msEdgeUpdateLaunchServicesPreferredVersion",
)  # fmt: skip


def find_chromium() -> str | None:
    """Path of the Chromium to use: FOOTPATH_CHROMIUM, the system's, then Playwright's own; None where there is none."""
    told = os.environ.get("FOOTPATH_CHROMIUM")
    if told:
        return told if Path(told).exists() else None
    for name in NAMES:
        if path := shutil.which(name):
            return path
    return _playwrights_own()


def _playwrights_own() -> str | None:
    root = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(root.glob("chromium-*/chrome-linux*/chrome"))
    return str(found[-1]) if found else None


def launch_options(*, headless: bool = True) -> dict[str, object]:
    """Keyword arguments for Playwright's `chromium.launch`. Raises RuntimeError with the remedy where there is no Chromium."""
    path = find_chromium()
    if path is None:
        raise RuntimeError(REMEDY)
    args = ["--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync"]
    args.append(f"--disable-features={','.join((*PLAYWRIGHTS, *OWN_POPUPS, *ASKING))}")
    if os.geteuid() == 0:
        args.append("--no-sandbox")  # Chromium refuses its sandbox as root
    return {"executable_path": path, "headless": headless, "args": args}


def ensure_chromium() -> str:
    """Path of a Chromium, after trying Playwright's download and, as root on Debian, the package. Raises RuntimeError."""
    for attempt in (None, _install_playwrights, _install_debians):
        if attempt is not None:
            attempt()
        if path := find_chromium():
            return path
    raise RuntimeError(REMEDY)


def _install_playwrights() -> None:
    print("footpath: no Chromium here; trying Playwright's own …", flush=True)
    _try([sys.executable, "-m", "playwright", "install", "chromium"])


def _install_debians() -> None:
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return
    print("footpath: installing Debian's chromium package …", flush=True)
    _try([apt, "update", "-qq"])
    _try([apt, "install", "-y", "-qq", "chromium"])


def _try(command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if result.returncode:
        lines = (result.stderr or result.stdout).strip().splitlines()
        print(f"  that did not work: {lines[-1] if lines else result.returncode}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ensure", action="store_true", help="install one where it may, if none is there")
    try:
        found = ensure_chromium() if parser.parse_args().ensure else find_chromium()
    except RuntimeError as error:
        sys.exit(f"footpath: {error}")
    if found is None:
        sys.exit(f"footpath: {REMEDY}")
