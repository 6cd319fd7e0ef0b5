"""Lists by the page, without counting what nobody pages through."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

LISTED = 2000  # rows that a list shows; filters lead to the others


def some(rows: QuerySet[Any]) -> str:
    """How many rows there are, looking at no more than LISTED of them: "12", "2,000 or more"."""
    number = rows.order_by().values("pk")[:LISTED].count()
    return f"{LISTED:,} or more" if number == LISTED else f"{number}"


class FirstRows(Paginator):  # type: ignore[type-arg]  # Django's own can't be subscripted
    """The first LISTED rows of a queryset by pages; `more` says whether there are others. Looks at no more rows than that."""

    object_list: QuerySet[Any]

    @cached_property
    def _there(self) -> int:
        return self.object_list.order_by().values("pk")[: LISTED + 1].count()

    @cached_property
    def count(self) -> int:
        return min(self._there, LISTED)

    def page(self, number: int | str) -> Page[Any]:
        """A page whose rows are found first and loaded then: what lists show beside a row is joined to these rows alone."""
        valid = self.validate_number(number)
        start = (valid - 1) * self.per_page
        end = min(start + self.per_page, self.count)
        found = list(self.object_list.values_list("pk", flat=True)[start:end])
        return Page(self.object_list.filter(pk__in=found), valid, self)

    @property
    def more(self) -> bool:
        return self._there > LISTED
