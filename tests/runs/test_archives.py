"""Archives nobody should trust: what leads out, what blows up, what is broken; each is named, and nothing of it is imported."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from tasks_admin.runs import archives
from tasks_admin.runs.archives import opened
from tasks_admin.runs.registry import find_format
from tasks_admin.runs.shape import BadRuns, Given, RunIn
from tests.runs import writing

ROW = json.dumps({"task": "a", "score": 1})


def zipped(path: Path, *members: tuple[str | ZipInfo, str]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name, text in members:
            packed.writestr(name, text)
    return path


def taped(path: Path, *members: tuple[str, str | Callable[[tarfile.TarInfo], None]]) -> Path:
    with tarfile.open(path, "w:gz") as tape:
        for name, made in members:
            member = tarfile.TarInfo(name)
            text = made.encode() if isinstance(made, str) else b""
            member.size = len(text)
            if not isinstance(made, str):
                made(member)
            tape.addfile(member, io.BytesIO(text))
    return path


def link(to: str, kind: bytes = tarfile.SYMTYPE) -> Callable[[tarfile.TarInfo], None]:
    def make(member: tarfile.TarInfo) -> None:
        member.type, member.linkname = kind, to

    return make


def refused(path: Path) -> str:
    with pytest.raises(BadRuns) as caught, opened(path):
        pytest.fail("it was opened")
    return caught.value.message


def names(path: Path) -> list[str]:
    with opened(path) as found:
        return sorted(str(one.relative_to(found.path)) for one in found.path.rglob("*") if one.is_file())


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_what_can_be_read_is_unpacked_and_gone_afterwards(tmp_path: Path, ending: str) -> None:
    members = (("r/a.jsonl", ROW), ("r/shot.png", "x"), ("r/run.pkl", "x"), (".hidden/b.jsonl", ROW), ("c.csv", "x"))
    path = (zipped if ending == "zip" else taped)(tmp_path / f"gpt-x.{ending}", *members)
    assert names(path) == ["c.csv", "r/a.jsonl"]
    with opened(path) as found:
        assert found.path.name == "gpt-x"
        runs = list(find_format(found.path / "r").read(found.path / "r", Given()))
        assert [run.task for run in runs if isinstance(run, RunIn)] == ["a"]
        place = found.path
    assert not place.exists()


@pytest.mark.parametrize(
    "name", ["../a.jsonl", "/etc/a.jsonl", "r/../../a.jsonl", "C:\\a.jsonl", "..\\a.jsonl", "\\\\h\\a.jsonl"]
)
def test_a_name_that_leads_out_refuses_the_whole(tmp_path: Path, name: str) -> None:
    assert "leads out of its folder" in refused(zipped(tmp_path / "a.zip", ("ok.jsonl", ROW), (name, ROW)))
    assert "leads out of its folder" in refused(taped(tmp_path / "a.tar.gz", ("ok.jsonl", ROW), (name, ROW)))


def test_links_and_devices_are_passed_over_and_told(tmp_path: Path) -> None:
    outside = tmp_path / "secret.jsonl"
    outside.write_text(ROW)
    path = taped(
        tmp_path / "a.tar.gz",
        ("ok.jsonl", ROW),
        ("sym.jsonl", link(str(outside))),
        ("hard.jsonl", link("ok.jsonl", tarfile.LNKTYPE)),
        ("fifo.jsonl", link("", tarfile.FIFOTYPE)),
    )
    symbolic = ZipInfo("sym.jsonl")
    symbolic.external_attr = 0o120777 << 16
    with opened(path) as found:
        assert [one.name for one in found.path.rglob("*")] == ["ok.jsonl"]
        assert {one.place: one.reason for one in found.passed_over} == {
            "sym.jsonl": "it is a link; links are not followed.",
            "hard.jsonl": "it is a link; links are not followed.",
            "fifo.jsonl": "it is no ordinary file.",
        }
    assert names(zipped(tmp_path / "a.zip", ("ok.jsonl", ROW), (symbolic, str(outside)))) == ["ok.jsonl"]


def test_a_folder_that_is_a_link_in_the_tape_leads_nowhere(tmp_path: Path) -> None:
    path = taped(tmp_path / "a.tar.gz", ("d", link(str(tmp_path))), ("d/evil.jsonl", ROW))
    assert names(path) == ["d/evil.jsonl"]
    assert not (tmp_path / "evil.jsonl").exists()


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_a_bomb_stops_while_it_is_written(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "FREE", 1024**2)
    path = (zipped if ending == "zip" else taped)(tmp_path / f"a.{ending}", ("a.json", "0" * 8 * 1024**2))
    assert path.stat().st_size < 20_000
    assert "unpacks to more than" in refused(path)


def test_a_bomb_in_what_nobody_reads_stops_a_tape_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "FREE", 1024**2)
    assert "unpacks to more than" in refused(taped(tmp_path / "a.tar.gz", ("a.png", "0" * 8 * 1024**2)))


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    assert "more than 3 files" in refused(zipped(tmp_path / "a.zip", *((f"{n}.json", "1") for n in range(4))))


def test_archives_inside_stay_closed(tmp_path: Path) -> None:
    with opened(zipped(tmp_path / "a.zip", ("in.zip", "x"), ("ok.jsonl", ROW))) as found:
        assert [one.place for one in found.passed_over] == ["in.zip"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_of_one_name_and_a_file_that_is_a_folder(tmp_path: Path) -> None:
    assert "twice" in refused(zipped(tmp_path / "a.zip", ("a.json", "1"), ("a.json", "2")))
    assert "twice, or as file and folder" in refused(
        zipped(tmp_path / "b.zip", ("a.json", "1"), ("a.json/b.json", "2"))
    )
    assert "more than 255 bytes" in refused(zipped(tmp_path / "c.zip", ("x" * 300 + ".json", "1")))


def test_half_an_archive_is_told(tmp_path: Path) -> None:
    whole = taped(tmp_path / "a.tar.gz", ("a.jsonl", "".join(f"{n * 7919}\n" for n in range(50_000))))
    half = tmp_path / "half.tar.gz"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    assert "half.tar.gz is no whole archive" in refused(half)
    broken = tmp_path / "broken.zip"
    packed = bytearray(zipped(tmp_path / "b.zip", ("a.jsonl", ROW * 50)).read_bytes())
    packed[45] ^= 0xFF
    broken.write_bytes(bytes(packed))
    assert "broken.zip is no whole archive" in refused(broken)


def test_an_encrypted_one_is_told(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "a.zip", ("a.jsonl", ROW)).read_bytes())
    data[6] |= 1  # the local header's flag, and the directory's
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(bytes(data))
    assert "is encrypted" in refused(tmp_path / "a.zip")


def test_a_plain_file_is_no_archive(tmp_path: Path) -> None:
    path = writing.lines(tmp_path / "a.jsonl", ROW)
    with opened(path) as found:
        assert found.path == path


def test_an_archives_folder_gives_no_model_away(tmp_path: Path) -> None:
    """OSWorld's model is the name of a folder: one of ours, where the archive was unpacked, must not be taken for it."""
    writing.osworld(tmp_path / "in" / "chrome" / "0a1b")
    path = tmp_path / "results.zip"
    with ZipFile(path, "w") as packed:
        for file in (tmp_path / "in" / "chrome" / "0a1b").iterdir():
            packed.write(file, f"0a1b/{file.name}")
    for _ in range(2):
        with opened(path) as found:
            (run,) = find_format(found.path).read(found.path, Given())
        assert isinstance(run, RunIn)
        assert (run.model, run.run_id) == (None, "results/0a1b")
