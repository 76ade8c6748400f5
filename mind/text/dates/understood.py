"""Both readings of a text that names a time: looking back, and looking ahead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from mind.domain.errors import DateNotUnderstood
from mind.text.dates.periods import Period, relative, weekday_name

if TYPE_CHECKING:
    from mind.text.dates.asked import Reference


_NAMING = frozenset(
    """
    abr abril afternoon ago agosto amanha annee annees ano anoche anos ans anteayer anteontem
    antes antier aout apr apres april aug august aujourd automne autumn avant avr avril ayer day
    days dec december decembre demain depois dez dezember dezembro dia dias dic diciembre
    dienstag dimanche domingo donnerstag ene enero ete evening fall feb feber febrero februar
    february fev fevereiro fevr fevrier fortnight freitag fri friday fruhjahr fruhling gestern
    halben halbes half herbst heure heures heute hier hiver hoje hora horas hour hours hoy
    inverno invierno jahr jahre jahren jahres jan janeiro janner januar january janv janvier
    jeudi jour jours jueves juil juillet juin jul julho juli julio july jun june junho juni
    junio kw lundi lunes mai maio manana mar march marco mardi mars martes marz marzo matin may
    mayo medio meio mercredi mes meses miercoles minute minuten minutes minuto minutos mittwoch
    mois mon monat monate monaten monats monday montag month months morgen morning mrz night nov
    november novembre novembro noviembre oct october octobre octubre okt oktober ontem otono out
    outono outubro pasado primavera printemps quarta quartal quartals quarter quarters quinta
    sabado samedi samstag sat saturday segunda semaine semaines semana semanas sep sept
    september septembre septiembre set setembro setiembre sexta sommer sonnabend sonntag spring
    stunde stunden summer sun sunday tag tage tagen tarde terca thu thur thurs thursday today
    tomorrow tonight trimestre tue tues tuesday ubermorgen vendredi verano verao viernes
    vorgestern wed wednesday week weekend weeks winter woche wochen wochenende year years
    yesterday
    """.split()
)
"""The longest word of each form in ASCII that names a day or a unit (see ``lexicon``).

The French "an" is left out, which is an English article: what can stand beside it is below.
"""
_BESIDE_AN = frozenset(
    """
    ce cet cette cinq dernier derniere dernieres derniers deux deuxieme dix douze huit neuf passe
    passee premier premiere prochain prochaine quatorze quatre quatrieme quelques quinze second
    sept six trente trois troisieme un une
    """.split()
)
_RELEASED = frozenset(("last", "latest", "previous"))
_WORD = re.compile(r"[a-z]+")


def may_name_a_time(text: str) -> bool:
    """Whether ``text`` has a digit, a letter that is not ASCII, or a word that times are made of.

    If not, there is no time in it, and no release either.
    """
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    words = set(_WORD.findall(text.lower()))
    return not words.isdisjoint(_NAMING | _RELEASED) or (
        "an" in words and not words.isdisjoint(_BESIDE_AN)
    )


_REMEDY = (
    'Use "yesterday", "last week", "in March", "Q1 2026", "since Monday", '
    '"2026-03-01..2026-03-31", "tomorrow 9am", "in 3 days" or "20 December".'
)


@dataclass(frozen=True, slots=True)
class When:
    """What a text says about time.

    Attributes:
        text: As given.
        now: From when it is seen.
        period: The days, as a search reads it, perhaps open on one side; None if none are named.
        moment: The moment, as a reminder reads it; None if none is named.
        day: Of the moment, or else the period's first or only known one.
        weekday: Of that day, in English.
        relative: Of the moment, or else of that day.
    """

    text: str
    now: datetime
    period: "Period | None"
    moment: datetime | None
    day: date
    weekday: str
    relative: str


def understand(
    text: str,
    now: datetime,
    released: Callable[["Reference"], "Period | None"] = lambda _reference: None,
) -> When:
    """What ``text`` says about time, seen from ``now``.

    "Friday" is the last one in a search and the next one for a reminder: both are told.

    Args:
        text: In one of eight languages.
        now: Aware; days begin and end in its zone.
        released: As for :func:`mind.text.dates.asked.time_asked`.

    Raises:
        DateNotUnderstood: It says nothing that is understood.
    """
    from mind.text.dates.asked import parse_period, time_asked  # noqa: PLC0415 - words of 8 languages
    from mind.text.dates.moments import moment  # noqa: PLC0415 - the same

    period = parse_period(text, now.date())
    if period is None:
        asked = time_asked(text, now, released)
        period = Period(asked.start, asked.end) if asked and not asked.rest else None
    found = moment(text, now)
    day = found or (period.start or period.end if period else None)
    if day is None:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        raise DateNotUnderstood(f"{shown!r} names no time that is understood", remedy=_REMEDY)
    return When(
        text=text,
        now=now,
        period=period,
        moment=found,
        day=found.date() if found else day,
        weekday=weekday_name(day),
        relative=relative(day, now),
    )
