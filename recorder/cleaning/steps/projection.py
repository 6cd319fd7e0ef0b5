"""What is known of a recording while it is projected: gestures so far, tabs, and what the raw events before them say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from recorder.cleaning.gestures import Gesture, acts_of, gesture
from recorder.cleaning.order import Event, is_user

Handler = Callable[["Projection", Event], None]
TWIN_MS = 50  # two events of one press of the button come closer than any two presses
KEY_EFFECT_MS = 1000  # a click or clipboard event that a key caused
# The input that pasting, cutting or dropping makes by itself.
MOVED_TEXT = frozenset(
    {"insertFromPaste", "insertFromPasteAsQuotation", "insertFromDrop", "deleteByCut", "deleteByDrag"}
)
LOOKBACK = 256  # gestures that a later one may still take back or join


class Projection:
    """The gestures so far, and what of the raw events before them matters. `handlers`: what becomes of a cleaned event, by type."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self.handlers = handlers
        self.gestures: list[Gesture] = []
        self.filled: set[object] = set()  # text elements whose text some step already accounts for
        self.closed: dict[int, int] = {}  # tab: where in the raw list it closed
        self.first_seen: dict[int, float] = {}
        self.first_load = -1  # where the recording's first page came up: the environment's doing, not a step
        self.seen = 0  # raw events
        self.last_other = -1  # the last user event that is no text moved by a paste, a cut or a drop
        self.last_own = -1  # the last user event that is no text which the page changed by itself
        self.signs: dict[int, tuple[int, Event]] = {}  # tab: its first event since the last gesture ended

    def take_up(self, events: Iterable[Event], cleaned: Event) -> Iterator[Event]:
        """Go on with raw `events` up to the end of `cleaned`, then with that itself; steps that nothing can change any more."""
        for event in events:
            self.look_at(event)
        ended = self.last.raw[1] if self.last else -1
        if is_user(cleaned) and (handle := self.handlers.get(cleaned["type"])):
            handle(self, cleaned)
        if self.last and self.last.raw[1] > ended:
            self.signs.clear()
        if len(self.gestures) > 2 * LOOKBACK:
            settled, self.gestures = self.gestures[:-LOOKBACK], self.gestures[-LOOKBACK:]
            yield from (done.step() for done in settled)

    def finish(self) -> Iterator[Event]:
        """The steps that are left."""
        yield from (done.step() for done in self.gestures)

    def look_at(self, event: Event) -> None:
        """Keep of a raw event what a later gesture may ask for."""
        tab = event.get("tab", 1)
        self.first_seen.setdefault(tab, event["t"])
        if self.first_load < 0 and event["type"] == "navigate":
            self.first_load = self.seen
        if event["type"] == "tab" and event.get("action") == "close":
            self.closed[tab] = self.seen
        if is_user(event) and not (event["type"] == "input" and event.get("inputType") in MOVED_TEXT):
            self.last_other = self.seen
        if is_user(event) and not (event["type"] == "input" and event.get("by") == "page"):
            self.last_own = self.seen
        self.signs.setdefault(tab, (self.seen, event))
        self.seen += 1

    @property
    def last(self) -> Gesture | None:
        return self.gestures[-1] if self.gestures else None

    def begin(self, new: Gesture) -> Gesture:
        """Add a gesture, after the change of tab that it needed."""
        if self.changed_tab(new):
            self.gestures.append(self.tab_change(new))
        self.gestures.append(new)
        return new

    def changed_tab(self, new: Gesture) -> bool:
        """True where the person went to another tab that did not come up by itself."""
        last = self.last
        if last is None or new.type == "tab" or new.tab == last.tab:
            return False
        if self.closed.get(last.tab, new.raw[0]) < new.raw[0]:
            return False  # the browser went on by itself
        return self.first_seen[new.tab] < last.start

    def tab_change(self, new: Gesture) -> Gesture:
        """The change to the tab of `new`, told by that tab's first event since the last gesture or, without one, by `new` itself."""
        index, at = self.signs.get(new.tab, (new.raw[0], new.event))
        if index >= new.raw[0]:
            index, at = new.raw[0], new.event
        place = {name: at[name] for name in ("doc", "tab", "frame") if name in at}
        return gesture("tab", place | {"t": at["t"], "raw": [index, index]}, action="switch", index=new.tab)

    def previous(self, event: Event, *kinds: str, within: float | None = None) -> Gesture | None:
        """The last gesture, where it is one of `kinds`, in the tab of `event`, and at most `within` ms ago."""
        last = self.last
        if last is None or last.type not in kinds or last.tab != event.get("tab", 1):
            return None
        if within is not None and event["t"] - last.last_t > within:
            return None
        return last

    def same_act(self, event: Event, *kinds: str) -> Gesture | None:
        """The last gesture, where it is one of `kinds` and the page said that `event` belongs to it."""
        last = self.previous(event, *kinds)
        return last if last and last.acts & acts_of(event) else None

    def take(self, *, into: Gesture, last: Gesture) -> None:
        """Replace the last gesture by `into`, which it was the beginning of."""
        place = next(i for i in range(len(self.gestures) - 1, -1, -1) if self.gestures[i] is last)
        del self.gestures[place]
        into.swallow(last)
