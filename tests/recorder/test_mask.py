"""What the request log keeps holds no secrets."""

from __future__ import annotations

import json

from recorder.gateway.mask import is_secret, mask_json, mask_path

SECRET = """password passwd newPassword user_password pwd token access_token csrfToken Authorization apiKey api-key
client_secret cvv cardNumber card_number otp sessionId session otpCode OTPCode totp cardCvc
cc-number ccNumber verificationCode passcode passCode passWord userPin"""
PLAIN = "name author compass passenger_count quantity code pinned opinion card pinCode pin_code shipping coupon-code couponCode"


def test_secret_names() -> None:
    assert [name for name in SECRET.split() if not is_secret(name)] == []


def test_names_that_are_none() -> None:
    assert [name for name in PLAIN.split() if is_secret(name)] == []


def test_json_is_masked_at_every_depth() -> None:
    body = {
        "user": {"name": "Ada", "password": "x", "cards": [{"n": "4111 1111 1111 1111"}]},
        "n": 4111111111111111,
        "order": 1234567890123,
    }
    masked = json.loads(mask_json(json.dumps(body).encode()))
    assert masked == {
        "user": {"name": "Ada", "password": "***", "cards": [{"n": "***"}]},
        "n": "***",
        "order": 1234567890123,
    }


def test_bearer_tokens_within_text() -> None:
    assert "abcdef" not in mask_json(b'{"note": "use Bearer abcdefgh1234"}')


def test_what_is_no_json_is_not_kept() -> None:
    assert mask_json(b"password=1") == ""
    assert mask_json(b"\xff") == ""


def test_nul_is_storable() -> None:
    assert "\x00" not in mask_json(b'{"a": "\\u0000"}')
    assert "\\u0000" not in mask_json(b'{"a": "\\u0000"}')


def test_query_strings() -> None:
    assert mask_path("/a?q=tea&token=abc&x") == "/a?q=tea&token=***&x"
    assert mask_path("/pay?n=4111111111111111") == "/pay?n=***"
    assert mask_path("/a%20b") == "/a%20b"


def test_what_could_be_a_secret_is_masked_closely() -> None:
    body = {"word": "Tr0ub4dor", "pin": 4821, "n": 12, "ok": True, "none": None, "in": ["", 1.5, "x"], "Tr0ub4dor": {}}
    assert json.loads(mask_json(json.dumps(body).encode(), closely=True)) == {
        "word": "***",
        "pin": "***",
        "n": 12,
        "ok": True,
        "none": None,
        "in": ["", 1.5, "***"],
        "***": {},
    }
    assert mask_path("/api/v1/items/12?word=Tr0ub4dor&empty=&Tr0ub4dor", closely=True) == (
        "/api/v1/items/12?word=***&empty=&***"
    )
    assert mask_path("/check/994411/Tr0ub%34dor/p%21%21x/page.html", closely=True) == "/check/***/***/***/page.html"


def test_a_secret_of_letters_alone_is_masked_closely() -> None:
    body = b'{"SwordfishOcean": 1, "swordfish": {"createdAt": 1, "order_items": []}, "user-names": 2}'
    assert json.loads(mask_json(body, closely=True)) == {
        "***": {"createdAt": 1, "order_items": []},
        "user-names": 2,
    }
    assert mask_path("/api/users/SwordfishOcean/sword-fish?swordfish=1&sortBy=x", closely=True) == (
        "/api/users/***/***?***=***&sortBy=***"
    )
    assert mask_path("/new-products/swordfish") == "/new-products/swordfish"
