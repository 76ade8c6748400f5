import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mind.text import dates
from mind.text.dates import (
    FORMS,
    heading_date,
    in_further_languages,
    moment,
    rhythm,
    zone,
)
from mind.text.dates.days import day_from, fold

# regex, which dateparser uses, asks for the locale's encoding when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:UTF-8 Mode affects:EncodingWarning")

MADRID = ZoneInfo("Europe/Madrid")
FRIDAY = datetime(2026, 11, 20, 16, 0, tzinfo=MADRID)
"""The "now" of every example: a Friday in winter time."""


def ahead(text: str, now: datetime) -> datetime | None:
    """What ``text`` means, unless that is over."""
    found = moment(text, now)
    return found if found is not None and found >= now else None


def when(text: str, now: datetime = FRIDAY) -> str | None:
    """What ``text`` means, as local wall time."""
    found = ahead(text, now)
    return found.strftime("%Y-%m-%d %H:%M") if found else None


# --- headings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "heading",
    [
        "2026-11-20",
        "2026/11/20",
        "2026.11.20",
        "2026–11–20",
        "20.11.2026",
        "20. 11. 2026",
        "Nov 20, 2026",
        "Nov. 20 2026",
        "NOVEMBER 20TH, 2026",
        "November 20th 2026",
        "20 November 2026",
        "20-Nov-2026",
        "20th of November 2026",
        "2026 November 20",
        "Friday, 20 November 2026 – a good day",
        "20. November 2026",
        "20 de noviembre de 2026",
        "20 de noviembre del 2026",
        "20º de novembro de 2026",
        "20 novembre 2026",
        "20 nov. 2026",
        "20 ноября 2026 г.",
        "20-го ноября 2026",
        "2026年11月20日",
        "2026年 11月 20日(金)",
        "２０２６年１１月２０日",
        "20/11/2026",
        "11/20/2026",
        "20-11-2026",
        "[2026-11-20 14:30]",
        "2026-11-20T14:30:00Z",
        "(2026-11-20)",
        "Session: 2026-11-20",
        "Session 2 – v0.36.0 (2026-11-20, updated 2026-11-25)",
        "LRN-20261120-001",
        "[LRN-20261120-001] correction",
        "backup_20261120",
        "20261120T1430",
        "2026-11-20/21",
    ],
)
def test_a_heading_is_dated_in_every_common_form(heading: str) -> None:
    assert heading_date(heading) == date(2026, 11, 20)


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("1er février 2026", date(2026, 2, 1)),
        ("3 März 2026", date(2026, 3, 3)),
        ("3. Mär. 2026", date(2026, 3, 3)),
        ("31 août 2026", date(2026, 8, 31)),
        ("1 de março de 2026", date(2026, 3, 1)),
        ("1° giugno 2026", date(2026, 6, 1)),
        ("9 мая 2026", date(2026, 5, 9)),
        ("2 Sept 2026", date(2026, 9, 2)),
        ("1.2.2026", date(2026, 2, 1)),
        ("2026-13-45, really 2026-11-21", date(2026, 11, 21)),
        ("2026-11-21 and 2026-11-22", date(2026, 11, 21)),
        ("5/5/2026", date(2026, 5, 5)),
    ],
)
def test_months_are_known_in_nine_languages_and_the_first_day_counts(
    heading: str, day: date
) -> None:
    assert heading_date(heading) == day


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "Decisions",
        "2026",
        "November 2026",
        "20 November",
        "20 Nov 26",
        "10.0.26",
        "1.2.3",
        "v1.2.2026.3",
        "20261120",
        "#20261120",
        "2026-13-45",
        "2026-02-30",
        "30 February 2026",
        "February 30, 2026",
        "2026年13月1日",
        "31.4.2026",
        "01/02/2026",
        "Sprint 20 Movember 2026",
        "phone 12026-11-20",
        "v2 - January 2026",
        "D101 2026",
    ],
)
def test_numbers_and_days_that_do_not_exist_are_no_dates(heading: str) -> None:
    assert heading_date(heading) is None


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.sampled_from("- / .".split()))
def test_every_day_is_read_back_from_its_iso_form(day: date, mark: str) -> None:
    assert heading_date(f"## Log ({day.strftime(f'%Y{mark}%m{mark}%d')}) |") == day


@given(st.text())
@example("1 " * 500 + "2026")
@example("a1" * 500 + "2026")
@example("\ud800 2026")
def test_any_text_may_be_a_heading(text: str) -> None:
    found = heading_date(text)
    assert found is None or 1900 <= found.year <= 2199


def test_headings_are_dated_fast_and_without_the_grammar_of_moments() -> None:
    hostile = ["2026-" * 80, "1 " * 200 + "2026", "1. " * 200 + "2026", "a 1 " * 100 + "2026"]
    begin = time.process_time()
    for heading in ["Session 2026-11-20 — v0.36.0: what was done", "Plain heading", *hostile] * 50:
        heading_date(heading)
    assert time.process_time() - begin < 0.5
    program = (
        "import sys, mind.text.dates; mind.text.dates.heading_date('20 November 2026');"
        "sys.exit('mind.text.dates.moments' in sys.modules or 'dateparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_day_from_parts_may_not_exist() -> None:
    assert day_from("2026", "november", "20") == date(2026, 11, 20)
    assert day_from("2026", "x", "20") is None
    assert fold("ÜBERMORGEN – ё") == "ubermorgen - е"


# --- moments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomorrow morning", "2026-11-21 09:00"),
        ("next week", "2026-11-23 09:00"),
        ("monday", "2026-11-23 09:00"),
        ("in 30 minutes", "2026-11-20 16:30"),
        ("20 December", "2026-12-20 09:00"),
        ("20 December 2027", "2027-12-20 09:00"),
        ("2026-13-45", None),
        ("in 99999999 days", None),
    ],
)
def test_lesson_reminder_times_are_understood_not_turned_into_next_session(
    text: str, expected: str | None
) -> None:
    assert when(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-11-20 16:00"),
        ("tomorrow", "2026-11-21 09:00"),
        ("Tomorrow!", "2026-11-21 09:00"),
        ("day after tomorrow", "2026-11-22 09:00"),
        ("the day after tomorrow", "2026-11-22 09:00"),
        ("tonight", "2026-11-20 20:00"),
        ("this evening", "2026-11-20 18:00"),
        ("eod", "2026-11-20 17:00"),
        ("by end of day", "2026-11-20 17:00"),
        ("friday", "2026-11-27 09:00"),
        ("friday 3pm", "2026-11-27 15:00"),
        ("friday 5pm", "2026-11-20 17:00"),
        ("next friday 5pm", "2026-11-27 17:00"),
        ("3pm friday", "2026-11-27 15:00"),
        ("at 15:30 on friday", "2026-11-27 15:30"),
        ("next monday", "2026-11-23 09:00"),
        ("this monday", "2026-11-23 09:00"),
        ("on monday, at 9", "2026-11-23 09:00"),
        ("monday 9 a.m.", "2026-11-23 09:00"),
        ("monday noon", "2026-11-23 12:00"),
        ("monday 12am", "2026-11-23 00:00"),
        ("monday 12pm", "2026-11-23 12:00"),
        ("tomorrow at 8 in the evening", "2026-11-21 20:00"),
        ("monday next week", "2026-11-23 09:00"),
        ("next week wednesday", "2026-11-25 09:00"),
        ("next week on wednesday", "2026-11-25 09:00"),
        ("next month", "2026-12-01 09:00"),
        ("next quarter", "2027-01-01 09:00"),
        ("next year", "2027-01-01 09:00"),
        ("beginning of next month", "2026-12-01 09:00"),
        ("end of week", "2026-11-20 17:00"),
        ("end of next week", "2026-11-27 17:00"),
        ("end of month", "2026-11-30 17:00"),
        ("end of the month", "2026-11-30 17:00"),
        ("eom", "2026-11-30 17:00"),
        ("end of next month", "2026-12-31 17:00"),
        ("end of quarter", "2026-12-31 17:00"),
        ("eoy", "2026-12-31 17:00"),
        ("weekend", "2026-11-21 09:00"),
        ("this weekend", "2026-11-21 09:00"),
        ("end of november", "2026-11-30 17:00"),
        ("beginning of march", "2027-03-01 09:00"),
        ("on the 5th", "2026-12-05 09:00"),
        ("the 20th", "2026-11-20 16:00"),
        ("the 31st", "2026-12-31 09:00"),
        ("Q1 2027", "2027-01-01 09:00"),
        ("2027 q2", "2027-04-01 09:00"),
        ("q1", "2027-01-01 09:00"),
        ("December 20", "2026-12-20 09:00"),
        ("Dec 20th", "2026-12-20 09:00"),
        ("the 20th of december", "2026-12-20 09:00"),
        ("19 november", "2027-11-19 09:00"),
        ("29 february", "2028-02-29 09:00"),
        ("sunday, 20 december", "2026-12-20 09:00"),
        ("20.12.", "2026-12-20 09:00"),
        ("20.12.2026 um 10:00", "2026-12-20 10:00"),
        ("in december", "2026-12-01 09:00"),
        ("in may", "2027-05-01 09:00"),
        ("december 2027", "2027-12-01 09:00"),
        ("13/02/2027", "2027-02-13 09:00"),
        ("02/13/2027", "2027-02-13 09:00"),
        ("2026-12-20", "2026-12-20 09:00"),
        ("2026-12-20 14:30", "2026-12-20 14:30"),
        ("2026-12-20T14:30:15.5", "2026-12-20 14:30"),
        ("2026-12-20T14:30Z", "2026-12-20 15:30"),
        ("2026-12-20 14:30 -0500", "2026-12-20 20:30"),
        ("2026-12-20T14:30+05:30", "2026-12-20 10:00"),
        ("tomorrow 9am UTC", "2026-11-21 10:00"),
        ("16:30 UTC", "2026-11-20 17:30"),
        ("noon", "2026-11-21 12:00"),
        ("in the morning", "2026-11-21 09:00"),
        ("at 15:30", "2026-11-21 15:30"),
        ("at 17", "2026-11-20 17:00"),
        ("@ 5pm", "2026-11-20 17:00"),
        ("midnight", "2026-11-21 00:00"),
        ("in half an hour", "2026-11-20 16:30"),
        ("in an hour", "2026-11-20 17:00"),
        ("in 2 hours", "2026-11-20 18:00"),
        ("in 1.5 hours", "2026-11-20 17:30"),
        ("in 1h30m", "2026-11-20 17:30"),
        ("in 1 hour and 30 minutes", "2026-11-20 17:30"),
        ("90 minutes from now", "2026-11-20 17:30"),
        ("in half a day", "2026-11-21 04:00"),
        ("in a day and 2 hours", "2026-11-21 18:00"),
        ("3 days", "2026-11-23 09:00"),
        ("in 3 days at 15:00", "2026-11-23 15:00"),
        ("in two weeks", "2026-12-04 09:00"),
        ("in a fortnight", "2026-12-04 09:00"),
        ("in a month", "2026-12-20 09:00"),
        ("in 2 years", "2028-11-20 09:00"),
        ("in 3 business days", "2026-11-25 09:00"),
        ("in 6 working days", "2026-11-30 09:00"),
        ("in 0 business days", "2026-11-20 16:00"),
    ],
)
def test_times_are_understood(text: str, expected: str) -> None:
    assert when(text) == expected


EIGHT_LANGUAGES = """
2026-11-21 09:00: mañana | morgen | demain | amanhã | завтра | 明天 | 明日
2026-11-21 09:00: mañana por la mañana | morgen früh | demain matin | amanhã de manhã
    | завтра утром | 明天早上 | 明日の朝
2026-11-21 15:00: mañana a las 15:00 | mañana a las 3pm | morgen um 15 Uhr | demain à 15h
    | amanhã às 15h | завтра в 15:00 | завтра в 15 часов | 明天下午3点 | 明日15時 | 明日午後3時
2026-11-22 09:00: pasado mañana | übermorgen | après-demain | depois de amanhã | послезавтра
    | 后天 | 明後日
2026-11-23 09:00: el lunes | el próximo lunes | am Montag | nächsten Montag | lundi prochain
    | na próxima segunda-feira | segunda | в понедельник | 周一 | 下周一 | 月曜日 | 来週の月曜日
2026-11-23 09:00: la semana que viene | nächste Woche | la semaine prochaine | semana que vem
    | на следующей неделе | 下周 | 来週
2026-12-01 09:00: el mes que viene | nächsten Monat | le mois prochain | próximo mês
    | в следующем месяце | 下个月 | 来月
2026-11-30 17:00: fin de mes | Ende des Monats | fin du mois | fim do mês | в конце месяца
    | 月底 | 月末
2026-11-20 16:30: en media hora | in einer halben Stunde | dans une demi-heure | em meia hora
    | через полчаса | 半小时后 | 30分钟后 | 30分後 | en 30 minutos | in 30 Minuten
2026-11-20 17:00: dentro de una hora | in einer Stunde | dans une heure | em uma hora
    | через час | 一小时后 | 1時間後
2026-11-23 09:00: en 3 días | in drei Tagen | dans trois jours | daqui a 3 dias | через 3 дня
    | 3天后 | 3日後
2026-12-04 09:00: en dos semanas | in zwei Wochen | dans deux semaines | em duas semanas
    | через две недели | 两周后 | 2週間後
2026-11-25 09:00: en 3 días hábiles | in 3 Werktagen | dans 3 jours ouvrés | em 3 dias úteis
    | через 3 рабочих дня | 3个工作日后 | 3営業日後
2026-12-20 09:00: 20 de diciembre | am 20. Dezember | le 20 décembre | 20 de dezembro
    | 20 декабря | 12月20日
2027-12-20 09:00: el 20 de diciembre de 2027 | 20. Dezember 2027 | 20 décembre 2027
    | 20 de dezembro de 2027 | 20 декабря 2027 | 2027年12月20日
2026-11-20 20:00: esta noche | heute Nacht | hoje à noite | 今晚 | 今夜
2026-11-20 18:00: heute Abend | ce soir | сегодня вечером
2026-11-21 12:00: mediodía | Mittag | midi | meio-dia | в полдень | 中午 | 正午
2026-12-05 09:00: el día 5 | dia 5 de dezembro | 5 числа | 5日 | 12月5号
2026-11-21 15:30: demain 15h30 | morgen um 15:30 Uhr | morgen 15 uhr 30 | 明天下午3点半
2026-11-21 09:00: a las 9 de la mañana | в 9 утра | 9 часов утра | 朝9時 | 早上9点
"""


@pytest.mark.parametrize("row", EIGHT_LANGUAGES.replace("\n    ", " ").strip().splitlines())
def test_times_are_understood_in_eight_languages(row: str) -> None:
    expected, _, texts = row.partition(": ")
    said = {text.strip(): when(text) for text in texts.split("|")}
    assert said == dict.fromkeys(said, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("domani", "2026-11-21 09:00"),
        ("domani mattina", "2026-11-21 09:00"),
        ("dopodomani alle 17", "2026-11-22 17:00"),
        ("domani alle 9 e mezza", "2026-11-21 09:30"),
        ("alle 17.30", "2026-11-20 17:30"),
        ("stasera alle 20", "2026-11-20 20:00"),
        ("a mezzogiorno", "2026-11-21 12:00"),
        ("lunedì prossimo", "2026-11-23 09:00"),
        ("il prossimo martedì", "2026-11-24 09:00"),
        ("la settimana prossima", "2026-11-23 09:00"),
        ("a fine mese", "2026-11-30 17:00"),
        ("alla fine di marzo", "2027-03-31 17:00"),
        ("in marzo", "2027-03-01 09:00"),
        ("il 1° marzo", "2027-03-01 09:00"),
        ("il 20 dicembre 2027", "2027-12-20 09:00"),
        ("il 5", "2026-12-05 09:00"),
        ("entro il 5 dicembre", "2026-12-05 09:00"),
        ("tra mezz'ora", "2026-11-20 16:30"),
        ("tra un'ora e mezza", "2026-11-20 17:30"),
        ("tra un quarto d’ora", "2026-11-20 16:15"),
        ("fra tre giorni", "2026-11-23 09:00"),
        ("tra 3 giorni lavorativi", "2026-11-25 09:00"),
        ("tra un mese e mezzo", None),
        ("alle 3 e mezza", None),
        ("il lunedì", None),
        ("tra quindici giorni", None),
        ("a Natale", None),
        ("lunedì o martedì", None),
        ("il 05/06", None),
        ("più tardi", None),
    ],
)
def test_italian_is_understood_by_its_words_alone(text: str, expected: str | None) -> None:
    assert when(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "!!!", "on the", "later", "soon", "when tests pass", "next session",
        "this sprint",
        "next release", "5", "2027", "1.2", "20/12", "on 20/12", "01/02/2027", "2026-02-30",
        "in 99999999999999999999 years", "in 200 years", "31 february", "the 32nd", "the 0th",
        "25:00", "13pm", "0am", "tomorrow 9:75", "2h", "15h", "at 5", "monday at 5",
        "monday or tuesday", "3pm or 5pm", "morning or evening", "in 15:30", "before friday",
        "monday, 20 december 2026", "not before 2026-12-20", "the 2026-12-20 migration",
        "may", "movember 5", "in movember", "this week", "this month", "in 2.5 months",
        "in 2 hours at 15:00", "a week from monday", "tomorrow 9am CET", "every monday",
        "más tarde", "cada lunes", "später", "wenn die tests laufen", "jeden montag", "plus tard",
        "quand les tests passent", "mais tarde", "toda segunda", "позже", "когда пройдут тесты",
        "irgendwann am Tag um 15 uhr", "以后", "测试通过时", "两个半小时后", "十五分钟后", "後で",
        "テストが通ったら", "来月5日", "2年13月40日", "x" * 1000,
    ],
)  # fmt: skip
def test_what_is_not_clear_is_not_guessed(text: str) -> None:
    begin = time.process_time()
    assert ahead(text, FRIDAY) is None
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "today 3pm",
        "this morning",
        "q4 2026",
        "2026-11-19",
        "hace 2 días",
        "3 дня назад",
    ],
)
def test_what_is_over_is_known_to_be_over(text: str) -> None:
    found = moment(text, FRIDAY)
    assert found is not None
    assert found < FRIDAY


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("через пару дней", "2026-11-22 09:00"),
        ("in einer Woche und 2 Tagen", "2026-11-29 09:00"),
        ("heute in einer Woche", "2026-11-27 09:00"),
        ("через 1 час 30 минут", "2026-11-20 17:30"),
    ],
)
def test_amounts_in_other_orders_are_added_up(text: str, expected: str) -> None:
    assert when(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("overmorgen", "2026-11-22 09:00"),
        ("12 december 2026 om 14:30", "2026-12-12 14:30"),
        ("over 2 uur", "2026-11-20 18:00"),
        ("jutro o 9:00", "2026-11-21 09:00"),
        ("za 2 miesiące", "2027-01-20 09:00"),
        ("om en vecka", "2026-11-27 09:00"),
        ("3 gün sonra", "2026-11-23 09:00"),
        ("내일 15:00", "2026-11-21 15:00"),
        ("příští týden", "2026-11-27 09:00"),
        ("через 3 дні", "2026-11-23 09:00"),
        ("8 uur", None),  # at eight, or in eight hours
        ("8시", None),  # in the morning or the evening
        ("dnes večer", None),  # a word that dateparser leaves out
        ("pozítří večer", None),
        ("jutro o 16:00", "2026-11-21 16:00"),
        ("morgen om 9 uur", None),
        ("om 8", None),
        ("내일 오전 9시", None),
        ("5월", None),
        ("gisteren", None),
        ("februari", None),
        ("in 03/04", None),
        ("in 5 5", None),
        ("po", None),
        ("fredag 5 december", None),
        ("na vrijdag", None),
        ("morgen of overmorgen", None),
        ("maandag 9:00-10:00", None),
        ("01/02/2027", None),
        ("next friday maybe", None),
    ],
)
def test_dateparser_reads_seven_further_languages(text: str, expected: str | None) -> None:
    found = in_further_languages(text, FRIDAY)
    assert (found and f"{found:%Y-%m-%d %H:%M}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ende nächster Woche", "2026-11-27 17:00"),
        ("Montagabend um 8 Uhr", "2026-11-23 20:00"),
        ("Sonntagmorgen", "2026-11-22 09:00"),
        ("el lunes a las 9 y media", "2026-11-23 09:30"),
        ("segunda às 9 e meia", "2026-11-23 09:30"),
        ("lundi à 9 heures et demie", "2026-11-23 09:30"),
        ("Freitag kommende Woche", "2026-11-27 09:00"),
        ("der 5. Januar", "2027-01-05 09:00"),
        ("end of q1 2027", "2027-03-31 17:00"),
        ("31 декабря 2026 года в 18:00", "2026-12-31 18:00"),
        ("по вторникам", None),
        ("две два", None),
        ("через выходные", None),
        ("late march", None),
        ("next lunes", None),
        ("zehn an", None),
        ("первого месяца", None),
        ("cette semaine midi", None),
        ("hoy en una semana", "2026-11-27 09:00"),
    ],
)
def test_a_time_is_in_one_language_and_has_no_word_left_over(
    text: str, expected: str | None
) -> None:
    assert when(text) == expected


@pytest.mark.parametrize("form", [form for forms, _ in FORMS for form in forms.split(", ")])
def test_every_documented_form_is_accepted(form: str) -> None:
    assert ahead(form, FRIDAY) or rhythm(form)


def test_the_day_of_the_week_decides() -> None:
    monday = datetime(2026, 11, 16, 8, 0, tzinfo=MADRID)
    saturday = datetime(2026, 11, 21, 12, 0, tzinfo=MADRID)
    sunday = datetime(2026, 11, 22, 12, 0, tzinfo=MADRID)
    assert when("today", monday) == "2026-11-16 09:00"
    assert when("monday", monday) == "2026-11-23 09:00"
    assert when("monday 10am", monday) == "2026-11-16 10:00"
    assert when("下周五", monday) == "2026-11-27 09:00"
    assert when("end of week", monday) == "2026-11-20 17:00"
    assert when("end of week", sunday) is None
    assert when("weekend", saturday) == "2026-11-21 12:00"
    assert when("next weekend", sunday) == "2026-11-28 09:00"
    assert when("in 1 business day", saturday) == "2026-11-23 09:00"
    assert when("tonight", datetime(2026, 11, 20, 22, 0, tzinfo=MADRID)) == "2026-11-20 22:00"


def test_months_are_counted_by_the_calendar() -> None:
    january = datetime(2027, 1, 31, 12, 0, tzinfo=MADRID)
    assert when("in a month", january) == "2027-02-28 09:00"
    assert when("the 30th", january) == "2027-03-30 09:00"
    assert when("next month", january) == "2027-02-01 09:00"
    assert when("in 0 months", january) == "2027-01-31 12:00"


def test_summer_time_moves_neither_the_morning_nor_a_duration() -> None:
    eve = datetime(2027, 3, 27, 12, 0, tzinfo=MADRID)
    assert when("tomorrow", eve) == "2027-03-28 09:00"
    assert when("in 24 hours", eve) == "2027-03-28 13:00"
    assert when("tomorrow 02:30", eve) == "2027-03-28 03:30"  # that half hour does not exist
    found = ahead("in 3 days", eve)
    assert found is not None
    assert found.utcoffset() == timedelta(hours=2)
    assert found.tzinfo is MADRID


def test_the_zone_of_now_may_be_a_fixed_offset() -> None:
    now = datetime(2026, 11, 20, 16, 0, tzinfo=timezone(timedelta(hours=-3)))
    found = ahead("tomorrow 9am", now)
    assert found == datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert found is not None
    assert found.tzinfo is now.tzinfo


WORDS = st.sampled_from(
    "in on at next this end of the 5 20 31 99999999 0.5 2026 2026-12-20 9:00 3pm 25:00 morning "
    "tonight monday weekend week month year days business hours half an a q1 20th december may "
    "mañana lunes de la que viene um uhr heute stunden à 15h через 明天 下周 3天后 半 月末".split()
)


@given(st.lists(WORDS, max_size=6).map(" ".join) | st.text(max_size=30))
@example("in 9999999999 weeks")
@example("9999-12-31 23:59 -1400")
@example("q1 0000")
@example("in 100000 business days")
def test_whatever_is_said_the_answer_lies_ahead_in_the_same_zone(text: str) -> None:
    found = ahead(text, FRIDAY)
    assert found is None or (found >= FRIDAY and found.tzinfo is MADRID)


# --- zones --------------------------------------------------------------------------------


@pytest.fixture
def new_york() -> Iterator[None]:
    """The machine stands in New York."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone is set by the system")
@pytest.mark.usefixtures("new_york")
def test_the_systems_zone_knows_summer_and_winter() -> None:
    here = zone("")
    winter = datetime(2026, 12, 20, 9, 0, tzinfo=here)
    summer = datetime(2027, 6, 20, 9, 0, tzinfo=here)
    assert winter.utcoffset() == timedelta(hours=-5)
    assert summer.utcoffset() == timedelta(hours=-4)
    assert (winter.tzname(), summer.tzname()) == ("EST", "EDT")
    assert winter.dst() is None
    assert repr(here) == "system"
    assert here.tzname(None) is None
    assert here.utcoffset(None) is not None
    twice = datetime(2026, 11, 1, 5, 30, tzinfo=UTC), datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    first, second = (one.astimezone(here) for one in twice)
    assert (first.hour, first.fold, second.hour, second.fold) == (1, 0, 1, 1)
    assert (first.astimezone(UTC), second.astimezone(UTC)) == twice
    assert ahead("in 7 months", winter) == datetime(2027, 7, 20, 13, 0, tzinfo=UTC)


@pytest.mark.parametrize("name", ["Nowhere/Land", "../etc", "Europe", "\0"])
def test_an_unknown_zone_is_the_systems(name: str) -> None:
    assert zone(name) is zone("")


def test_a_named_zone_is_that_one() -> None:
    assert str(zone("Europe/Madrid")) == "Europe/Madrid"


def test_the_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError):
        dates.nothing  # noqa: B018 - the access is the test
