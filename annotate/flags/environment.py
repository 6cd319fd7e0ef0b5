"""The rule about faults of the website."""

from __future__ import annotations

from collections import Counter

from annotate.flags.facts import Facts
from annotate.flags.recording import seconds
from annotate.flags.registry import Limits, rule
from recorder.models import SiteRequest

FAILING_BY_DESIGN = ("network", "server")


@rule(least_failures=1)
def environment_error(facts: Facts, limits: Limits) -> str:
    """The website failed during the attempt: it answered with a fault of its own, or not at all.

    Under an intervention of the network or the server, faults that the website answers with are part of the design; only a
    reply that never came is told of then.
    """
    variant = facts.condition.variant
    designed = variant is not None and variant.layer in FAILING_BY_DESIGN
    failed = [request for request in facts.failed_requests if not (designed and request.status)]
    if not failed or len(failed) < limits["least_failures"]:
        return ""
    kinds = Counter(request.status for request in failed)
    told = ", ".join(f"{count} × {status or 'no answer'}" for status, count in sorted(kinds.items()))
    return f"{told}; the first at {seconds(failed[0].t)}: {named(failed[0])}."


def named(request: SiteRequest) -> str:
    path = request.path.partition("?")[0]
    return f"{request.method} {path if len(path) <= 80 else path[:77] + '…'}"
