"""Periods that words name: as a whole phrase, and as part of a query."""

import sys
from datetime import UTC, date, datetime, timedelta
from types import FrameType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.errors import DateNotUnderstood, InputError
from mind.text.dates.asked import (
    Reference,
    RequestedDays,
    parse_period,
    references_in,
    time_asked,
    understand,
)
from mind.text.dates.days import is_zone
from mind.text.dates.lexicon import forms, may_name_a_time
from mind.text.dates.periods import LANGUAGES, Period, calendar_around, relative

pytestmark = pytest.mark.filterwarnings("ignore:UTF-8 Mode affects:EncodingWarning")

NOW = datetime(2026, 11, 20, 16, 0, tzinfo=UTC)
"""The "now" of every example: a Friday."""
TODAY = NOW.date()

PHRASES = """
# en
today | 2026-11-20
yesterday | 2026-11-19
day before yesterday | 2026-11-18
the day before yesterday | 2026-11-18
last night | 2026-11-19..2026-11-20
this morning | 2026-11-20
this week | 2026-11-16..2026-11-22
last week | 2026-11-09..2026-11-15
the last week | 2026-11-13..2026-11-20
the past week | 2026-11-13..2026-11-20
past week | 2026-11-13..2026-11-20
previous week | 2026-11-09..2026-11-15
week before last | 2026-11-02..2026-11-08
the week before last | 2026-11-02..2026-11-08
two weeks ago | 2026-11-02..2026-11-08
3 days ago | 2026-11-17
a week ago | 2026-11-09..2026-11-15
a month ago | 2026-10-01..2026-10-31
a couple of days ago | 2026-11-18
a few days ago | 2026-11-15..2026-11-18
20 minutes ago | 2026-11-19..2026-11-20
last month | 2026-10-01..2026-10-31
this month | 2026-11-01..2026-11-30
last quarter | 2026-07-01..2026-09-30
this quarter | 2026-10-01..2026-12-31
last year | 2025-01-01..2025-12-31
this year | 2026-01-01..2026-12-31
last weekend | 2026-11-14..2026-11-15
on the weekend | 2026-11-14..2026-11-15
last Monday | 2026-11-16
last Friday | 2026-11-13
on Tuesday | 2026-11-17
this Monday | 2026-11-16
Monday last week | 2026-11-09
last week's Monday | 2026-11-09
in March | 2026-03-01..2026-03-31
in march 2025 | 2025-03-01..2025-03-31
March 2025 | 2025-03-01..2025-03-31
last March | 2026-03-01..2026-03-31
in December | 2025-12-01..2025-12-31
since Tuesday | 2026-11-17..
since last week | 2026-11-09..
since two weeks ago | 2026-11-06..
since 2026-03-01 | 2026-03-01..
since March | 2026-03-01..
from March onwards | 2026-03-01..
before 2026-05 | ..2026-04-30
before March | ..2026-02-28
before the end of March | ..2026-03-31
before late March | ..2026-03-20
vor Ende Januar | ..2026-01-31
after the beginning of 2025 | 2025-01-01..
before yesterday | ..2026-11-18
until Friday | ..2026-11-20
by Monday | ..2026-11-16 | alone
after 12 May | 2026-05-13..
after 2026-05-03 | 2026-05-04..
between 3 and 5 May | 2026-05-03..2026-05-05
between March and May | 2026-03-01..2026-05-31
between 2024 and 2025 | 2024-01-01..2025-12-31
between 2025-12-20 and 2026-01-10 | 2025-12-20..2026-01-10
from 1 May to 15 May | 2026-05-01..2026-05-15
from December to February | 2025-12-01..2026-02-28
May 3-9, 2025 | 2025-05-03..2025-05-09
May 3 to 9 | 2026-05-03..2026-05-09
2026-03-01..2026-03-31 | 2026-03-01..2026-03-31
2026-03-01.. | 2026-03-01..
..2026-03-31 | ..2026-03-31
2026-03-01/2026-03-31 | 2026-03-01..2026-03-31
20 November 2025 | 2025-11-20
November 20th, 2025 | 2025-11-20
Nov 20 | 2026-11-20
3 May | 2026-05-03
the 3rd of May | 2026-05-03
20.11.2025 | 2025-11-20
2025/11/20 | 2025-11-20
2025-11 | 2025-11-01..2025-11-30
2025-W07 | 2025-02-10..2025-02-16
2025Q3 | 2025-07-01..2025-09-30
2025-Q3 | 2025-07-01..2025-09-30
Q1 2026 | 2026-01-01..2026-03-31
in Q3 | 2026-07-01..2026-09-30
first quarter of 2026 | 2026-01-01..2026-03-31
the second quarter of last year | 2025-04-01..2025-06-30
H1 2025 | 2025-01-01..2025-06-30
first half of 2025 | 2025-01-01..2025-06-30
week 12 of 2026 | 2026-03-16..2026-03-22
in week 12 | 2026-03-16..2026-03-22
in 2025 | 2025-01-01..2025-12-31
summer 2025 | 2025-06-01..2025-08-31
last summer | 2026-06-01..2026-08-31
last winter | 2025-12-01..2026-02-28
early 2026 | 2026-01-01..2026-04-30
mid-March | 2026-03-11..2026-03-20
late October | 2026-10-21..2026-10-31
end of last month | 2026-10-21..2026-10-31
beginning of the year | 2026-01-01..2026-04-30 | alone
the last 10 days | 2026-11-10..2026-11-20
last 3 months | 2026-08-20..2026-11-20
in the past two weeks | 2026-11-06..2026-11-20
older than 3 months | ..2026-08-20 | alone
newer than 2 weeks | 2026-11-06.. | alone
29 February | 2024-02-29
this summer | 2026-06-01..2026-08-31
next winter | 2026-12-01..2027-02-28 | alone
next Monday | 2026-11-23 | alone
next March | 2027-03-01..2027-03-31 | alone
tomorrow | 2026-11-21 | alone
in 3 days | 2026-11-23 | alone
3 weeks from now | 2026-12-11 | alone
week 50 | 2025-12-08..2025-12-14 | alone
the 5th | 2026-11-05 | alone
31st | 2026-10-31 | alone
a fortnight ago | 2026-11-02..2026-11-08
30 hours ago | 2026-11-18..2026-11-19
48 hours ago | 2026-11-18
from 3 May to 9 May 2025 | 2025-05-03..2025-05-09
from 20 December to 3 January 2026 | 2025-12-20..2026-01-03
from 20 December 2025 to 3 January | 2025-12-20..2026-01-03
from March 2025 to May | 2025-03-01..2025-05-31
from November 2024 to February | 2024-11-01..2025-02-28
from February to March 2024 | 2024-02-01..2024-03-31
between last Monday and Friday | 2026-11-16..2026-11-20
sun | 2026-11-15 | alone
May | 2026-05-01..2026-05-31 | alone
2026 | 2026-01-01..2026-12-31 | alone
# es
ayer | 2026-11-19
anteayer | 2026-11-18
hoy | 2026-11-20
la semana pasada | 2026-11-09..2026-11-15
esta semana | 2026-11-16..2026-11-22
el mes pasado | 2026-10-01..2026-10-31
el año pasado | 2025-01-01..2025-12-31
el lunes | 2026-11-16
el lunes pasado | 2026-11-16
hace tres días | 2026-11-17
hace una semana | 2026-11-09..2026-11-15
hace dos meses | 2026-09-01..2026-09-30
desde el martes | 2026-11-17..
desde marzo | 2026-03-01..
antes de mayo | ..2026-04-30
antes del 3 de mayo | ..2026-05-02
después de marzo | 2026-04-01..
en marzo de 2025 | 2025-03-01..2025-03-31
en marzo | 2026-03-01..2026-03-31
entre marzo y mayo | 2026-03-01..2026-05-31
del 3 al 9 de mayo | 2026-05-03..2026-05-09
los últimos tres meses | 2026-08-20..2026-11-20
últimos 10 días | 2026-11-10..2026-11-20
el 20 de noviembre de 2025 | 2025-11-20
el verano pasado | 2026-06-01..2026-08-31
finales de octubre | 2026-10-21..2026-10-31
primer trimestre de 2026 | 2026-01-01..2026-03-31
# de
gestern | 2026-11-19
vorgestern | 2026-11-18
heute | 2026-11-20
letzte Woche | 2026-11-09..2026-11-15
vorletzte Woche | 2026-11-02..2026-11-08
diese Woche | 2026-11-16..2026-11-22
letzten Monat | 2026-10-01..2026-10-31
letztes Jahr | 2025-01-01..2025-12-31
am Montag | 2026-11-16
letzten Freitag | 2026-11-13
vor drei Tagen | 2026-11-17
vor einer Woche | 2026-11-09..2026-11-15
vor zwei Monaten | 2026-09-01..2026-09-30
seit Montag | 2026-11-16..
seit drei Wochen | 2026-10-30..
seit März | 2026-03-01..
vor dem 3. Mai | ..2026-05-02
nach dem 3. Mai | 2026-05-04..
im März | 2026-03-01..2026-03-31
im März 2025 | 2025-03-01..2025-03-31
zwischen März und Mai | 2026-03-01..2026-05-31
vom 3. bis 9. Mai | 2026-05-03..2026-05-09
in den letzten 10 Tagen | 2026-11-10..2026-11-20
die letzten drei Wochen | 2026-10-30..2026-11-20
3. Mai 2025 | 2025-05-03
Ende letzten Monats | 2026-10-21..2026-10-31
Anfang 2026 | 2026-01-01..2026-04-30
KW 12 | 2026-03-16..2026-03-22 | alone
letzten Sommer | 2026-06-01..2026-08-31
erstes Quartal 2026 | 2026-01-01..2026-03-31
am Wochenende | 2026-11-14..2026-11-15
# fr
hier | 2026-11-19 | alone
avant-hier | 2026-11-18
aujourd'hui | 2026-11-20
la semaine dernière | 2026-11-09..2026-11-15
cette semaine | 2026-11-16..2026-11-22
le mois dernier | 2026-10-01..2026-10-31
l'année dernière | 2025-01-01..2025-12-31
lundi dernier | 2026-11-16
il y a 3 jours | 2026-11-17
il y a deux semaines | 2026-11-02..2026-11-08
depuis lundi | 2026-11-16..
depuis mars | 2026-03-01..
avant mai | ..2026-04-30
après le 3 mai | 2026-05-04..
en mars | 2026-03-01..2026-03-31
en mars 2025 | 2025-03-01..2025-03-31
entre mars et mai | 2026-03-01..2026-05-31
du 3 au 9 mai | 2026-05-03..2026-05-09
les 10 derniers jours | 2026-11-10..2026-11-20
le 20 novembre 2025 | 2025-11-20
début 2026 | 2026-01-01..2026-04-30
fin mars | 2026-03-21..2026-03-31
l'été dernier | 2026-06-01..2026-08-31
ce mois-ci | 2026-11-01..2026-11-30
# pt
ontem | 2026-11-19
anteontem | 2026-11-18
hoje | 2026-11-20
semana passada | 2026-11-09..2026-11-15
na semana passada | 2026-11-09..2026-11-15
esta semana | 2026-11-16..2026-11-22
mês passado | 2026-10-01..2026-10-31
no mês passado | 2026-10-01..2026-10-31
ano passado | 2025-01-01..2025-12-31
na segunda-feira | 2026-11-16
há três dias | 2026-11-17
há duas semanas | 2026-11-02..2026-11-08
desde segunda-feira | 2026-11-16..
desde março | 2026-03-01..
antes de maio | ..2026-04-30
depois de março | 2026-04-01..
em março | 2026-03-01..2026-03-31
em março de 2025 | 2025-03-01..2025-03-31
entre março e maio | 2026-03-01..2026-05-31
de 3 a 9 de maio | 2026-05-03..2026-05-09
nos últimos 10 dias | 2026-11-10..2026-11-20
20 de novembro de 2025 | 2025-11-20
início de 2026 | 2026-01-01..2026-04-30
verão passado | 2026-06-01..2026-08-31
# ru
вчера | 2026-11-19
позавчера | 2026-11-18
сегодня | 2026-11-20
на прошлой неделе | 2026-11-09..2026-11-15
прошлая неделя | 2026-11-09..2026-11-15
на этой неделе | 2026-11-16..2026-11-22
в прошлом месяце | 2026-10-01..2026-10-31
в прошлом году | 2025-01-01..2025-12-31
в понедельник | 2026-11-16
в прошлую пятницу | 2026-11-13
3 дня назад | 2026-11-17
неделю назад | 2026-11-09..2026-11-15
два месяца назад | 2026-09-01..2026-09-30
с понедельника | 2026-11-16..
с марта | 2026-03-01..
до мая | ..2026-04-30
после марта | 2026-04-01..
в марте | 2026-03-01..2026-03-31
в марте 2025 | 2025-03-01..2025-03-31
в марте 2025 года | 2025-03-01..2025-03-31
между мартом и маем | 2026-03-01..2026-05-31
с 3 по 9 мая | 2026-05-03..2026-05-09
за последние 10 дней | 2026-11-10..2026-11-20
20 ноября 2025 года | 2025-11-20
в начале 2026 | 2026-01-01..2026-04-30
прошлым летом | 2026-06-01..2026-08-31
# zh
昨天 | 2026-11-19
前天 | 2026-11-18
今天 | 2026-11-20
上周 | 2026-11-09..2026-11-15
上上周 | 2026-11-02..2026-11-08
本周 | 2026-11-16..2026-11-22
上个月 | 2026-10-01..2026-10-31
去年 | 2025-01-01..2025-12-31
上周五 | 2026-11-13
周一 | 2026-11-16 | alone
三天前 | 2026-11-17
两周前 | 2026-11-02..2026-11-08
3个月前 | 2026-08-01..2026-08-31
上周以来 | 2026-11-09..
自周一 | 2026-11-16..
三月 | 2026-03-01..2026-03-31
3月 | 2026-03-01..2026-03-31
去年3月 | 2025-03-01..2025-03-31
2025年3月 | 2025-03-01..2025-03-31
2025年3月1日 | 2025-03-01
3月3日到9日 | 2026-03-03..2026-03-09
5月之前 | ..2026-04-30
5月3日之后 | 2026-05-04..
过去10天 | 2026-11-10..2026-11-20
最近三个月 | 2026-08-20..2026-11-20
2026年第一季度 | 2026-01-01..2026-03-31
去年夏天 | 2025-06-01..2025-08-31
从3月到5月 | 2026-03-01..2026-05-31
# ja
昨日 | 2026-11-19
一昨日 | 2026-11-18
今日 | 2026-11-20
先週 | 2026-11-09..2026-11-15
先々週 | 2026-11-02..2026-11-08
今週 | 2026-11-16..2026-11-22
先月 | 2026-10-01..2026-10-31
去年 | 2025-01-01..2025-12-31
昨年 | 2025-01-01..2025-12-31
先週の月曜日 | 2026-11-09
月曜日 | 2026-11-16 | alone
3日前 | 2026-11-17
2週間前 | 2026-11-02..2026-11-08
3か月前 | 2026-08-01..2026-08-31
月曜日から | 2026-11-16..
先週から | 2026-11-09..
3月 | 2026-03-01..2026-03-31
去年の3月 | 2025-03-01..2025-03-31
2025年3月 | 2025-03-01..2025-03-31
2025年3月1日 | 2025-03-01
5月より前 | ..2026-04-30
5月以降 | 2026-05-01..
過去10日間 | 2026-11-10..2026-11-20
この3か月 | 2026-08-20..2026-11-20
昨年の夏 | 2025-06-01..2025-08-31
3月から5月まで | 2026-03-01..2026-05-31
"""
"""Phrase, first and last day (open if left out), "alone" if it is not sure enough in a query."""

NO_PERIODS = """
may fail
march through the list
the test may hang in CI
it may be slow
MAY not
may_fail
early
node 20 may segfault
may 2 workers run at once
the value passed in may overflow
the last may fail
the may bug
may
march
april
second attempt
the second migration
third party
first class
version 3.12
python 3.11 in docker
1.2.3
v1.2
before 0.3
since v1.2
between 1.0 and 1.1
2026
12
404
500 errors
port 8080
http 2000
in 2000 requests
in 2010 requests
in 2048 bits
line 2024
issue 2025
#2025
PR 2026
rust 2021 edition
ISO 8601
CVE-2026-1234
sun
sun rpc
sat solver
mon
wed
dec encoder
dec 8 bytes
mar 3 files
mar file
monday.com
tuesday meeting
every monday cron
never deploy on Friday
black friday
the last item
the last migration
last commit
last line
last-write-wins conflict
last_modified header
last release
the week before last release
past tense
next step
next.js
this function
current user
day
week
month view
week number
date parser
one week
3 days
a year
a week of work
wait 2 weeks
retry 3 times
timeout after 30 seconds
in 3 steps
in 5 minutes
cache for 5 days
expires in 3 days
retention 30 days
older than 30 days
days since epoch
fall back to polling
spring boot config
half open
quarter circle
early return
late binding
end of file
end of the week
in the middle of the loop
start of the list
after the migration
before deploy
since it fails
until it works
between two threads
between 1 and 10
from a to b
on error
by default
by Monday
at 5
2/3
3/4/2026
5-7
10:30
2026-11-20 10:00:01 ERROR connection refused
2026-11-20T10:00:01Z refused
docs/2026-01-01.md
x-2026-01-01
2026-01-01.md
src/march.py
yesterday.md
today() function
"last week" banner
`yesterday` constant
2026-02-30
2026-13
30 February 2026
not last week
decided, but not in March
everything except last week
excluding yesterday
nicht gestern
sauf la semaine dernière
не вчера
plan for next week
todo tomorrow
next year
2026-12-24
last week and in October
hier im Parser
mañana
morgen
vor dem Start
nach dem Deploy
seit dem Update
im Parser
am Ende des Tages
de la tabla
en el parser
hace falta
depuis le parser
dans 3 fichiers
no parser
из марта в базу
до релиза
после деплоя
с базой
之前的方案
三个错误
最近
前の方法
これから
"""
"""Queries that name no period: it would cost them their results."""


def period(text: str) -> Period:
    """From "A..B", "A..", "..B" or one day."""
    first, dots, last = text.partition("..")
    start, end = first, last if dots else first
    return Period(*(date.fromisoformat(one) if one else None for one in (start, end)))


def rows() -> list[tuple[str, Period, bool]]:
    cells = [row.split(" | ") for row in PHRASES.strip().splitlines() if row[0] != "#"]
    return [(one[0], period(one[1]), one[-1] == "alone") for one in cells]


def asked(query: str, now: datetime = NOW) -> str | None:
    """The days, and the rest behind a bar."""
    found = time_asked(query, now)
    if not found:
        return None
    start, end = (one.isoformat() if one else "" for one in found[:2])
    return f"{start if start == end else f'{start}..{end}'}|{found.rest}"


@pytest.mark.parametrize(("phrase", "expected", "alone"), rows())
def test_a_phrase_names_its_days(phrase: str, expected: Period, alone: bool) -> None:
    assert parse_period(phrase, TODAY) == expected
    assert parse_period(f"  {phrase.upper()} ", TODAY) == expected
    assert parse_period(f"{phrase.replace(' ', '  ')}?", TODAY) == expected
    eastern = phrase[-1] >= "\u3000"
    query = f"{phrase}解析" if eastern else f"parser bug {phrase}"
    rest = "解析" if eastern else "parser bug"
    said = time_asked(query, NOW)
    assert said == (None if alone else RequestedDays(expected.start, expected.end, rest))


@pytest.mark.parametrize("query", NO_PERIODS.strip().splitlines())
def test_what_only_looks_like_a_period_stays_in_the_query(query: str) -> None:
    assert time_asked(query, NOW) is None
    assert time_asked(f"why {query} here", NOW) is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("last week", "2026-11-09..2026-11-15|"),
        ("decisions last week about auth", "2026-11-09..2026-11-15|decisions about auth"),
        ("decisions (last week) on auth", "2026-11-09..2026-11-15|decisions on auth"),
        ("(last week)", "2026-11-09..2026-11-15|"),
        ("not yesterday, in May", "2026-05-01..2026-05-31|not yesterday"),
        ("yesterday morning noon evening night", "2026-11-19|night"),
        ("last week: auth", "2026-11-09..2026-11-15|auth"),
        ("what happened last week?", "2026-11-09..2026-11-15|what happened"),
        ("last week's outage", "2026-11-09..2026-11-15|outage"),
        ("auth,last week,redis", "2026-11-09..2026-11-15|auth redis"),
        ("yesterday .env was read", "2026-11-19|.env was read"),
        ("yesterday", "2026-11-19|"),
        ("before 2026-05 migration", "..2026-04-30|migration"),
        ("in may we changed the parser", "2026-05-01..2026-05-31|we changed the parser"),
        ("what did we decide in may", "2026-05-01..2026-05-31|what did we decide"),
        ("20 May release notes", "2026-05-20|release notes"),
        ("Nov 20 decisions", "2026-11-20|decisions"),
        ("November 3 notes", "2026-11-03|notes"),
        ("jan 2026 notes", "2026-01-01..2026-01-31|notes"),
        ("Q1 2026 goals", "2026-01-01..2026-03-31|goals"),
        ("hier nous avons changé le cache", "2026-11-19|nous avons changé le cache"),
        ("上周的缓存错误", "2026-11-09..2026-11-15|缓存错误"),
        ("先週のエラー", "2026-11-09..2026-11-15|エラー"),
        ("after March before June deploy", "2026-04-01..2026-05-31|deploy"),
        ("since 2026-05-01 in May", "2026-05-01..2026-05-31|"),
        ("ＬＡＳＴ　ＷＥＥＫ parser", "2026-11-09..2026-11-15|parser"),
    ],
)
def test_the_words_of_a_period_leave_the_query(query: str, expected: str) -> None:
    assert asked(query) == expected


@pytest.mark.parametrize(
    "phrase",
    ["", " ", "soon", "40th", "last minute", "letzten monday", "vorletzten März", "week 60",
     "2026-02-30", "2026-13-01", "from 9 to 3 May", "early", "between", "since", "in 2 hours",
     "month", "last week please", "bug yesterday", "between 3 and", "year 2026", "第5季度"],
)  # fmt: skip
def test_what_is_not_clear_is_no_period(phrase: str) -> None:
    assert parse_period(phrase, TODAY) is None


@pytest.mark.parametrize(
    "query", ["last minute", "soon", "week 60", "2026-02-30", "early", "since"]
)
def test_nothing_is_asked_for_by_what_is_not_clear(query: str) -> None:
    assert time_asked(query, NOW) is None


@pytest.mark.parametrize(
    ("moment", "zone", "expected"),
    [
        ("2026-03-28T23:30+00:00", "Europe/Madrid", "2026-03-28"),  # 0:30 on the day of change
        ("2026-03-29T01:30+00:00", "Europe/Madrid", "2026-03-28"),  # the hour that is skipped
        ("2026-03-29T22:30+00:00", "Europe/Madrid", "2026-03-29"),  # already summer time
        ("2026-10-25T00:30+00:00", "Europe/Madrid", "2026-10-24"),  # 2:30, the first time
        ("2026-10-25T01:30+00:00", "Europe/Madrid", "2026-10-24"),  # 2:30, the second time
        ("2026-11-20T10:30+00:00", "Pacific/Auckland", "2026-11-19"),
        ("2026-11-20T11:30+00:00", "Pacific/Auckland", "2026-11-20"),
        ("2026-11-20T04:30+00:00", "America/New_York", "2026-11-18"),
    ],
)
def test_yesterday_is_that_of_the_zone(moment: str, zone: str, expected: str) -> None:
    now = datetime.fromisoformat(moment).astimezone(ZoneInfo(zone))
    assert asked("yesterday", now) == f"{expected}|"


# --- releases -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before the 0.3 release", ("before", "0.3", "")),
        ("bugs since v1.2", ("since", "v1.2", "")),
        ("in 1.4", ("in", "1.4", "")),
        ("between 1.0 and 1.1", ("between", "1.0", "1.1")),
        ("between v1 and the v2 release", ("between", "v1", "v2")),
        ("after release 3", ("after", "3", "")),
        ("after the 3 release", ("after", "3", "")),
        ("prior to api@2.0", ("before", "api@2.0", "")),
        ("since release-1.2", ("since", "release-1.2", "")),
        ("until 2.0.0-rc.1", ("before", "2.0.0-rc.1", "")),
        ("since the last release", ("since", "last release", "")),
        ("before v1 and the parser", ("before", "v1", "")),
        ("before v1 and v2", ("before", "v1", "")),
        ("antes de la versión 2.1", ("before", "2.1", "")),
        ("seit v2.1", ("since", "v2.1", "")),
        ("после версии 2.1", ("after", "2.1", "")),
        ("depuis la 2.1", ("since", "2.1", "")),
        ("v1.2之前的错误", ("before", "v1.2", "")),
        ("1.2版本之后", ("after", "1.2", "")),
        ("v1.2以降のバグ", ("since", "v1.2", "")),
    ],
)
def test_releases_are_named(text: str, expected: tuple[str, str, str]) -> None:
    (found,) = references_in(text)
    assert (found.relation, found.name, found.other) == expected


@pytest.mark.parametrize(
    "text",
    [
        "after 3 retries", "in 1.5 seconds", "within 2.5x", "before 5%", "between 3 and 5 May",
        "between 1.0", "between 1.0 and now", "since 2026-05-01", "before 12.5.2026",
        "since 2026.05.01", "in 1.2.x", "before x1.2", "in 0.5ms", "python 3.12", "3天前", "前",
        "3之前",
    ],
)  # fmt: skip
def test_numbers_are_no_releases(text: str) -> None:
    assert list(references_in(text)) == []


def released(reference: Reference) -> Period | None:
    known = {"v1.2": period("2026-05-03.."), "1.0": period("2026-01-01..2026-02-01")}
    return known.get(reference.name)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("bugs since v1.2 in the parser", ("2026-05-03", None, "bugs in the parser")),
        ("since v1.2 before June", ("2026-05-03", "2026-05-31", "")),
        ("between 1.0 and 1.1 bugs", ("2026-01-01", "2026-02-01", "bugs")),
        ("since v1.3 before June", (None, "2026-05-31", "since v1.3")),
        ("since v1.3", None),
        ("before June", (None, "2026-05-31", "")),
    ],
)
def test_a_release_that_is_known_is_a_time(query: str, expected: tuple[str, str, str]) -> None:
    found = time_asked(query, NOW, released)
    days = [one and one.isoformat() for one in found[:2]] if found else []
    assert (found and (*days, found.rest)) == expected


def test_releases_are_asked_for_only_if_one_is_named() -> None:
    def fail(reference: Reference) -> Period | None:
        raise AssertionError(reference)

    assert time_asked("last week", NOW, fail)


# --- any text -----------------------------------------------------------------------------

WORDS = [word for row in PHRASES.split("\n") for word in row.split(" | ")[0].split()]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)))
def test_any_text_is_read_without_an_error(text: str) -> None:
    parse_period(text, TODAY)
    found = time_asked(text, NOW)
    if found:
        assert found.start is None or found.start <= TODAY
        assert found.start is None or found.end is None or found.start <= found.end
        assert len(found.rest) <= len(text)
        assert set(found.rest) <= {*text, " "}


@pytest.mark.parametrize("day", [date.min, date(1, 12, 31), date(9999, 1, 1), date.max])
@pytest.mark.parametrize(
    "phrase", ["last week", "two centuries", "9999 years ago", "last year", "29 February", "Q4",
               "in 9999 years", "since last quarter", "last summer", "week 53", "last Friday"]
)  # fmt: skip
def test_the_ends_of_the_calendar_are_no_error(day: date, phrase: str) -> None:
    found = parse_period(phrase, day)
    assert not (found and found.start and found.end) or found.start <= found.end
    time_asked(phrase, datetime(day.year, day.month, day.day, tzinfo=UTC))


def calls(query: str) -> int:
    """How many Python functions run while a query is read."""
    count = 0

    def on_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(on_call)
    try:
        time_asked(query, NOW)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "piece",
    ["between ", "since the ", "in may 3 ", "1.1.", "上周的", "last last ", "v1.", "ß", "a-"],
)
def test_work_grows_with_the_length_and_ends_with_the_first_4000_characters(piece: str) -> None:
    time_asked((piece * 4_000)[:4_000], NOW)  # what is made once
    small, double = (calls(piece * (size // len(piece))) for size in (1_000, 2_000))
    assert double <= 2.2 * small + 50
    most = calls((piece * 4_000)[:4_000])
    assert calls(piece * (100_000 // len(piece))) <= 1.01 * most  # a collection may call, too


def test_a_period_behind_4000_characters_stays() -> None:
    long = "x" * 4_000
    assert time_asked(f"{long} last week", NOW) is None
    assert time_asked(f"last week {long}", NOW) == (date(2026, 11, 9), date(2026, 11, 15), long)
    assert parse_period(f"last week {'!' * 200}", TODAY) is None
    assert parse_period("!", TODAY) is None


# --- what is said about a day -------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2026-11-20T16:00", "now"),
        ("2026-11-20T15:59", "a minute ago"),
        ("2026-11-20T16:30", "in 30 minutes"),
        ("2026-11-20T15:00", "an hour ago"),
        ("2026-11-20T19:30", "in 3 hours"),
        ("2026-11-20T00:30", "15 hours ago"),
        ("2026-11-19T23:00", "yesterday"),
        ("2026-11-20", "today"),
        ("2026-11-21", "tomorrow"),
        ("2026-11-17", "3 days ago"),
        ("2026-11-16", "last Monday"),
        ("2026-11-24", "on Tuesday"),
        ("2026-11-13", "7 days ago"),
        ("2026-12-04", "in 2 weeks"),
        ("2026-09-30", "7 weeks ago"),
        ("2026-09-20", "2 months ago"),
        ("2025-12-31", "10 months ago"),
        ("2025-11-20", "a year ago"),
        ("2028-12-01", "in 2 years"),
    ],
)
def test_a_date_as_people_say_it(moment: str, expected: str) -> None:
    when = datetime.fromisoformat(moment)
    day = when.date() if len(moment) == 10 else when.replace(tzinfo=UTC)
    assert relative(day, NOW) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("es", "hace 3 días, en 2 semanas, ayer"),
        ("de", "vor 3 Tagen, in 2 Wochen, gestern"),
        ("fr", "il y a 3 jours, dans 2 semaines, hier"),
        ("pt", "há 3 dias, em 2 semanas, ontem"),
        ("ru", "3 дня назад, через 2 недели, вчера"),
        ("zh", "3天前, 2周后, 昨天"),
        ("ja", "3日前, 2週間後, 昨日"),
        ("it", "3 giorni fa, tra 2 settimane, ieri"),
    ],
)
def test_it_is_said_in_nine_languages(language: str, expected: str) -> None:
    away = [relative(TODAY + timedelta(days=days), NOW, language) for days in (-3, 14, -1)]
    assert ", ".join(away) == expected


def test_russian_numbers_have_three_forms() -> None:
    minutes = [relative(NOW - timedelta(minutes=n), NOW, "ru") for n in (1, 2, 5, 11, 21, 22)]
    assert [one.split()[1] for one in minutes] == [
        "минуту", "минуты", "минут", "минут", "минуту", "минуты",
    ]  # fmt: skip


def test_an_unknown_language_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match="unknown language 'xx'") as caught:
        relative(TODAY, NOW, "xx")
    assert ", ".join(LANGUAGES) in str(caught.value.remedy)


def test_hours_are_counted_by_the_clock_where_the_wall_skips_one() -> None:
    madrid = ZoneInfo("Europe/Madrid")
    spring = datetime(2026, 3, 29, 4, 0, tzinfo=madrid)
    assert relative(datetime(2026, 3, 29, 1, 0, tzinfo=madrid), spring) == "2 hours ago"
    autumn = datetime(2026, 10, 25, 4, 0, tzinfo=madrid)
    assert relative(datetime(2026, 10, 25, 1, 0, tzinfo=madrid), autumn) == "4 hours ago"


@given(st.integers(-800, -1), st.sampled_from(LANGUAGES))
def test_what_is_said_of_a_past_day_is_read_back_as_a_time_around_it(
    away: int, language: str
) -> None:
    day = TODAY + timedelta(days=away)
    said = relative(day, NOW, language)
    read = parse_period(said, TODAY)
    assert read, said
    assert read.start
    assert read.end
    slack = timedelta(days=31 if away > -365 else 366)
    assert read.start - slack <= day <= read.end + slack
    if away > -14:
        assert read == Period(day, day)


def test_the_calendar_around_a_day() -> None:
    around = calendar_around(date(2027, 1, 2))
    assert around.iso_week == "2026-W53"
    assert around.week == period("2026-12-28..2027-01-03")
    assert around.month == period("2027-01-01..2027-01-31")
    assert around.quarter == period("2027-01-01..2027-03-31")
    assert around.year == period("2027-01-01..2027-12-31")
    assert (around.working_day_before, around.working_day_after) == (
        date(2027, 1, 1), date(2027, 1, 4),
    )  # fmt: skip
    assert calendar_around(date(2027, 1, 2), week_starts=6).week == period("2026-12-27..2027-01-02")
    beside = [
        (one.working_day_before.day, one.working_day_after.day)
        for one in (calendar_around(date(2026, 11, day)) for day in range(16, 23))
    ]
    assert beside == [(13, 17), (16, 18), (17, 19), (18, 20), (19, 23), (20, 23), (20, 23)]


@pytest.mark.parametrize("day", [date.min, date.max])
def test_beyond_the_ends_of_the_calendar_there_is_none_around_a_day(day: date) -> None:
    with pytest.raises(InputError, match=f"the calendar around {day} is not known"):
        calendar_around(day)


def test_both_readings_of_a_text() -> None:
    friday = understand("friday", NOW)
    assert friday.period == period("2026-11-20")
    assert friday.moment == datetime(2026, 11, 27, 9, tzinfo=UTC)
    assert (friday.day, friday.weekday, friday.relative) == (
        date(2026, 11, 27), "Friday", "in 7 days",
    )  # fmt: skip
    last = understand("last week", NOW)
    assert (last.period, last.moment) == (period("2026-11-09..2026-11-15"), None)
    assert (last.day, last.weekday, last.relative) == (date(2026, 11, 9), "Monday", "11 days ago")
    assert understand("until March", NOW).day == date(2026, 3, 31)
    later = understand("in 2 hours", NOW)
    assert (later.period, later.relative) == (None, "in 2 hours")
    assert understand("since v1.2", NOW, released).period == period("2026-05-03..")


@pytest.mark.parametrize("text", ["soon", "", "since v1.2", "bugs last week", "x" * 200])
def test_what_names_no_time_is_an_error_that_shows_forms(text: str) -> None:
    with pytest.raises(DateNotUnderstood) as caught:
        understand(text, NOW)
    assert "last week" in str(caught.value.remedy)
    assert len(str(caught.value)) < 500


def test_zones_have_names() -> None:
    assert is_zone("Europe/Madrid")
    assert not is_zone("Mars/Olympus")


_SAID = sorted(
    {" ".join(form).replace(" ' ", "'") for known in forms().values() for form, _ in known}
)


@given(
    st.lists(
        st.sampled_from([*_SAID, "retry", "the cache", "version", "release", "tag", "an", "l'an"]),
        max_size=6,
    )
)
def test_what_is_not_even_looked_at_names_no_time(words: list[str]) -> None:
    text = " ".join(words)
    if not may_name_a_time(text):
        assert time_asked(text, NOW) is None
        assert list(references_in(text)) == []


@pytest.mark.parametrize(
    "phrase", [row.split(" | ")[0] for row in PHRASES.strip().splitlines() if " | " in row]
)
def test_every_phrase_is_looked_at(phrase: str) -> None:
    assert may_name_a_time(phrase)


@pytest.mark.parametrize(
    "text",
    ["retry with a backoff", "as an answer to the client", "", "why do tests fail in the pool"],
)
def test_most_queries_need_no_words_for_times(text: str) -> None:
    assert not may_name_a_time(text)
