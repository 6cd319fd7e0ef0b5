"""Injection: first in the document, whatever the document looks like and however it is cut."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder.gateway.inject import Injector, Place, html_place, pushed_charset, xml_page_place, xml_place

TAG = "<script></script>"


def inject(document: bytes, *, cut: int | None = None, charset: str | None = None, find: Place | None = None) -> bytes:
    injector = Injector(TAG, charset=charset, find=find)
    pieces = [document] if cut is None else [document[i : i + cut] for i in range(0, len(document), cut)]
    return b"".join([*map(injector.feed, pieces), injector.end()])


HTML = {
    "plain": ("<!doctype html><html lang=en><head><title>T", "<!doctype html><html lang=en><head>|<title>T"),
    "no head": ("<!doctype html><html><body>x", "<!doctype html><html>|<body>x"),
    "no html": ("<!doctype html><p>x", "<!doctype html>|<p>x"),
    "text only": ("hello", "|hello"),
    "empty": ("", "|"),
    "blank": (" \n", "| \n"),
    "quirks": ("<html><head></head>", "<html><head>|</head>"),
    "comment first": (
        "<!-- a > b --><!DOCTYPE HTML>\n<HTML><HEAD >x",
        "<!-- a > b --><!DOCTYPE HTML>\n<HTML><HEAD >|x",
    ),
    "comment that looks like a head": ("<!doctype html><!--<head>--><head>x", "<!doctype html><!--<head>--><head>|x"),
    "old doctype": (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD" "x.dtd"><html>\n<head>',
        '<!DOCTYPE html PUBLIC "-//W3C//DTD" "x.dtd"><html>\n<head>|',
    ),
    "attribute with >": ("<html data-a='>' b=\"<head>\"><head>x", "<html data-a='>' b=\"<head>\"><head>|x"),
    "header is no head": ("<!doctype html><header>x", "<!doctype html>|<header>x"),
    "odd comments": ("<!--><!---><!-- x --!><p>", "<!--><!---><!-- x --!>|<p>"),
    "xml declaration in HTML": ("<?xml version='1.0'?><!doctype html><p>", "<?xml version='1.0'?><!doctype html>|<p>"),
    "unclosed comment": ("<!doctype html><!-- x", "<!doctype html>|<!-- x"),
    "only a doctype": ("<!doctype html>", "<!doctype html>|"),
    "text between": ("<html>text<head>", "<html>|text<head>"),
    "unquoted slash": ("<html a=b/><head/>x", "<html a=b/><head/>|x"),
    "frameset": ("<html><head><title>f</title></head><frameset>", "<html><head>|<title>f</title></head><frameset>"),
}


@pytest.mark.parametrize("name", HTML)
@pytest.mark.parametrize("cut", [None, 1, 3, 7])
def test_html(name: str, cut: int | None) -> None:
    document, want = HTML[name]
    assert inject(document.encode(), cut=cut).decode() == want.replace("|", TAG)


@pytest.mark.parametrize("cut", [None, 1, 2, 5])
def test_byte_order_marks_stay_first(cut: int | None) -> None:
    assert inject(codecs.BOM_UTF8 + b"<p>", cut=cut) == codecs.BOM_UTF8 + TAG.encode() + b"<p>"
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        got = inject(mark + "<!doctype html><html><head>é中😀".encode(name), cut=cut)
        assert got == mark + f"<!doctype html><html><head>{TAG}é中😀".encode(name)


def test_utf_16_told_by_the_header() -> None:
    assert inject("<head>ä".encode("utf-16-be"), charset="utf-16be") != b""
    assert inject("<head>ä".encode("utf-16-le"), charset="UTF-16").decode("utf-16-le") == f"<head>{TAG}ä"


@pytest.mark.parametrize("charset", ["iso-8859-1", "shift_jis", "windows-1251", "euc-kr", "gb18030"])
def test_other_charsets_stay_byte_for_byte(charset: str) -> None:
    rest = {"shift_jis": "日本", "euc-kr": "한국", "gb18030": "中文", "windows-1251": "Привет"}.get(
        charset, "café"
    ).encode(charset)
    assert inject(b"<html><head>" + rest, charset=charset) == b"<html><head>" + TAG.encode() + rest


XHTML = {
    "plain": (
        '<?xml version="1.0"?>\n<html xmlns="h"><head><title/>',
        '<?xml version="1.0"?>\n<html xmlns="h"><head>|<title/>',
    ),
    "no head": ('<html xmlns="h"><body/></html>', '<html xmlns="h">|<body/></html>'),
    "subset": ('<!DOCTYPE html [<!ENTITY a "]">\n]><html><head>', '<!DOCTYPE html [<!ENTITY a "]">\n]><html><head>|'),
    "prefixed": ("<h:html><h:head><x/>", "<h:html><h:head>|<x/>"),
    "empty head": ("<html><head/><body/>", "<html>|<head/><body/>"),
    "comment between": ("<html><!-- c --><head>x", "<html><!-- c --><head>|x"),
}


@pytest.mark.parametrize("name", XHTML)
@pytest.mark.parametrize("cut", [None, 1])
def test_xhtml(name: str, cut: int | None) -> None:
    document, want = XHTML[name]
    assert inject(document.encode(), cut=cut, find=xml_place).decode() == want.replace("|", TAG)


SVG = 'xmlns="http://www.w3.org/2000/svg"'
XML = {
    "svg": (
        f'<?xml version="1.0"?><!DOCTYPE svg><svg {SVG} width="9"><g/></svg>',
        f'<?xml version="1.0"?><!DOCTYPE svg><svg {SVG} width="9">|<g/></svg>',
    ),
    "prefixed": (f"<s:svg {SVG.replace('=', ':s=')}><s:g/>", f"<s:svg {SVG.replace('=', ':s=')}>|<s:g/>"),
    "page": ('<html xmlns="http://www.w3.org/1999/xhtml"><head/>', '<html xmlns="http://www.w3.org/1999/xhtml">|<head/>'),
    "empty": (f"<svg {SVG}/>", f"<svg {SVG}/>"),
    "data": ("<feed><title>x</title></feed>", "<feed><title>x</title></feed>"),
    "no XML": ("\x1f\x8b\x08", "\x1f\x8b\x08"),
}  # fmt: skip


@pytest.mark.parametrize("name", XML)
@pytest.mark.parametrize("cut", [None, 1])
def test_xml_that_browsers_show_as_a_page(name: str, cut: int | None) -> None:
    document, want = XML[name]
    assert inject(document.encode(), cut=cut, find=xml_page_place).decode() == want.replace("|", TAG)


@given(st.binary(max_size=200), st.integers(1, 20))
def test_any_bytes_come_out_whole_and_once(document: bytes, cut: int) -> None:
    for find in (html_place, xml_place, xml_page_place):
        got = inject(document, cut=cut, find=find)
        assert got.replace(TAG.encode(), b"", 1) == document or document.startswith(
            (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        )


@given(
    st.lists(
        st.sampled_from(["<!doctype html>", "<html>", "<head>", "<!--x-->", " ", "<p>", "x", "<html a='>'>", "<?p?>"]),
        max_size=8,
    )
)
def test_cutting_never_changes_the_place(parts: list[str]) -> None:
    document = "".join(parts).encode()
    whole = inject(document)
    assert all(inject(document, cut=cut) == whole for cut in (1, 2, 5))


def test_a_long_prologue_is_not_held_for_ever() -> None:
    injector = Injector(TAG)
    out = injector.feed(b"<!doctype html><!--" + b"x" * 2_000_000)
    assert out.startswith(b"<!doctype html>" + TAG.encode())


def test_a_prologue_is_passed_on_as_soon_as_the_place_is_known() -> None:
    injector = Injector(TAG)
    assert injector.feed(b"<!doctype html><html><he") == b""
    assert injector.feed(b"ad>") == b"<!doctype html><html><head>" + TAG.encode()
    assert html_place(b"<p>") == 0


def test_a_charset_pushed_out_of_sight_is_named() -> None:
    head = b"<head>" + TAG.encode() + b" " * 980 + b'<meta charset="euc-kr">'
    assert pushed_charset(head, len(TAG)) == "euc-kr"
    assert pushed_charset(b'<head><meta charset="euc-kr">', len(TAG)) is None
