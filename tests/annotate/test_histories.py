"""Random histories of clicks, closings, crashes, retries, sweeps, take-overs, returns and withdrawals keep every invariant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from annotate import queries, sweeps, tasks
from annotate.actions import leaving, rounds
from annotate.actions.assignments import end_stuck_round, return_assignment, withdraw_assignment
from annotate.models import Assignment, Attempt, Participation, Person, Presence, Probe, Round
from recorder.errors import FootpathError
from recorder.models import Document, Recording
from tests.annotate.invariants import broken
from tests.annotate.test_rounds import record
from tests.cast import Cast, add_people, make_study, person

LONG = timedelta(minutes=10)
NUMBERS = count(1)
WHO = st.sampled_from(["a", "b"])
FIRST = st.booleans()
MANY = 200  # histories from which on every end of a round should have been met


@contextmanager
def refused() -> Iterator[None]:
    """An act may be refused with a sentence, and with nothing else."""
    with suppress(FootpathError):
        yield


class History(RuleBasedStateMachine):
    """Two annotators with an assignment each in a study of their own, their lead, the worker and the clock.

    No rule has a precondition: what is drawn must not depend on what the database answered.
    """

    cast: Cast

    def __init__(self) -> None:
        super().__init__()
        number = next(NUMBERS)
        self.lead = person(f"lead{number}")
        self.people = {name: person(f"{name}{number}") for name in ("a", "b")}
        self.study = make_study(f"study-{number}", self.lead)
        add_people(self.study, {"P1": self.people["a"], "P2": self.people["b"]})
        self.work, self.toy = self.cast.work, self.cast.toy
        self.work.queue.clear()
        self.toy.down = self.toy.forgets = False
        self.stale: dict[str, Round] = {}
        Probe.objects.all().delete()  # what an earlier history saw of the website is not this one's
        server_up()

    # What people do, in a page that may have been loaded long ago

    def round_of(self, who: str, fresh: bool) -> Round | None:
        newest = Round.objects.filter(participation__person=self.people[who]).order_by("-pk")
        found = newest.select_related("participation__study", "assignment__task_condition").first()
        if found is None:
            return None
        known = self.stale.setdefault(who, found)
        if fresh:
            self.stale[who] = found
        return found if fresh else known

    def act(self, who: str, fresh: bool, act: Callable[[Round, Person], object]) -> None:
        round_ = self.round_of(who, fresh)
        if round_ is not None:
            with refused():
                act(round_, self.people[who])

    def assignment_of(self, who: str) -> Assignment:
        return Assignment.objects.select_related("participation__study", "participation__person").get(
            participation__person=self.people[who]
        )

    @rule(who=WHO)
    def start(self, who: str) -> None:
        with refused():
            rounds.open_round(self.people[who], self.assignment_of(who))

    @rule(who=WHO, fresh=FIRST)
    def start_clock(self, who: str, fresh: bool) -> None:
        self.act(who, fresh, rounds.start_attempt)

    @rule(who=WHO)
    def click_in_the_website(self, who: str) -> None:
        open_ = Recording.objects.filter(
            attempt__round__person=self.people[who], state="open", started_at__isnull=False
        )
        for recording in open_.filter(documents=None):
            record(recording, "click", "click")

    @rule(who=WHO, fresh=FIRST)
    def evaluate(self, who: str, fresh: bool) -> None:
        self.act(who, fresh, lambda round_, person: rounds.press_evaluate(round_))

    @rule(who=WHO, fresh=FIRST)
    def go_on_with_warm(self, who: str, fresh: bool) -> None:
        self.act(who, fresh, lambda round_, person: rounds.begin_warm(round_))

    @rule(who=WHO, fresh=FIRST)
    def abandon(self, who: str, fresh: bool) -> None:
        self.act(who, fresh, lambda round_, person: rounds.abandon(round_, person, "enough"))

    @rule(who=WHO, tab=st.sampled_from(["one", "two"]), take_over=st.booleans())
    def claim(self, who: str, tab: str, take_over: bool) -> None:
        self.act(who, True, lambda round_, person: rounds.claim_tab(round_, tab, take_over=take_over))

    @rule(who=WHO, fresh=FIRST)
    def rate(self, who: str, fresh: bool) -> None:
        self.act(who, fresh, lambda round_, person: rounds.rate(round_, {"clarity": 4}, ""))

    @rule(who=WHO)
    def do_an_attempt(self, who: str) -> None:
        """All of it at once, so that histories get far; so does the next one."""
        self.start_clock(who, True)
        self.click_in_the_website(who)
        self.evaluate(who, True)
        self.worker()
        self.go_on_with_warm(who, True)
        self.worker()

    @rule(who=WHO)
    def do_what_is_left_of_a_round(self, who: str) -> None:
        self.start(who)
        self.worker()
        self.do_an_attempt(who)
        self.do_an_attempt(who)

    # The worker, the website, the clock

    @rule()
    def worker(self) -> None:
        self.work.run()

    @rule(twice=st.booleans())
    def worker_stops(self, twice: bool) -> None:
        """What it had in hand is lost, or is delivered twice."""
        queued, self.work.queue[:] = list(self.work.queue), []
        if twice:
            self.work.queue += queued * 2

    @rule()
    def stuck_work_is_taken_up(self) -> None:
        past = timezone.now() - LONG
        mine = Attempt.objects.filter(round__participation__study=self.study, round__state__in=Round.OPEN)
        mine.filter(recording=None).update(created_at=past)
        for name, pk in sweeps.stuck_attempts():
            getattr(tasks, "prepare_attempt" if name == "prepare" else "finish_attempt")(pk)

    @rule(now=st.sampled_from(["fine", "fine", "down", "forgets"]))
    def website(self, now: str) -> None:
        self.toy.down, self.toy.forgets = now == "down", now == "forgets"
        Probe.objects.all().delete()

    @rule(who=WHO)
    def sweep_while_the_server_was_away(self, who: str) -> None:
        Round.objects.filter(person=self.people[who], ended_at=None).update(control_seen_at=timezone.now() - LONG)
        server_up(away=True)
        assert sweeps.end_lost_rounds() == []
        server_up()

    @rule(who=WHO, control=st.booleans())
    def close_a_tab_and_sweep(self, who: str, control: bool) -> None:
        past = timezone.now() - LONG
        mine = Round.objects.filter(person=self.people[who], state__in=Round.OPEN)
        if control:
            mine.update(control_seen_at=past)
        else:
            Document.objects.filter(recording__attempt__round__in=mine).update(seen_at=past)
        server_up()
        sweeps.end_lost_rounds()

    # What leads do, and leaving

    @rule(who=WHO)
    def lead_returns(self, who: str) -> None:
        with refused():
            return_assignment(self.assignment_of(who), self.lead, "again")

    @rule(who=WHO)
    def lead_ends_the_round(self, who: str) -> None:
        self.act(who, True, lambda round_, person: end_stuck_round(round_, self.lead, "stuck"))

    @rule(who=WHO)
    def lead_withdraws(self, who: str) -> None:
        with refused():
            withdraw_assignment(self.assignment_of(who), self.lead, "broken")

    @rule(who=WHO)
    def leave_or_come_back(self, who: str) -> None:
        part = Participation.objects.select_related("study", "person").get(person=self.people[who], study=self.study)
        standing = part.withdrawals.filter(taken_back_at=None).first()
        if standing:
            leaving.take_back(standing)
        else:
            leaving.ask_to_leave(part, "keep_data")

    def teardown(self) -> None:
        """Leave no open round behind: the sweeps of the histories to come would look at it each time."""
        now = timezone.now()
        Round.objects.filter(participation__study=self.study, ended_at=None).update(state="void", ended_at=now)

    @invariant()
    def all_is_well(self) -> None:
        assert broken(self.study) == []
        for who in self.people.values():
            standing = queries.open_round_of(who)
            assert standing is None or standing.assignment.state == "in_round"


def server_up(*, away: bool = False) -> None:
    now = timezone.now()
    seen = now - LONG if away else now
    Presence.objects.update_or_create(pk=1, defaults={"up_since": now - 6 * LONG, "seen_at": seen})


def test_histories_keep_every_invariant(cast: Cast, pytestconfig: pytest.Config) -> None:
    """20 short ones, the same in each run; `--histories 500` tells 500 long ones, others each time."""
    examples = pytestconfig.getoption("histories")
    History.cast = cast
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=examples or 20,
            derandomize=not examples,
            stateful_step_count=30 if examples else 15,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    if examples >= MANY:
        assert reached() >= {"rolled_back", "abandoned", "void", "complete", "superseded", "withdrawn"}


def reached() -> set[str]:
    """The states that rounds of these histories ended in: what they never reach they do not prove."""
    return {word for row in Round.objects.values_list("state", "set_aside") for word in row}
