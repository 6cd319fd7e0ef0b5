"""What can go wrong for a person in a study, each with a stable code and what to do next."""

from __future__ import annotations

from recorder.errors import FootpathError


class NotFound(FootpathError):
    """It does not exist, or is not this person's; the answer is the same for both."""

    def __init__(self) -> None:
        super().__init__("not_found", 404, "There is nothing here that you may see.")


class MovedOn(FootpathError):
    """The move was asked for from a state that is no longer the present one."""

    def __init__(self, what: str, wanted: str) -> None:
        super().__init__(
            "moved_on",
            409,
            f"This {what} has moved on meanwhile; reload the page to see where it stands.",
            wanted=wanted,
        )


class RoundAlreadyOpen(FootpathError):
    """The person has an open round already."""

    def __init__(self, round_id: int | None) -> None:
        super().__init__(
            "round_already_open", 409, "You have a round open already. Finish or abandon it first.", round=round_id
        )


class NotYet(FootpathError):
    """Something else must be done first."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, 409, message)


class OtherTab(FootpathError):
    """The round belongs to another tab."""

    def __init__(self) -> None:
        super().__init__("other_tab", 409, "This round is open in another tab. Take it over here to go on in this one.")


class BadInput(FootpathError):
    """A form or request that says something it cannot mean."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__("bad_input", 400, message, field=field)
