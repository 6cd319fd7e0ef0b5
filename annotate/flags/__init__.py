"""Rules that flag a round or an attempt by themselves, and from what its annotator said. `annotate.actions.flagging` applies them."""

from annotate.flags import acts, environment, others, ratings, recording
from annotate.flags.registry import RULES, Rule, limits_of

__all__ = ["RULES", "Rule", "acts", "environment", "limits_of", "others", "ratings", "recording"]
