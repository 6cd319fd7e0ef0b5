"""What the manifest tells in words: the rule by which references were chosen, and what is withheld."""

from __future__ import annotations

from typing import Any

from annotate.references import Policy
from tasks_admin.exports.choice import Choice

KEPT = (
    "addresses of pages, with the host and port under which the installation served the recordings, titles of pages, and the user "
    "agent of each browser, which tells its version and operating system: traces are proven against them. A mask covers them, too"
)


def withheld(choice: Choice) -> list[str]:
    """What is not in the bundle, in words."""
    return [
        "account data",
        "internet addresses of people",
        "comments and reasons that nobody has cleared",
        "screenshots that nobody has cleared" if choice.screenshots else "screenshots",
        "captures of pages that nobody has cleared" if choice.captures else "captures of pages",
    ]


def policy_entry(policy: Policy) -> dict[str, Any]:
    """The reference policy as the manifest has it: enough to choose anew from the tables."""
    always = "passed, proof complete, newest replay verified, no flag that a review has not accepted; no practice; complete rounds only"
    return {
        "name": policy.name,
        "rule": policy.words,
        "always": always,
        "kinds": list(policy.kinds),
        "order": list(policy.order),
    }
