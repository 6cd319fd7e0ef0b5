"""What a lead says of an attempt that no checker could judge. The annotator's word stays; the lead's last one counts."""

from __future__ import annotations

from django.db import transaction

from annotate import jobs
from annotate.actions import audit
from annotate.errors import NotYet
from annotate.models import Attempt, Judgement, Person


def judge(attempt: Attempt, lead: Person, *, passed: bool, note: str = "") -> Judgement:
    """Note the word, and make it the attempt's verdict. Raises NotYet for attempts that are judged otherwise, or not over."""
    if not attempt.asks or attempt.evaluated_at is None:
        raise NotYet("not_to_be_judged", "This attempt is not one that a lead judges.")
    with transaction.atomic():
        # The race: two leads at once. Each word is kept; the row's lock makes the later one count.
        locked = Attempt.objects.select_for_update().get(pk=attempt.pk)
        made = Judgement.objects.create(attempt=locked, lead=lead, passed=passed, note=note.strip())
        score = float(passed)
        verdict = {**(locked.verdict or {}), "score": score, "passed": passed, "source": "lead"}
        Attempt.objects.filter(pk=locked.pk).update(score=score, passed=passed, verdict=verdict)
        before, after = {"passed": locked.passed, "score": locked.score}, {"passed": passed, "score": score}
        study = attempt.round.participation.study
        audit.note(study, lead, "judge", f"attempt {attempt.pk}", why=note.strip(), before=before, after=after)
        jobs.flag_round(attempt.round_id, "judgement")
    return made
