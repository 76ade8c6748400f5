"""Signals of the usage log about entries, said or implied; pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from mind.memory.health.report import Activity, Happened, Markers, Missed, Warnings
from mind.storage.journal import Event, contradicts
from mind.text.terms import query_terms

QUOTED_WITHIN = timedelta(minutes=30)
"""Time after a search in which an entry that quotes a hit counts as a use of it."""
QUOTED_WORDS = 6
"""Words in a row that make a quotation."""
REPEATED_WITHIN = timedelta(minutes=2)
"""Time after a search in which another one about the same thing means that it failed."""
NOT_KEPT = "(words not kept)"

_SHORTEST_ID = 8
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\^?[\w-]+")
USES = frozenset({"get", "use"})
_WEEKS = 26
_LONGEST_TIMELINE = 20

TextOf = Callable[[str], str]
"""The text of an entry or of what was archived by its id; "" if nothing has it."""


class Quotation(NamedTuple):
    """An entry that was found, and then quoted in an entry that was recorded."""

    at: datetime
    id: str


def quotations(events: Iterable[Event], text_of: TextOf) -> list[Quotation]:
    """Hits whose id, or six words in a row, stand in an entry recorded soon after.

    Args:
        events: Oldest first.
        text_of: See :data:`TextOf`.
    """
    runs: dict[str, frozenset[tuple[str, ...]]] = {}

    def runs_of(identifier: str) -> frozenset[tuple[str, ...]]:
        if identifier not in runs:
            runs[identifier] = _runs(text_of(identifier))
        return runs[identifier]

    found: dict[str, list[Event]] = defaultdict(list)
    quoted: list[Quotation] = []
    for event in events:
        if event.name == "search":
            found[event.session].append(event)
        elif event.name == "log" and event.ids:
            recent = [one for one in found[event.session] if event.at - one.at <= QUOTED_WITHIN]
            found[event.session] = recent
            hits = dict.fromkeys(hit for one in recent for hit in one.ids)
            own = event.ids[0]
            text = text_of(own) if hits else ""
            quoted += [
                Quotation(event.at, hit)
                for hit in hits
                if hit != own
                and (_is_named(hit, text) or not runs_of(own).isdisjoint(runs_of(hit)))
            ]
    return quoted


def _is_named(identifier: str, text: str) -> bool:
    """Return whether ``text`` names an id: as ``^id``, or in a form that no word has."""
    if identifier not in text:
        return False
    plain = len(identifier) >= _SHORTEST_ID and any(map(str.isdecimal, identifier))
    return any(
        found == f"^{identifier}" or (plain and found == identifier)
        for found in _NAME.findall(text)
    )


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    last = len(words) - QUOTED_WORDS
    return frozenset(tuple(words[at : at + QUOTED_WORDS]) for at in range(last + 1))


def missed(events: Iterable[Event]) -> list[Missed]:
    """Searches that were asked again at once in other words, and then found something else first.

    The two have to be about one thing: they share a word or a hit, or the first found nothing.
    One of which a hit was read or used in between found what was meant.
    """
    last: dict[str, Event] = {}
    told: list[Missed] = []
    for event in events:
        before = last.get(event.session)
        if event.name == "search":
            if before and _is_again(before, event):
                told.append(Missed(event.at, _said(before), _said(event)))
            last[event.session] = event
        elif before and event.name in USES and not set(before.ids).isdisjoint(event.ids):
            del last[event.session]
    return told


def _is_again(before: Event, after: Event) -> bool:
    if after.at - before.at > REPEATED_WITHIN or not after.ids or _same_words(before, after):
        return False
    if before.ids[:1] == after.ids[:1]:
        return False
    return (
        not before.ids
        or not set(before.ids).isdisjoint(after.ids)
        or not set(_terms(before)).isdisjoint(_terms(after))
    )


def _same_words(before: Event, after: Event) -> bool:
    if "query" in before.data and "query" in after.data:
        return set(_terms(before)) == set(_terms(after))
    return before.data.get("hash") == after.data.get("hash")


def _terms(event: Event) -> list[str]:
    return query_terms(str(event.data.get("query", "")))


def _said(event: Event) -> str:
    return str(event.data.get("query", NOT_KEPT))


def contradicted(events: Sequence[Event]) -> dict[str, tuple[Event, tuple[Happened, ...]]]:
    """Entries that were contradicted and not checked since, with all that was done with them."""
    since: dict[str, Event] = {}
    for event in events:
        wrong = contradicts(event)
        for one in event.ids:
            if wrong:
                since.setdefault(one, event)
            elif wrong is False:
                since.pop(one, None)
    timelines = _timelines(events, since)
    return {one: (event, timelines[one]) for one, event in since.items()}


def _timelines(
    events: Iterable[Event], wanted: Mapping[str, Event]
) -> dict[str, tuple[Happened, ...]]:
    told: dict[str, list[Happened]] = {one: [] for one in wanted}
    for event in events:
        if event.name != "search":
            for one in told.keys() & event.ids:
                told[one].append(_happened(event))
    return {one: tuple(happened[-_LONGEST_TIMELINE:]) for one, happened in told.items()}


def _happened(event: Event) -> Happened:
    what = str(event.data.get("outcome", "")) if event.name == "use" else event.name
    return Happened(event.at, what or event.name, str(event.data.get("note", "")))


def applied(events: Iterable[Event]) -> list[str]:
    """Ids of entries that somebody said were applied, one a use."""
    return [
        one
        for event in events
        if event.name == "use" and event.data.get("outcome") == "applied"
        for one in event.ids
    ]


def markers(events: Iterable[Event]) -> Markers:
    """Return how often a warning was given, and how often it was overridden."""
    told = list(events)
    overridden = [_phrases(event, "overridden") for event in told]
    refused = [_phrases(event, "markers") for event in told if event.name == "refused"]
    return Markers(
        logged=sum(
            event.name == "log" or bool(phrases)
            for event, phrases in zip(told, overridden, strict=True)
        ),
        overridden=sum(map(bool, overridden)),
        phrases=_counted(overridden),
        refused=len(refused),
        refusals=_counted(refused),
    )


def warnings(events: Iterable[Event]) -> Warnings:
    """Count the warnings by each rejection or gotcha, and how often they were overridden."""
    shown: set[tuple[str, str]] = set()
    overridden: set[tuple[str, str]] = set()
    for event in events:
        if event.name in ("warned", "overrode"):
            told = {(event.session, one) for one in event.ids}
        else:
            told = {(event.session, one) for one in _phrases(event, "against")}
        shown |= told
        if event.name != "warned":
            overridden |= told
    times = Counter(identifier for _, identifier in overridden)
    entries = tuple(sorted(times.items(), key=lambda one: (-one[1], one[0])))
    return Warnings(len(shown), len(overridden), entries)


def _phrases(event: Event, key: str) -> list[str]:
    told = event.data.get(key)
    return [str(one) for one in told] if isinstance(told, list) else []


def _counted(phrases: Iterable[Sequence[str]]) -> tuple[tuple[str, int], ...]:
    counts = Counter(phrase.casefold() for one in phrases for phrase in one)
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def activity(
    events: Iterable[Event], quoted: Iterable[Quotation], today: date
) -> tuple[Activity, ...]:
    """Return what was done in each of the last 26 weeks, this one included."""
    done = Counter(_deeds(events, quoted))
    last = monday(today)
    starts = [last - timedelta(weeks=back) for back in range(_WEEKS - 1, -1, -1)]
    return tuple(
        Activity(one, done[one, "search"], done[one, "use"], done[one, "log"]) for one in starts
    )


def _deeds(events: Iterable[Event], quoted: Iterable[Quotation]) -> Iterator[tuple[date, str]]:
    for event in events:
        week = monday(event.at.date())
        if event.name in ("search", "log"):
            yield week, event.name
        elif event.name == "get" or event.data.get("outcome") == "applied":
            yield from ((week, "use") for _ in event.ids)
    for one in quoted:
        yield monday(one.at.date()), "use"


def monday(day: date) -> date:
    """The first day of its week."""
    return day - timedelta(days=day.weekday())
