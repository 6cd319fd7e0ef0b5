"""The one way in which labels that others gave are written, whether a file of labels or a file of runs brought them."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from annotate.models import Person, Round, Study
from recorder.wire import storable
from tasks_admin.models import ImportedLabel, LabelImport
from tasks_admin.runs.shape import LabelIn, Refusals, Rejected

BATCH = 2000
LONGEST_REASON = 5000
Of = Literal["run", "attempt"]
Key = tuple[str, Of, int]  # judge, of what, its primary key


class Keeper:
    """Takes labels in, each once. Within a transaction that holds the study's row: two imports of the same labels must not meet."""

    def __init__(self, study: Study, actor: Person | None, name: str) -> None:
        self.study = study
        self.source = LabelImport.objects.create(study=study, actor=actor, name=storable(name)[:200])
        self.taken = self.same = 0
        self.rejected = Refusals()
        self.judges: Counter[str] = Counter()  # labels taken, by judge
        self.there: dict[Key, str] = {}
        for one in study.imported_labels.only("judge", "run", "attempt", "word").iterator(chunk_size=BATCH):
            key: Key = (one.judge, "run", one.run_id) if one.run_id else (one.judge, "attempt", one.attempt_id or 0)
            self.there[key] = one.word
        self.batch: list[ImportedLabel] = []

    def take(self, place: str, of: Of, pk: int, label: LabelIn) -> None:
        """Take one label in; another word of the same judge on the same thing is rejected."""
        key: Key = (label.judge, of, pk)
        before = self.there.get(key)
        if before is None:
            self.there[key] = label.word
            self.taken += 1
            self.judges[label.judge] += 1
            self.add(of, pk, label)
        elif before == label.word:
            self.same += 1
        else:
            self.rejected.add(Rejected(place, f"{label.judge} is there already with another label of it ({before})."))

    def add(self, of: Of, pk: int, label: LabelIn) -> None:
        target = {"run_id": pk} if of == "run" else {"attempt_id": pk}
        reason = storable(label.reason[:LONGEST_REASON])
        row = ImportedLabel(study=self.study, source=self.source, judge=label.judge, by=label.by, word=label.word,
                            reason=reason, **target)  # fmt: skip
        self.batch.append(row)
        if len(self.batch) == BATCH:
            self.flush()

    def flush(self) -> None:
        ImportedLabel.objects.bulk_create(self.batch)
        self.batch = []

    def close(self) -> None:
        """Write what is left, and what the import came to; one that brought nothing leaves nothing."""
        self.flush()
        if not self.taken:
            self.source.delete()
            return
        source = self.source
        source.taken, source.same, source.rejected = self.taken, self.same, self.rejected.count
        source.reasons = self.rejected.rows()
        source.save(update_fields=["taken", "same", "rejected", "reasons"])


def forget_removed() -> int:
    """Delete what was said of attempts whose person took their data back: reasons tell what was done. How many labels there were."""
    return ImportedLabel.objects.filter(attempt__round__set_aside=Round.SetAside.REMOVED).delete()[0]
