"""The script of a capture: a small one of ours, which is handed rrweb's recorder from its package and makes it once the page is there.

rrweb would put hooks into the page's built-ins (setters of fields, rules of style sheets, shadow roots) and notes on its nodes,
and an exception of its own would be the page's. So it is served with these places changed: each must be there as often as it
says, and a version in which one is not is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from recorder.capture.package import RECORD, folder
from recorder.gateway.script import FOLDER, PREFIX, Script, minified, named

CAPTURE = PREFIX + "capture"
PARTS = ("00-saved.js", "10-secrets.js")  # the recorder's own, above all its rule of what is secret
SEAMS: tuple[tuple[str, str, int], ...] = (  # what stands there, what is served instead, how often
    ("n.addEventListener(e,t,r)", "listen(n,e,t,r)", 1),
    ('e.addEventListener("load",', 'listen(e,"load",', 2),
    ("var a=window.MutationObserver||window.__rrMutationObserver,", "var a=Observer,", 1),
    ("i&&window[i]&&(a=window[i]);", "", 1),
    ("function P(e,t,n,r,o){", "function P(e,t,n,r,o){return()=>{};", 1),
    ("function z(e,t,n){", "function z(e,t,n){return()=>{};", 1),
    ("function(e,t){var n=e.styleSheetRuleCb,", "function(e,t){return()=>{};var n=e.styleSheetRuleCb,", 1),
    ("function(e,t){var n=e.styleDeclarationCb,", "function(e,t){return()=>{};var n=e.styleDeclarationCb,", 1),
    (".__sn", "[SN]", 14),
    ('"__sn"in', " SN in", 4),
    (".__ln", "[LN]", 11),
    ('"__ln"in', " LN in", 1),
)
GIVEN = "listen,Observer,setTimeout,clearTimeout,Date,console,SN,LN"


@lru_cache(maxsize=1)
def script() -> Script:
    """The file as it is on disk when first asked for."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in parts())
    ours = minified(f"(make=>{{\n{text}\n}})").strip().removesuffix(";")
    return named("c", f"({ours})({adapted((folder() / RECORD).read_text(encoding='utf-8'))});\n".encode())


def parts() -> list[Path]:
    """Ours in the order in which they are joined: what ends it in frames, the recorder's own parts, the rest."""
    top, *rest = sorted((FOLDER / "capture").glob("*.js"))
    return [top, *(FOLDER / name for name in PARTS), *rest]


def adapted(text: str) -> str:
    """rrweb's recorder as a function that makes it of what it is given. Raises RuntimeError for a version we do not know."""
    for there, instead, times in SEAMS:
        if text.count(there) != times:
            found = text.count(there)
            raise RuntimeError(f"rrweb's recorder has {there!r} {found} times, not {times}: a version we do not know.")
        text = text.replace(there, instead)
    text = re.sub(r"//# sourceMappingURL=.*", "", text)
    return f"({GIVEN})=>{{{text}\nreturn rrwebRecord}}"


def tag(*, xml: bool = False) -> str:
    """The element that follows the recorder's; it takes itself out as that one does."""
    served = script()
    namespace = ' xmlns="http://www.w3.org/1999/xhtml"' if xml else ""
    return f'<script{namespace} src="{served.path}" crossorigin="anonymous" integrity="{served.integrity}"></script>'
