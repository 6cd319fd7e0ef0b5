"""Secrets that a page shows, names or repeats before the recorder met them: none leaves the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

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
pin-1 one-time-code new_password"""
PLAIN = "pinCode pin_code PINCode pincode shipping spinner code coupon-code couponCode cc-name account passenger"


def test_fields_are_secret_by_their_names(shown: Any, page: Page, events: Any) -> None:
    names = [*SECRET.split(), *PLAIN.split()]
    shown("".join(f"<input {('id', 'name')[i % 2]}={name} class=i>" for i, name in enumerate(names)))
    for i in range(len(names)):
        page.locator(".i").nth(i).focus()
        page.keyboard.type("k")
    values = [event["value"] for event in events("input", least=len(names))]
    assert [name for name, value in zip(names, values, strict=True) if value == 1] == SECRET.split()
    assert values.count("k") == len(PLAIN.split())
