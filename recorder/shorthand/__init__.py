"""Batches in shorthand, as the recorder's worker posts them: what events share is said once, what differs by columns. Pure.

A body is one line of JSON, and after it those event lines that cannot be said so, each verbatim:

    [2, who, numbers, order, group, …]

`who` is the beginning of the id of a document that the server knows, or what a header of lines (`recorder.wire`) says of one that it
may not know. `numbers` are first six signed ones: the first event's `n`; how far the document's last is behind the last event
here; `left`; `rtt` in tenths of ms, or -1; a check; and how much later than the last event's `p` the post was sent, in tenths of ms.
Then the events' `p`, in tenths of ms, each by its difference from the one before. `order` has a number for each event, in the
order of `n`, which has no gaps: 0 for a line of its own, g for the next of group g (from 1).

**Numbers** are written in the characters from # on but for the backslash: one of the first 61 ends a number, each of the other 30
adds its place, times 30 for each before it. A signed number v is written as 2v, or -2v-1 where it is negative.

A **group** is `[like, column, …]`: events with the same fields in the same order. `like` is what they are compared with: an event
without `doc`, `n` and `p`, which is then the group's first; or how many numbers before the batch's first event the one is that it
is like, which the server must hold; or -g, the first event of group g (from 0), which comes earlier. Fields are counted from 0
without `doc`, `n` and `p`; those of an object that is not empty are counted one by one. A field without a column is that of `like`. A
column is a list, the field's number and then one value for all events or one for each, or a text: the field's number as a
character, a kind, and

- `a b c`: whole numbers by their differences, by the differences of these (but for the first), or by differences that are not
  negative; `d e f`: the same for tenths;
- `s`: a character each;
- `g`: the number of a group (from 0) that comes earlier: the object whose first field this is, a target, is that of its first event;
- `t`: a character each: typed at the end of `value`, so that `before` is the value of the event before and `data` is the character;
- `p`: paths, with ! between them and spaces between their columns of numbers (kind and differences, from 0); `q`: the same, with
  that of the event with which the group begins, too, in which it stands as `[]`.

The **check** is the Adler-32 of the lines that are meant, with a line break between, modulo 1,000,003: where it differs, or the
server does not hold what it is asked to remember, it says so (409, `unlike`), stores nothing, and the page sends lines.
"""

from recorder.shorthand.body import Shorthand, read
from recorder.shorthand.errors import unlike
from recorder.shorthand.spell import lines

__all__ = ["Shorthand", "lines", "read", "unlike"]
