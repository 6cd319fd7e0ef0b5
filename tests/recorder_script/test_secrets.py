"""Secrets that a page shows, names or repeats before the recorder met them: none leaves the page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy

TOGGLE = "<input id=w type=password> <button id=s type=button>Show</button> <input id=other>"
LATER = """<div id=d></div><script>
addEventListener("load", () => setTimeout(() => {
  d.innerHTML = TOGGLE;
  document.querySelector("#s").onclick = () => { document.querySelector("#w").type = "text"; };
}));</script>"""
SHADOW = """<div id=d></div><script>
const root = d.attachShadow({mode: "open"});
root.innerHTML = TOGGLE;
root.querySelector("#s").onclick = () => { root.querySelector("#w").type = "text"; };
</script>"""


@pytest.mark.parametrize("by", ["click", "Enter", "Control+k"])
@pytest.mark.parametrize("body", [LATER, SHADOW], ids=["later", "shadow"])
def test_a_password_shown_before_it_was_touched(
    shown: Any, page: Page, events: Any, toy: Toy, body: str, by: str
) -> None:
    shown(body.replace("TOGGLE", f"`{TOGGLE}`"))
    page.locator("#s").wait_for()
    if by == "Control+k":
        page.evaluate("""() => {
          const root = d.shadowRoot || document;
          root.querySelector("#other").onkeydown = (e) => { if (e.ctrlKey) root.querySelector("#w").type = "text"; };
        }""")
    if by == "click":
        page.locator("#s").click()
    else:
        page.evaluate("id => (d.shadowRoot || document).querySelector(id).focus()", "#s" if by == "Enter" else "#other")
        page.keyboard.press(by)
    assert page.locator("#w").get_attribute("type") == "text"
    page.locator("#w").click()
    page.keyboard.type("Zq7Xw9")
    page.locator("#other").click()
    inputs = events("input", least=6)
    assert [event["value"] for event in inputs] == [1, 2, 3, 4, 5, 6]
    everything = str(toy.lines) + str(toy.posts)
    assert "Zq" not in everything
    typed = [event for event in toy.of("keydown") if event["target"]["css"].endswith("#w")]
    assert [event["key"] for event in typed] == ["•"] * len(typed)
    assert len(typed) >= 6


SECRET = """otpCode OTPCode totp cardCvc cardCVV cc-number ccNumber verificationCode passcode passCode passWord userPin
pin-1 one-time-code new_password accessToken ssn securityAnswer seed_phrase motDePasse senha wachtwoord1 pass user_pass
userPass pw"""
BOX = "<label><input type=checkbox>Show password</label>"
PLAIN = """pinCode pin_code PINCode pincode shipping spinner code coupon-code couponCode cc-name account passenger tokens lesson
presenhas passes boarding_pass pwa"""
CALLED = (
    "<label>Password <small>required</small><input></label>",
    "<p id=told>New password</p><p id=more>At least 8 characters</p><input aria-labelledby=' more  told '>",
    "<input placeholder=token>",
    "<label>Enter the code we sent you<input></label>",
    "<input aria-label='Your 6-digit code'>",
    "<input placeholder='Social Security number (SSN)'>",
    "<label>Contraseña:<input></label>",
    "<label>Passwort (optional)<input></label>",
    "<label>Passwort eingeben<input></label>",
    "<input placeholder='Please enter your PIN here'>",
    "<label>Password must have 8 characters<input></label>",
    "<label>PW:<input></label>",
)
OPEN = (
    "<label>Search password protected pages<input></label>",
    "<label>Discount code<input></label>",
    "<label>PIN code of your town<input></label>",
    "<label>Boarding pass<input></label>",
    "<input aria-labelledby=' ' placeholder='What is a token worth?'>",
)


def test_fields_are_secret_by_their_names(shown: Any, page: Page, events: Any) -> None:
    names = [*SECRET.split(), *PLAIN.split()]
    shown("".join(f"<input {('id', 'name')[i % 2]}={name} class=i>" for i, name in enumerate(names)) + BOX)
    for i in range(len(names)):
        page.locator(".i").nth(i).focus()
        page.keyboard.type("k")
    values = [event["value"] for event in events("input", least=len(names))]
    assert [name for name, value in zip(names, values, strict=True) if value == 1] == SECRET.split()
    assert values.count("k") == len(PLAIN.split())
    page.locator("[type=checkbox]").click()
    assert [event["target"].get("secret") for event in events("change", least=len(names))][-1] is None


def test_fields_are_secret_by_their_labels(shown: Any, page: Page, events: Any) -> None:
    fields = [*CALLED, *OPEN]
    shown("".join(f"<div>{field}</div>" for field in fields))
    for field in page.locator("input").all():
        field.focus()
        page.keyboard.type("k")
    values = [event["value"] for event in events("input", least=len(fields))]
    assert [field for field, value in zip(fields, values, strict=True) if value == 1] == [*CALLED]
    assert values.count("k") == len(OPEN)


def test_an_answer_that_is_a_secret(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    answers = iter(["Tea", "Zq7Xw9", None])
    page.on("dialog", lambda dialog: dialog.dismiss() if (said := next(answers)) is None else dialog.accept(said))
    shown("""<button id=b>Ask</button><p id=p></p><script>b.onclick = () => {
      const asked = ["Your name?", "Please enter your password for ada", "Your PIN:"].map((text) => prompt(text));
      p.textContent = "You said " + asked;
    };</script>""")
    page.locator("#b").click()
    page.locator("#p").click()
    events("click", least=2)
    assert [event["answer"] for event in toy.of("dialog")] == ["Tea", "•••", None]
    everything = json.dumps(toy.lines + toy.posts)
    assert "Zq7" not in everything
    metas = [entry["meta"] for post in toy.posts for entry in post["docs"] if "meta" in entry]
    assert metas[-1]["secret"] > 0  # from then on the request log masks


MANY = """<input id=w type=password name=w><button id=clear>Clear</button><button id=echo>Echo</button><p id=p></p>
<input id=note><textarea id=area></textarea>
<span id=same><input type=password name=same></span><span id=like><input type=password></span><button id=swap>Show</button>
<x-field id=host></x-field><x-closed id=shut style="display:block"></x-closed>
<label>Your card number * <input id=card></label> <input id=code placeholder="Security code (3 digits)">
<input id=dots style="-webkit-text-security:disc">
<input id=late onfocus="this.style.webkitTextSecurity = 'disc'">
<div contenteditable role=textbox aria-label=Password id=free><p>New</p></div>
<div contenteditable id=dotted style="-webkit-text-security:disc"></div>
<label>Number <input id=number></label>
<script>
  let word = "";
  w.oninput = () => { if (w.value) word = w.value; };
  clear.onclick = () => { w.value = ""; };
  echo.onclick = () => {
    const coded = encodeURIComponent(word);
    p.textContent = "x".repeat(73) + " " + word;
    p.title = coded.replace(/%../g, (hex) => hex.toLowerCase()) + " " + JSON.stringify(word) + " " + btoa(word);
    history.pushState({}, "", "?other=" + coded.replace(/%20/g, "+") + "#/" + coded);
    document.title = "You typed " + word;
    confirm(word);
  };
  host.attachShadow({mode: "open"}).innerHTML = "<div><input id=deep type=password></div>";
  const inside = shut.attachShadow({mode: "closed"});
  inside.innerHTML = "<input type=password>";
  shut.onclick = () => inside.firstChild.focus();
  swap.onclick = () => {
    same.innerHTML = "<input name=same>";
    const value = like.firstChild.value;
    like.innerHTML = "<input>";
    like.firstChild.value = value;
    host.shadowRoot.querySelector("input").type = "text";
  };
</script>"""


PARTS = "Zq7 x+9 x%2b WnE3 Vk2 uJh Gg6 Bn8 Rf5 Yp3 Mx4 Dc1 Ke7 Lw8 Qz2 Ns9 Hb0 Tj6 Ij0 Ft5 Uy8"


def type_into(page: Page, selector: str, text: str) -> None:
    page.locator(selector).click()
    page.keyboard.type(text)


def test_nothing_of_a_secret_leaves_the_page(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    shown(MANY)
    type_into(page, "#w", 'Zq7 "x+9%41')
    page.locator("#clear").click()
    page.locator("#echo").click()
    page.locator("#p").click()
    page.evaluate("w.type = 'text'")
    type_into(page, "#w", "Vk2uJh4")
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+c")
    page.locator("#area").click()
    page.keyboard.type("so ")
    page.keyboard.press("Control+v")
    page.keyboard.type("!")
    type_into(page, "#like input", "Gg6tBn8")
    page.locator("#swap").click()
    type_into(page, "#same input", "Rf5wYp3")
    type_into(page, "#like input", "Mx4")
    type_into(page, "#deep", "Dc1oKe7")
    type_into(page, "#shut", "Lw8aQz2")
    type_into(page, "#card", "Ns9e")
    type_into(page, "#code", "Hb0")
    type_into(page, "#dots", "Tj6i")
    type_into(page, "#late", "Ij0a")
    type_into(page, "#free", "Ft5p")
    type_into(page, "#dotted", "Uy8r")
    page.locator("#free p").click()
    type_into(page, "#number", "4111 1111 1111 1111")
    page.locator("#note").click()
    page.locator("#p").click()
    events("click", least=19)
    everything = "\n".join(json.dumps(one, ensure_ascii=False) for one in toy.lines + toy.posts)
    assert [part for part in PARTS.split() if part in everything] == []
    assert not re.search(r"4111 ?1111 ?1111 ?1111", everything)
    typed = {event["key"] for event in toy.of("keydown") if event["target"]["css"] not in {"#area", "#number"}}
    assert typed == {"•", "Home", "ArrowRight", "Control", "c"}


CODED = """<input type=password id=w><button id=b>Tell</button><script>b.onclick = () => {
  const utf8 = (text) => String.fromCharCode(...new TextEncoder().encode(text)), {value} = w;
  const json = JSON.stringify({p: value});
  const coded = [utf8("ada:" + value), "u:" + value, json, utf8(" " + json + "..."), value].map(btoa);
  alert([value.toUpperCase(), value.toLowerCase(), ...coded, coded[0].replaceAll("+", "-").replaceAll("/", "_")].join(" "));
};</script>"""


def test_a_secret_in_another_case_and_within_base64(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    shown(CODED)
    type_into(page, "#w", 'Zq7"~~?>é9Éx')
    page.locator("#b").click()
    (told,) = [event["text"].split(" ") for event in events("dialog")]
    assert told[:2] == ["•••", "•••"]
    assert [text for text in told[2:] if not re.fullmatch(r"[\w+/-]{0,10}•••[\w+/-]{0,7}=*", text)] == []
    assert len(told) == 8


ECHO = "<p id=p></p><script>p.textContent = 'You typed ' + [...new URLSearchParams(location.search).values()]</script>"
GOING = {
    "a new tab": '<form action=/q target=_blank><input name="mein Wört!" type=password id=w></form>',
    "a frame": "<form action=/q target=f><input name=word type=password id=w></form><iframe name=f id=f></iframe>",
    "a script": "<input type=password id=w><script>w.onchange = () => { location = '/q?plain=' + w.value; }</script>",
}


@pytest.mark.parametrize("going", GOING)
def test_a_secret_in_the_address_of_the_next_page(shown: Any, page: Page, wait: Any, toy: Toy, going: str) -> None:
    shown(GOING[going], q=ECHO)
    type_into(page, "#w", "Zq7 Xw+9é")
    page.keyboard.press("Enter")
    asked = wait(lambda: [frame for one in page.context.pages for frame in one.frames if "/q?" in frame.url])
    asked[0].locator("#p").click()
    wait(lambda: [event for event in toy.of("click") if event["target"]["css"] == "#p"])
    everything = json.dumps(toy.lines + toy.posts, ensure_ascii=False)
    assert "/q?" in everything
    assert [part for part in ("Zq7", "Xw") if part in everything] == []


def test_a_secret_with_blanks_or_as_a_selector_has_it(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("""<input id=w type=password><button id=b>Go</button><script>
    w.onchange = () => {
      document.title = w.value;
      b.id = w.value.trim();
      b.textContent = w.value.split(/\\s+/).join(" ").trim() + " ";
    };</script>""")
    page.locator("#w").click()
    page.keyboard.type(" P@ss!  w0rd9 ")
    page.locator("button").click()
    page.locator("button").click()
    events("click", least=3)
    everything = str(toy.lines) + str(toy.posts)
    assert "w0rd" not in everything
    assert "P@ss" not in everything
    assert "P\\\\@ss" not in everything


def test_a_frame_of_another_website_sends_nothing_here(
    shown: Any, page: Page, events: Any, toy: Toy, wait: Wait
) -> None:
    shown(f"<iframe src=http://localhost:{toy.port}/p sandbox></iframe><button>Go</button>")
    assert [event["reason"] for event in events("blind")] == ["frame without scripts"]
    page.locator("button").click()
    events("click")
    page.evaluate("history.pushState(0, '', '#a')")  # which is told in a header
    wait(
        lambda: any(entry.get("meta", {}).get("url", "").endswith("#a") for post in toy.posts for entry in post["docs"])
    )
    assert not any(entry.get("meta", {}).get("secret") for post in toy.posts for entry in post["docs"])


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ("<iframe src=/inner sandbox=allow-forms></iframe>", "frame without scripts"),
        ("<iframe srcdoc='<input>' sandbox></iframe>", "frame without scripts"),
        ('<iframe src="data:text/html,<input>"></iframe>', "cross-origin frame"),
    ],
)
def test_what_no_recorder_sees_is_told_and_vouched_for_by_nobody(
    shown: Any, events: Any, toy: Toy, wait: Wait, frame: str, reason: str
) -> None:
    shown(frame, inner="<form><input name=w type=password></form>")
    assert [event["reason"] for event in events("blind")] == [reason]
    if reason == "frame without scripts":
        wait(lambda: any(entry.get("meta", {}).get("secret") for post in toy.posts for entry in post["docs"]))


@pytest.mark.parametrize(
    "opened", ["open('')", "open()", "open('about:blank')", "open(window.URL.createObjectURL(new Blob(['x'])))"]
)
def test_a_window_without_an_address_is_told(
    shown: Any, page: Page, events: Any, toy: Toy, wait: Wait, opened: str
) -> None:
    shown(f'<button id=b onclick="window.{opened}">Open</button>')
    with page.expect_popup():
        page.locator("#b").click()
    assert [(event["reason"], event["origin"]) for event in events("blind")] == [("window without an address", "page")]
    wait(lambda: any(entry.get("meta", {}).get("secret") for post in toy.posts for entry in post["docs"]))


def test_addresses_without_tokens(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("<p>x</p>")
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"
    page.evaluate(
        f"history.pushState(0, '', '?jwt=a1b2&sid=c3d4&auth=e5f6&X-Signature=a7b8&reset={token}&author=Ada&page=2')"
    )
    url = events("navigate", least=2)[-1]["url"]
    assert url.endswith("?jwt=•&sid=•&auth=•&X-Signature=•&reset=•&author=Ada&page=2")
