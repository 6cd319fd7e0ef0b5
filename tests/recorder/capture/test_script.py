"""The capture's script: rrweb's recorder with its hooks taken out, and refused where it is another one than we know."""

from __future__ import annotations

import pytest

from recorder.capture import script
from recorder.capture.package import RECORD, folder
from recorder.gateway.script import scripts


def test_rrweb_is_served_without_its_hooks() -> None:
    served = script.adapted((folder() / RECORD).read_text())
    for hook in ("window.MutationObserver", ".__sn", "n.addEventListener(e,t,r)", "sourceMappingURL"):
        assert hook not in served


def test_another_version_is_refused() -> None:
    with pytest.raises(RuntimeError, match="a version we do not know"):
        script.adapted((folder() / RECORD).read_text().replace("function P(e,t,n,r,o){", "function P(e){"))


def test_the_recorder_is_what_it_was() -> None:
    recorder = scripts().recorder.body
    assert b"rrweb" not in recorder
    assert b"/__footpath__/capture" not in recorder
    assert b"/__footpath__/capture" in script.script().body
