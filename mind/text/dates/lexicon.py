"""What words mean when a time is spoken of, in eight languages.

A row gives one or several meanings (``kind value``, joined by ``+`` where one word says several
things: 先週 is "last" and "week") and the forms that carry them, by language.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from mind.text.dates.days import MONTHS, fold

LANGUAGES = {"en": 1, "es": 2, "de": 4, "fr": 8, "pt": 16, "ru": 32, "zh": 64, "ja": 128}
EVERY = 255
ENGLISH = LANGUAGES["en"]
EASTERN = LANGUAGES["zh"] | LANGUAGES["ja"]

_ROWS = """
day -2 | en: day before yesterday | es: anteayer, antier, antes de ayer | de: vorgestern
    | fr: avant-hier | pt: anteontem, antes de ontem | ru: позавчера | zh: 前天
    | ja: 一昨日, おととい
day -1 | en: yesterday | es: ayer | de: gestern | pt: ontem | ru: вчера | zh: 昨天
    | ja: 昨日, きのう
day 0 | en: today, tonight | es: hoy | de: heute | fr: aujourd'hui | pt: hoje | ru: сегодня
    | zh: 今天 | ja: 今日, きょう
day 1 | en: tomorrow | pt: amanhã | ru: завтра | zh: 明天 | ja: 明日
day 2 | en: day after tomorrow | es: pasado mañana | de: übermorgen | fr: après-demain
    | pt: depois de amanhã | ru: послезавтра | zh: 后天 | ja: 明後日
weak -1 | fr: hier
weak 1 | es: mañana | de: morgen | fr: demain
night -1 | en: last night | es: anoche | pt: ontem à noite | zh: 昨晚 | ja: 昨夜, 昨晩
this_part 0 | en: this morning, this afternoon, this evening | es: esta mañana, esta tarde
    | fr: ce matin, cet après-midi | de: heute morgen, heute früh
part 0 | en: morning, afternoon, evening, night, noon | es: por la mañana, por la tarde
    | de: früh, vormittag, nachmittag, abend | fr: matin, soir, après-midi | ru: утром, вечером
    | pt: de manhã, à tarde, à noite
rel -2 | de: vorletzte, vorletzten, vorletzter, vorletztes, vorletztem | es: antepasado, antepasada
    | ru: позапрошлой, позапрошлом, позапрошлую, позапрошлый | fr: avant-dernier, avant-dernière
rel -1 | en: last, previous, prior | es: pasado, pasada | fr: dernier, dernière, passé, passée
    | de: letzte, letzten, letzter, letztes, letztem, vorige, vorigen, voriger, voriges, vorigem,
    vergangene, vergangenen, vergangenes | pt: passado, passada
    | ru: прошлый, прошлую, прошлое, прошлой, прошлом, прошлого, прошлым, прошлая
rel 0 | en: this, current | es: este, esta | fr: ce, cet, cette
    | de: diese, diesen, dieser, dieses, diesem | pt: este, esta, neste, nesta
    | ru: этот, эту, это, этой, этом, этого, этим
rel 1 | en: next, coming | es: próximo, próxima, que viene | fr: prochain, prochaine
    | de: nächste, nächsten, nächster, nächstes, nächstem, kommende, kommenden, kommendes
    | pt: próximo, próxima, que vem
    | ru: следующий, следующую, следующее, следующей, следующем, следующего
past 0 | en: past, this past | es: último, última, últimos, últimas | pt: último, última, últimos,
    últimas | fr: derniers, dernières
    | ru: последний, последнюю, последние, последних
    | zh: 过去, 最近, 近, 过去的 | ja: 過去, 直近, 最近, ここ, この
rel -2 + unit week | zh: 上上周, 上上星期 | ja: 先々週
rel -2 + unit month | zh: 上上个月, 上上月 | ja: 先々月
rel -2 + unit year | zh: 前年 | ja: 一昨年
rel -1 + unit week | zh: 上周, 上週, 上星期, 上个星期, 上一周 | ja: 先週
rel -1 + unit month | zh: 上个月, 上月 | ja: 先月
rel -1 + unit quarter | zh: 上个季度, 上季度 | ja: 前四半期
rel -1 + unit year | zh: 去年 | ja: 去年, 昨年
rel -1 + unit weekend | zh: 上周末 | ja: 先週末
rel 0 + unit week | zh: 本周, 这周, 這週, 本星期, 这个星期, 这星期 | ja: 今週
rel 0 + unit month | zh: 本月, 这个月 | ja: 今月
rel 0 + unit quarter | zh: 本季度, 这个季度 | ja: 今四半期
rel 0 + unit year | zh: 今年 | ja: 今年, ことし
rel 1 + unit week | zh: 下周, 下週, 下星期, 下个星期 | ja: 来週
rel 1 + unit month | zh: 下个月, 下月 | ja: 来月
rel 1 + unit year | zh: 明年 | ja: 来年
unit minute | en: minute, minutes | de: minute, minuten | es: minuto, minutos | pt: minuto, minutos
    | fr: minute, minutes | ru: минуту, минуты, минут | zh: 分钟 | ja: 分間, 分
unit hour | en: hour, hours | es: hora, horas | de: stunde, stunden | fr: heure, heures
    | pt: hora, horas | ru: час, часа, часов | zh: 小时, 个小时 | ja: 時間
unit day | en: day, days | es: día, días | de: tag, tage, tagen | fr: jour, jours
    | pt: dia, dias | ru: день, дня, дней | zh: 天 | ja: 日間
unit week | en: week, weeks | es: semana, semanas | de: woche, wochen | fr: semaine, semaines
    | pt: semana, semanas | ru: неделя, неделю, недели, неделе, недель
    | zh: 周, 週, 星期, 个星期 | ja: 週間, 週
unit fortnight | en: fortnight
unit month | en: month, months | es: mes, meses | de: monat, monate, monaten, monats | fr: mois
    | pt: mês, meses | ru: месяц, месяца, месяце, месяцев | zh: 个月, 個月
    | ja: か月, ヶ月, カ月, ヵ月, か月間
unit quarter | en: quarter, quarters | es: trimestre | fr: trimestre | pt: trimestre
    | de: quartal, quartals | ru: квартал, квартала, квартале | zh: 季度 | ja: 四半期
unit year | en: year, years | es: año, años | de: jahr, jahre, jahren, jahres
    | fr: an, ans, année, années | pt: ano, anos | ru: год, года, году, лет
unit weekend | en: weekend | es: fin de semana | de: wochenende | fr: week-end
    | pt: fim de semana, final de semana | ru: выходные, выходных | zh: 周末 | ja: 週末
few 1 | en: few, several | es: unos pocos, unos, unas | de: paar, einigen, einige
    | fr: quelques | pt: alguns, algumas | ru: несколько | zh: 几 | ja: 数
number 6 + unit month | en: half a year, half year | es: medio año | de: halbes jahr, halben jahr
    | pt: meio ano | ru: полгода | zh: 半年 | ja: 半年
number 1 | en: a, an, one | es: un, una, uno | de: ein, eine, einem, einen, einer | fr: un, une
    | pt: um, uma | ru: один, одну | zh: 一 | ja: 一
number 2 | en: two, couple of, couple | es: dos, un par de | de: zwei | fr: deux | pt: dois, duas
    | ru: два, две | zh: 两, 二 | ja: 二
number 3 | en: three | es: tres | de: drei | fr: trois | pt: três | ru: три | zh: 三 | ja: 三
number 4 | en: four | es: cuatro | de: vier | fr: quatre | pt: quatro | ru: четыре | zh: 四
    | ja: 四
number 5 | en: five | es: cinco | de: fünf | fr: cinq | pt: cinco | ru: пять | zh: 五 | ja: 五
number 6 | en: six | es: seis | de: sechs | fr: six | pt: seis | ru: шесть | zh: 六 | ja: 六
number 7 | en: seven | es: siete | de: sieben | fr: sept | pt: sete | ru: семь | zh: 七 | ja: 七
number 8 | en: eight | es: ocho | de: acht | fr: huit | pt: oito | ru: восемь | zh: 八 | ja: 八
number 9 | en: nine | es: nueve | de: neun | fr: neuf | pt: nove | ru: девять | zh: 九 | ja: 九
number 10 | en: ten | es: diez | de: zehn | fr: dix | pt: dez | ru: десять | zh: 十 | ja: 十
number 11 | en: eleven | zh: 十一 | ja: 十一
number 12 | en: twelve | de: zwölf | es: doce | fr: douze | pt: doze | zh: 十二 | ja: 十二
number 14 | en: fourteen | fr: quatorze | es: catorce | pt: quatorze | de: vierzehn
number 15 | en: fifteen | fr: quinze | es: quince | pt: quinze
number 30 | en: thirty | de: dreißig | es: treinta | fr: trente | pt: trinta | ru: тридцать
nth 1 | en: first | es: primer, primera | de: ersten, erstes, erste | fr: premier, première
    | pt: primeiro, primeira | ru: первый, первом, первого | zh: 第一 | ja: 第一
nth 2 | en: second | es: segundo, segunda | de: zweiten, zweites, zweite | fr: deuxième, second
    | pt: segundo, segunda | ru: второй, втором, второго | zh: 第二 | ja: 第二
nth 3 | en: third | es: tercer | de: dritten, drittes, dritte | fr: troisième | pt: terceiro
    | ru: третий, третьем | zh: 第三 | ja: 第三
nth 4 | en: fourth | es: cuarto | de: vierten, viertes, vierte | fr: quatrième | pt: quarto
    | ru: четвертый, четвертом | zh: 第四 | ja: 第四
nth_sign 0 | zh: 第 | ja: 第
half 0 | en: half
quarter 1 | en: q1 | de: q1
quarter 2 | en: q2 | de: q2
quarter 3 | en: q3 | de: q3
quarter 4 | en: q4 | de: q4
halves 1 | en: h1
halves 2 | en: h2
week_number 0 | en: week | de: kw, woche | es: semana | fr: semaine | pt: semana
season 0 | es: primavera | de: frühling, frühjahr | fr: printemps | pt: primavera
    | ru: весной, весны | zh: 春天, 春季 | ja: 春
season 1 | en: summer | es: verano | de: sommer | fr: été | pt: verão | ru: летом, лета
    | zh: 夏天, 夏季 | ja: 夏
season 2 | en: autumn | es: otoño | de: herbst | fr: automne | pt: outono | ru: осенью, осени
    | zh: 秋天, 秋季 | ja: 秋
season 3 | en: winter | es: invierno | de: winter | fr: hiver | pt: inverno | ru: зимой, зимы
    | zh: 冬天, 冬季 | ja: 冬
weak_season 0 | en: spring
weak_season 2 | en: fall
edge 0 | en: early, beginning of, start of, early in
    | es: principios de, a principios de, inicios de | de: anfang, beginn
    | fr: début, au début de | pt: início de, início do, começo de
    | ru: начале, в начале, начало
edge 1 | en: mid, middle of, in the middle of | es: mediados de, a mediados de | de: mitte
    | fr: mi, milieu de | pt: meados de | ru: середине, в середине
edge 2 | en: late, end of, late in | es: finales de, a finales de, fines de | de: ende
    | fr: fin, fin de, à la fin de | pt: fim de, final de, fim do, final do | ru: конце, в конце
ago 0 | en: ago | es: atrás | pt: atrás | ru: назад, тому назад | zh: 前, 之前, 以前 | ja: 前, まえ
ago_first 0 | es: hace | de: vor | fr: il y a, voici | pt: há, faz
ahead 0 | en: in | es: en, dentro de | de: in | fr: dans | pt: em, daqui a | ru: через
hence 0 | en: from now, from today | zh: 后, 之后, 以后 | ja: 後
since 0 | en: since, starting, ever since | es: desde, a partir de, desde el | de: seit, ab
    | fr: depuis, à partir de, à partir du, dès | pt: desde, a partir de, desde o
    | ru: с, со, начиная с | zh: 从, 自, 自从
from 0 | en: from | es: de, del, desde | de: von, vom | fr: de, du | pt: de, do, da | ru: с, со
    | zh: 从
before 0 | en: before, prior to, earlier than | es: antes de, antes del | de: vor | fr: avant
    | pt: antes de, antes do, antes da | ru: до, перед
after 0 | en: after, later than | es: después de, después del, tras | de: nach | fr: après
    | pt: depois de, depois do, após | ru: после
until 0 | en: until, till, up to, through, thru | es: hasta | de: bis, bis zum
    | fr: jusqu'à, jusqu'au, jusqu'en | pt: até | zh: 截至, 到
by 0 | en: by
older 0 | en: older than
newer 0 | en: newer than
between 0 | en: between | es: entre | de: zwischen | fr: entre | pt: entre | ru: между
and 0 | en: and, & | es: y, e | de: und | fr: et | pt: e | ru: и | zh: 和 | ja: と
to 0 | en: to, until, till, through, thru | es: a, al, hasta | de: bis, bis zum
    | fr: à, au, jusqu'au, jusqu'à | pt: a, ao, até | ru: по, до | zh: 到, 至 | ja: から, ~, 〜
onwards 0 | en: on, onward, onwards, forward | zh: 以来, 起, 开始, 至今 | ja: 以来, 以降, から
    | es: en adelante | de: an | pt: em diante
then_before 0 | zh: 之前, 以前, 前 | ja: より前, 以前, 前
then_after 0 | zh: 之后, 以后, 后 | ja: より後, 以後
then_until 0 | ja: まで, までに | zh: 为止
in 0 | en: in, on, during, over, within, throughout, at | es: en, durante, el
    | de: im, in, am, an, während | fr: en, pendant, durant, au cours de, au
    | pt: em, no, na, nos, nas, durante | ru: в, во, на, за | zh: 在, 于
the 0 | en: the | es: el, la, los, las | de: der, die, das, den, dem, des | fr: le, la, les, l'
    | pt: o, a, os, as
of 0 | en: of | es: de, del | de: des | fr: de, du, de l' | pt: de, do, da | zh: 的 | ja: の
year_sign 0 | zh: 年 | ja: 年 | ru: года, году, год, г
month_sign 0 | zh: 月 | ja: 月
day_sign 0 | zh: 日, 号 | ja: 日 | ru: числа
years 1 | zh: 年, 年间 | ja: 年, 年間
days 1 | zh: 日 | ja: 日
weekday 0 | en: monday | es: lunes | de: montag | fr: lundi | pt: segunda-feira
    | ru: понедельник, понедельника | zh: 周一, 星期一, 礼拜一, 週一 | ja: 月曜日, 月曜
weekday 1 | en: tuesday | es: martes | de: dienstag | fr: mardi | pt: terça-feira
    | ru: вторник, вторника | zh: 周二, 星期二, 礼拜二, 週二 | ja: 火曜日, 火曜
weekday 2 | en: wednesday | es: miércoles | de: mittwoch | fr: mercredi | pt: quarta-feira
    | ru: среду, среды, среда | zh: 周三, 星期三, 礼拜三, 週三 | ja: 水曜日, 水曜
weekday 3 | en: thursday | es: jueves | de: donnerstag | fr: jeudi | pt: quinta-feira
    | ru: четверг, четверга | zh: 周四, 星期四, 礼拜四, 週四 | ja: 木曜日, 木曜
weekday 4 | en: friday | es: viernes | de: freitag | fr: vendredi | pt: sexta-feira
    | ru: пятницу, пятницы, пятница | zh: 周五, 星期五, 礼拜五, 週五 | ja: 金曜日, 金曜
weekday 5 | en: saturday | es: sábado | de: samstag, sonnabend | fr: samedi | pt: sábado
    | ru: субботу, субботы, суббота | zh: 周六, 星期六, 礼拜六, 週六 | ja: 土曜日, 土曜
weekday 6 | en: sunday | es: domingo | de: sonntag | fr: dimanche | pt: domingo
    | ru: воскресенье, воскресенья | zh: 周日, 星期日, 星期天, 周天, 週日 | ja: 日曜日, 日曜
weak_weekday 0 | en: mon | pt: segunda
weak_weekday 1 | en: tue, tues | pt: terça
weak_weekday 2 | en: wed | pt: quarta
weak_weekday 3 | en: thu, thur, thurs | pt: quinta
weak_weekday 4 | en: fri | pt: sexta
weak_weekday 5 | en: sat
weak_weekday 6 | en: sun
"""

_MONTHS = """
en: january february march april may june july august september october november december
es: enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
de: januar februar märz april mai juni juli august september oktober november dezember
fr: janvier février mars avril mai juin juillet août septembre octobre novembre décembre
pt: janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
ru: январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
ru: января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ru: январем февралем мартом апрелем маем июнем июлем августом сентябрем октябрем ноябрем декабрем
ru: январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре
"""
_ABBREVIATED = "jan feb mar apr jun jul aug sep sept oct nov dec"
_WEEK_PREFIXES = {
    -1: "上周 上星期 上个星期 上週",
    0: "本周 这周 这个星期 這週",
    1: "下周 下星期 下个星期 下週",
}


class Meaning(NamedTuple):
    """What a word says: of which kind, which value, in which languages (a sum of bits)."""

    kind: str
    value: int | str
    langs: int


Form = tuple[str, ...]
"""The tokens of a form, as ``mind.text.dates.lexicon`` cuts them."""

WORD = re.compile(
    r"[\u3005\u3040-\u30ff\u3400-\u9fff]|[^\W\u3005\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]"
)
"""How a form is cut: characters of Chinese and Japanese stand for themselves."""


@cache
def forms() -> dict[str, list[tuple[Form, tuple[dict[str, Meaning], ...]]]]:
    """By its first token: each form, longest first, and the meanings of the tokens it becomes."""
    known: dict[Form, tuple[dict[str, Meaning], ...]] = {}
    for meanings, form in _all():
        key = tuple(WORD.findall(fold(form)))
        found = known.get(key, ())
        if len(found) != len(meanings):
            found = tuple({} for _ in meanings)
        known[key] = found
        for said, one in zip(found, meanings, strict=True):
            before = said.get(one.kind)
            langs = one.langs | (before.langs if before and before.value == one.value else 0)
            said[one.kind] = one._replace(langs=langs)
    table: dict[str, list[tuple[Form, tuple[dict[str, Meaning], ...]]]] = {}
    for key in sorted(known, key=len, reverse=True):
        table.setdefault(key[0], []).append((key, known[key]))
    return table


def _all() -> Iterator[tuple[tuple[Meaning, ...], str]]:
    for row in _ROWS.replace("\n    ", " ").strip().splitlines():
        meaning, *spoken = row.split(" | ")
        for language, _, said in (part.partition(": ") for part in spoken):
            langs = LANGUAGES[language]
            for form in said.split(", "):
                yield tuple(_meaning(one, langs) for one in meaning.split(" + ")), form
    yield from _month_names()
    for value, prefixes in _WEEK_PREFIXES.items():
        for prefix in prefixes.split():
            for number, day in [*enumerate("一二三四五六日"), (6, "天")]:
                week = Meaning("rel", value, 64), Meaning("unit", "week", 64)
                yield (*week, Meaning("weekday", number, 64)), prefix + day


def _meaning(text: str, langs: int) -> Meaning:
    kind, value = text.split()
    return Meaning(kind, value if kind == "unit" else int(value), langs)


def _month_names() -> Iterator[tuple[tuple[Meaning, ...], str]]:
    named = set()
    for line in _MONTHS.strip().splitlines():
        language, names = line.split(": ")
        for number, name in enumerate(names.split(), 1):
            named.add(fold(name))
            yield (Meaning("month", number, LANGUAGES[language]),), name
    for name, number in MONTHS.items():
        if name not in named:
            english = name in _ABBREVIATED.split()
            yield (Meaning("short_month", number, LANGUAGES["en"] if english else 0),), name


_EAST = "\u3005\u3040-\u30ff\u3400-\u9fff"
_END = rf"(?![^\W{_EAST}])"
_DAY = r"\d{4}(?:(?P<s>[-/])\d{1,2}(?P=s)\d{1,2}|\.\d{2}\.\d{2})"
_DAY_FIRST = r"(?:\d{1,2}\. ?\d{1,2}\. ?|\d{1,2}(?P<z>[-/])\d{1,2}(?P=z))"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?"
_TOKEN = re.compile(
    rf"(?P<day>{_DAY}(?:[t ]{_CLOCK})?|{_DAY_FIRST}\d{{4}}){_END}(?![-.]\d)"
    rf"|(?P<week>\d{{4}}-?w\d{{1,2}}){_END}"
    rf"|(?P<quarter>\d{{4}}[-/ ]?q[1-4]){_END}"
    rf"|(?P<month>\d{{4}}[-/]\d{{2}}){_END}(?![-/.]\d)"
    rf"|(?P<junk>\d+(?:[.,:]\d+)+[^\W{_EAST}]*)"
    rf"|(?P<number>\d{{1,9}})(?P<nth>st|nd|rd|th|er|o|°|-?го)?{_END}"
    rf"|(?P<word>[^\W{_EAST}]+|[{_EAST}]|\.{{2,3}}|[^\w\s])"
)
_ENGLISH_TO = Meaning("to", 0, 255)
_SIGNS = {sign: {"to": _ENGLISH_TO, "dash": _ENGLISH_TO} for sign in ("-", "..", "...", "~")}
_NOTHING: dict[str, Meaning] = {}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text.

    Attributes:
        text: Folded.
        start: Where it begins in the text as it was given.
        end: Where it ends there.
        shape: ``day``, ``week``, ``quarter``, ``month``, ``number``, ``junk`` or ``word``.
        means: What the lexicon says, by kind.
        nth: It is a number written as an ordinal: "3rd".
    """

    text: str
    start: int
    end: int
    shape: str
    means: dict[str, Meaning] = field(default_factory=dict)
    nth: bool = False

    @property
    def number(self) -> int | None:
        """Its value if it is written in digits and small enough for a date."""
        return int(self.text) if self.shape == "number" and len(self.text) <= 4 else None


@lru_cache(4096)
def _folded(character: str) -> str:
    return fold(character).replace("’", "'").replace("…", "...")


def _with_places(text: str) -> tuple[str, list[int] | None]:
    """``text`` folded, and from where in it each character comes; None if from the same place."""
    if text.isascii():
        return text.lower(), None
    pieces = [_folded(character) for character in text]
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``; those of a form of several words are one."""
    folded, places = _with_places(text)
    found = list(_TOKEN.finditer(folded))
    words = [one.group() for one in found]
    known = forms()
    result: list[Token] = []
    at = 0
    while at < len(found):
        begin = found[at]
        length, meanings = _longest(known.get(words[at], []), words, at)
        last = found[at + length - 1]
        start, end = begin.start(), last.end()
        if places is not None:
            start, end = places[start], places[end - 1] + 1
        result += _made(begin, words[at : at + length], (start, end), meanings)
        at += length
    return result


def _longest(
    candidates: list[tuple[Form, tuple[dict[str, Meaning], ...]]], words: list[str], at: int
) -> tuple[int, tuple[dict[str, Meaning], ...]]:
    for form, meanings in candidates:
        if tuple(words[at : at + len(form)]) == form:
            return len(form), meanings
    return 1, ()


def _made(
    begin: "re.Match[str]",
    words: list[str],
    place: tuple[int, int],
    meanings: tuple[dict[str, Meaning], ...],
) -> Iterator[Token]:
    shape = begin.lastgroup or "word"
    if shape == "nth":
        yield Token(begin["number"], *place, "number", nth=True)
    elif meanings:
        for one in meanings:
            yield Token(" ".join(words), *place, "word", one)
    else:
        yield Token(words[0], *place, shape, _SIGNS.get(words[0], _NOTHING))


@dataclass(frozen=True)
class Text:
    """What is read: its tokens, and from which day it is seen."""

    tokens: Sequence[Token]
    today: date
    week_starts: int = 0
    known: dict[int, Any] = field(default_factory=dict)
    """What was read where, so that no place is read twice."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The different ones."""
        return frozenset(token.text for token in self.tokens)

    def says(self, at: int, kind: str, langs: int = EVERY) -> Meaning | None:
        """What the token there means as a ``kind``, in one of these languages."""
        found = self.tokens[at].means.get(kind) if at < len(self.tokens) else None
        return found if found and (found.langs & langs or not found.langs) else None

    def number(self, at: int) -> int | None:
        """The number there in digits."""
        return self.tokens[at].number if at < len(self.tokens) else None

    def skip(self, at: int, *kinds: str) -> int:
        """Behind up to three tokens of these kinds."""
        for _ in range(3):
            if not any(self.says(at, kind) for kind in kinds):
                break
            at += 1
        return at

    def is_sign(self, at: int, *signs: str) -> bool:
        """Whether one of these characters stands there."""
        return at < len(self.tokens) and self.tokens[at].text in signs
