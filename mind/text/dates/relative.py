"""A moment as people say it, seen from another: "3 days ago", "in 2 weeks", "last Tuesday"."""

from datetime import UTC, date, datetime, timedelta

from mind.domain.errors import InputError
from mind.text.dates.durations import months_later
from mind.text.dates.periods import weekday_name

_UNITS = ("minute", "hour", "day", "week", "month", "year")
_FORMS = {
    "en": "{} ago|in {}|minute minutes|hour hours|day days|week weeks|month months|year years",
    "es": "hace {}|en {}|minuto minutos|hora horas|día días|semana semanas|mes meses|año años",
    "de": "vor {}|in {}|Minute Minuten|Stunde Stunden|Tag Tagen|Woche Wochen|Monat Monaten|"
    "Jahr Jahren",
    "fr": "il y a {}|dans {}|minute minutes|heure heures|jour jours|semaine semaines|mois mois|"
    "an ans",
    "pt": "há {}|em {}|minuto minutos|hora horas|dia dias|semana semanas|mês meses|ano anos",
    "ru": "{} назад|через {}|минуту минуты минут|час часа часов|день дня дней|"
    "неделю недели недель|месяц месяца месяцев|год года лет",
    "zh": "{}前|{}后|分钟|小时|天|周|个月|年",
    "ja": "{}前|{}後|分|時間|日|週間|か月|年",
}
"""Of each language: the past, the future, and the units with their plurals."""

LANGUAGES = tuple(_FORMS)
"""In which :func:`relative` speaks."""

_DAYS = {
    "en": "now yesterday today tomorrow",
    "es": "ahora ayer hoy mañana",
    "de": "jetzt gestern heute morgen",
    "fr": "maintenant hier aujourd’hui demain",
    "pt": "agora ontem hoje amanhã",
    "ru": "сейчас вчера сегодня завтра",
    "zh": "现在 昨天 今天 明天",
    "ja": "今 昨日 今日 明日",
}


def relative(moment: date | datetime, now: datetime, language: str = "en") -> str:
    """``moment`` seen from ``now``, in English, Spanish, German, French, Portuguese, Russian,
    Chinese or Japanese.

    Hours and minutes are told on the same day, days up to two weeks, weeks up to two months;
    what is over of a month or year does not count. In English, days of the week have their names:
    :func:`mind.text.dates.asked.parse_period` reads a past day back as that day.

    Args:
        moment: Aware; or a day, for which no hours are told.
        now: Aware; days begin and end in its zone.
        language: Two letters.

    Raises:
        InputError: The language is another one.
    """  # noqa: D205 - the languages need the second line
    if language not in _FORMS:
        raise InputError(
            f"unknown language {language!r}", remedy=f"Use one of: {', '.join(_FORMS)}."
        )
    if not isinstance(moment, datetime):
        return _days(moment, now.date(), language)
    moment = moment.astimezone(now.tzinfo)
    away = moment.astimezone(UTC) - now.astimezone(UTC)  # by the clock, not by the wall
    minutes = abs(away) // timedelta(minutes=1) * (-1 if away < timedelta() else 1)
    if abs(minutes) < 60 or moment.date() == now.date():
        return _minutes(minutes, language)
    return _days(moment.date(), now.date(), language)


def _minutes(count: int, language: str) -> str:
    if not count:
        return _DAYS[language].split()[0]
    if abs(count) < 60:
        return _said(count, "minute", language)
    return _said(count // 60 if count > 0 else -(-count // 60), "hour", language)


def _days(day: date, today: date, language: str) -> str:
    away = (day - today).days
    if abs(away) < 2:
        return _DAYS[language].split()[2 + away]
    if language == "en" and 4 <= abs(away) <= 6:
        return f"{'on' if away > 0 else 'last'} {weekday_name(day)}"
    count, unit = _counted(min(day, today), max(day, today))
    return _said(count if away > 0 else -count, unit, language)


def _counted(first: date, last: date) -> tuple[int, str]:
    days = (last - first).days
    if days < 14:
        return days, "day"
    if days < 60:
        return days // 7, "week"
    months = (last.year - first.year) * 12 + last.month - first.month
    if last.day < first.day and last < months_later(first, months):
        months -= 1
    return (max(2, months), "month") if months < 12 else (months // 12, "year")


def _said(count: int, unit: str, language: str) -> str:
    past, future, *names = _FORMS[language].split("|")
    forms = names[_UNITS.index(unit)].split()
    size = abs(count)
    name = forms[_plural(size, language) if len(forms) > 1 else 0]
    number = str(size)
    if size == 1 and language == "en":
        number = "an" if unit == "hour" else "a"
    gap = "" if language in ("zh", "ja") else " "
    return (future if count > 0 else past).format(f"{number}{gap}{name}")


def _plural(count: int, language: str) -> int:
    """Which form: one or more; in Russian one, a few, or many (rules of the Unicode CLDR)."""
    if language != "ru":
        return int(count > 1)
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14 else 2
