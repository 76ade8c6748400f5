"""Words for times in seven languages, as the English words of the grammar in ``moments``."""

import re
from functools import cache

from mind.text.dates.days import fold

UNCLEAR = "unclear"
"""Stands for idioms that mean two times: "dans quinze jours" is in two weeks."""
_PHRASES = """
today: hoy, heute, aujourd'hui, aujourd’hui, hoje, сегодня, 今天, 今日, きょう
tomorrow: mañana, morgen, demain, amanhã, завтра, 明天, 明日, あした, あす
day after tomorrow: pasado mañana, übermorgen, uebermorgen, après-demain, après demain,
    depois de amanhã, послезавтра, 后天, 後天, 明後日, あさって
tonight: esta noche, heute nacht, cette nuit, esta noite, 今晚, 今夜, 今晩
morning: por la mañana, de la mañana, früh, vormittag, vormittags, matin, de manhã, da manhã,
    pela manhã, утром, утра, 早上, 上午, 早晨, 朝, 午前
tomorrow morning: mañana por la mañana, morgen früh, morgen vormittag, demain matin,
    amanhã de manhã, 明早, 明朝
afternoon: por la tarde, de la tarde, nachmittag, nachmittags, de l'après-midi, après-midi,
    à tarde, de tarde, da tarde, днем, 下午, 午後
evening: abend, abends, soir, du soir, вечером, вечера, 傍晚, 晚上, 夕方, 晩
night: por la noche, de la noche, nacht, nachts, à noite, de noite, da noite, ночью, 夜
this afternoon: esta tarde, cet après-midi
noon: mediodía, al mediodía, a mediodía, mittag, mittags, midi, à midi, meio-dia, meio dia,
    ao meio-dia, полдень, в полдень,
    中午, 正午, 昼
midnight: medianoche, a medianoche, mitternacht, um mitternacht, minuit, à minuit, meia-noite,
    meia noite, à meia-noite, полночь, в полночь, 午夜, 半夜, 真夜中
this: esta, este, diese, diesen, dieser, dieses, ce, cet, cette, этот, эту, это, 本
next: próximo, próxima, nächste, nächsten, nächster, nächstes, prochain, prochaine, следующий,
    следующую, следующее
coming: kommende, kommenden, kommender, kommendes, que viene, que vem
this week: esta semana, diese woche, in dieser woche, cette semaine, nesta semana,
    на этой неделе, 今週
next week: la próxima semana, próxima semana, la semana que viene, semana que viene,
    la semana próxima, na próxima semana, semana que vem, na semana que vem, nächste woche,
    kommende woche, in der nächsten woche, la semaine prochaine, semaine prochaine,
    на следующей неделе, следующая неделя, 下周, 下週, 下星期, 下个星期, 来週
next month: el próximo mes, próximo mes, el mes que viene, no próximo mês, mês que vem,
    no mês que vem, nächsten monat, im nächsten monat, le mois prochain, mois prochain,
    в следующем месяце, следующий месяц, 下个月, 下月, 来月
next year: el próximo año, el año que viene, no próximo ano, ano que vem, nächstes jahr,
    im nächsten jahr, l'année prochaine, в следующем году, 明年, 来年
weekend: fin de semana, el fin de semana, este fin de semana, wochenende, am wochenende,
    dieses wochenende, week-end, le week-end, ce week-end, final de semana, no fim de semana,
    fim de semana, neste fim de semana, выходные, в выходные, на выходных, 周末, 週末
end of week: ende der woche, fin de la semaine, à la fin de la semaine, fim da semana,
    в конце недели, конец недели
end of month: fin de mes, a fin de mes, finales de mes, a finales de mes, monatsende,
    ende des monats, am ende des monats, fin du mois, à la fin du mois, fim do mês, no fim do mês,
    final do mês, в конце месяца, конец месяца, 月底, 月末
end of year: fin de año, a fin de año, jahresende, ende des jahres, fin de l'année, fim do ano,
    в конце года, конец года, 年底, 年末
every: cada, a cada, todos los, todas las, jeden, jede, jedes, jeder, alle, chaque, tous les,
    toutes les, toda, todo, todas as, todos os, каждый, каждую, каждое, каждые, каждого,
    每个, 每, 毎
every day: täglich, diariamente, a diario, quotidiennement, ежедневно, 每天, 每日, 毎日
every week: wöchentlich, semanalmente, еженедельно, 每周, 每週, 每星期, 毎週
every month: monatlich, mensualmente, mensalmente, ежемесячно, 每月, 每个月, 毎月
every year: jährlich, anualmente, ежегодно, 每年, 毎年
every morning: jeden morgen, cada mañana, todas las mañanas, toda manhã, todas as manhãs,
    каждое утро, 毎朝
every evening: каждый вечер, 毎晩
every 1st: am ersten jedes monats, jeden ersten des monats, el primero de cada mes,
    el primer día de cada mes, le premier de chaque mois, le premier jour de chaque mois,
    todo dia primeiro, primeiro dia de cada mês, первого числа каждого месяца, 每月一号, 毎月一日
on mondays: montags, los lunes, lundis, às segundas, segundas, segundas-feiras, по понедельникам
on tuesdays: dienstags, los martes, mardis, às terças, terças, terças-feiras, по вторникам
on wednesdays: mittwochs, los miércoles, mercredis, às quartas, quartas, quartas-feiras, по средам
on thursdays: donnerstags, los jueves, jeudis, às quintas, quintas, quintas-feiras, по четвергам
on fridays: freitags, los viernes, vendredis, às sextas, sextas, sextas-feiras, по пятницам
on saturdays: samstags, los sábados, sábados, samedis, aos sábados, по субботам
on sundays: sonntags, los domingos, domingos, dimanches, aos domingos, по воскресеньям
end of: ende, fin, fin de, finales de, a finales de, fim de, no fim de, в конце, конец
start of: anfang, début, au début de, principios de, a principios de, início de, no início de,
    в начале, начало
in: en, dentro de, dans, d'ici, em, daqui a, через
on: el, am, den, le, na, в, во
half an hour: media hora, halben stunde, halbe stunde, einer halben stunde, eine halbe stunde,
    demi-heure, une demi-heure, demi heure, une demi heure, meia hora, полчаса, 半小时, 半時間
unclear: через день, quinze jours, huit jours, quince días, ocho días
1 year: un an
minutes: минуту, minutos, minuto, minuten, minutes, минуты, минут, 分钟, 分間
hours: час, horas, hora, stunden, stunde, heures, heure, часа, часов, 小时, 時間
days: день, días, día, tagen, tage, tag, jours, jour, dias, dia, дня, дней, 日間
weeks: неделю, semanas, semana, wochen, woche, semaines, semaine, недели, недель, 星期, 週間
months: месяц, meses, mes, mês, monaten, monate, monat, mois, месяца, месяцев, 个月, か月,
    ヶ月, カ月
years: год, años, año, anos, ano, jahren, jahre, jahr, ans, années, года, лет
business days: días hábiles, día hábil, días laborables, werktagen, werktage, werktag,
    arbeitstagen, arbeitstage, arbeitstag, jours ouvrés, jours ouvrables, jour ouvré, dias úteis,
    dia útil, рабочих дней, рабочих дня, рабочий день, 工作日, 営業日
monday: lunes, montag, lundi, segunda-feira, segunda, понедельник, 星期一, 周一, 月曜日, 月曜
tuesday: martes, dienstag, mardi, terça-feira, terça, вторник, 星期二, 周二, 火曜日, 火曜
wednesday: miércoles, mittwoch, mercredi, quarta-feira, quarta, среда, среду, 星期三, 周三,
    水曜日, 水曜
thursday: jueves, donnerstag, jeudi, quinta-feira, quinta, четверг, 星期四, 周四, 木曜日, 木曜
friday: viernes, freitag, vendredi, sexta-feira, sexta, пятница, пятницу, 星期五, 周五, 金曜日,
    金曜
saturday: sábado, no sábado, samstag, sonnabend, samedi, суббота, субботу, 星期六, 周六, 土曜日,
    土曜
sunday: domingo, no domingo, sonntag, dimanche, воскресенье, 星期日, 星期天, 周日, 周天, 日曜日,
    日曜
"""

_NUMBERS = """
1: a, an, one, un, una, uno, ein, eine, einem, einen, einer, une, um, uma, один, одну, 一
2: two, couple of, un par de, dos, zwei, deux, dois, duas, два, две, 两, 兩, 二
3: three, tres, drei, trois, três, три, 三
4: four, cuatro, vier, quatre, quatro, четыре, 四
5: five, cinco, fünf, cinq, пять, 五
6: six, seis, sechs, шесть, 六
7: seven, siete, sieben, sept, sete, семь, 七
8: eight, ocho, acht, huit, oito, восемь, 八
9: nine, nueve, neun, neuf, nove, девять, 九
10: ten, diez, zehn, dix, dez, десять, 十
12: twelve, doce, zwölf, douze, doze, двенадцать
14: fourteen, catorce, vierzehn, quatorze, четырнадцать
15: fifteen, quince, fünfzehn, quinze, пятнадцать
20: twenty, veinte, zwanzig, vingt, vinte, двадцать
30: thirty, treinta, dreißig, trente, trinta, тридцать
45: forty-five, cuarenta y cinco, fünfundvierzig, quarante-cinq, quarenta e cinco, сорок пять
60: sixty, sesenta, sechzig, soixante, sessenta, шестьдесят
90: ninety, noventa, neunzig, quatre-vingt-dix, noventa, девяносто
0.5: half a, half an, 半
1.5: one and a half, anderthalb, полтора, полторы
"""

_EAST = "\u3040-\u30ff\u3400-\u9fff"
_MONTHS = " january february march april may june july august september october november december"
_EAST_UNITS: dict[str, str] = {
    "工作日": "business days", "営業日": "business days", "分钟": "minutes", "分": "minutes",
    "小时": "hours", "時間": "hours", "天": "days", "日": "days", "周": "weeks", "星期": "weeks",
    "週間": "weeks", "月": "months", "か月": "months", "ヶ月": "months", "カ月": "months",
    "年": "years",
}  # fmt: skip
_REWRITES = (
    # 每月1号 → every 1st
    (re.compile(r"[每毎]个?月の?(\d{1,2})[日号號]"), r" every \1th "),
    # 2027年12月20日 → 2027-12-20, 12月20日 → 20 december
    (re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})[日号號]?"), r" \1-\2-\3 "),
    (
        re.compile(r"(?<!\d)(0?[1-9]|1[0-2])月(\d{1,2})[日号號]"),
        lambda found: f" {found[2]} {_MONTHS.split()[int(found[1]) - 1]} ",
    ),
    # 3天后, 3日後, 两周后 → in 3 days
    (
        re.compile(
            r"(?P<n>\d+|[一二三四五六七八九十两兩半])(?P<unit>个?工作日|営業日|分钟|个?小时|天|周|个?星期|个月|年|"
            r"分|時間|日|週間|[かヶカ]月)(?:之后|以后|以後|后|後)"
        ),
        lambda found: f" in {found['n']} {_EAST_UNITS[found['unit'].removeprefix('个')]} ",
    ),
    # 下午3点半, 15時30分 → afternoon at 3:30
    (
        re.compile(r"(\d{1,2})[点點時时](?!間)(?:(半)|(\d{1,2})分?)?"),
        lambda found: f" at {found[1]}:{'30' if found[2] else (found[3] or '0').zfill(2)} ",
    ),
    # 15 Uhr 30, 15h30, à 15 heures → at 15:30
    (
        re.compile(r"(?:\bum )?(?<!\d)(\d{1,2})(?:[:.](\d{2}))? ?uhr(?: (\d{2}))?\b"),
        lambda found: f" at {found[1]}:{found[2] or found[3] or '00'} ",
    ),
    (
        re.compile(r"\b(?:a|at|(a las?|as)) (\d{1,2}) ?(?:h|heures?|(?(1)horas?|h)) ?(\d{2})?\b"),
        lambda found: f" at {found[2]}:{found[3] or '00'} ",
    ),
    (re.compile(r"(?<!\w)в (\d{1,2}) час(?:а|ов)?\b"), r" at \1:00 "),
    (re.compile(r"(?<!\w)(\d{1,2}) час(?:а|ов)?(?= (?:утра|вечера))"), r" at \1:00 "),
    (re.compile(r"(?<!\w)(?:a las?|as|um|kl) (?=\d)"), " at "),
    (re.compile(r"(?<!\w)(?:a|в) (?=\d{1,2}(?::\d| (?:утра|вечера)))"), " at "),
    # el día 5, 5 числа, 5日 → 5th
    (re.compile(r"(?<!\w)(?:(?:el|no|o) )?dia (\d{1,2})(?! ?\w)"), r" \1th "),
    (re.compile(r"(?<!\w)(?:(?:el|no|o) )?dia (?=\d{1,2} de )"), " "),
    (re.compile(r"(?<!\w)(\d{1,2}) числа(?!\w)"), r" \1th "),
    (re.compile(r"^(\d{1,2})[日号號](?=$|[のに ])"), r" \1th "),
    # 下周一 → next week 周一
    (re.compile(r"下个?(?:周|週|星期)(?=[一二三四五六日天])"), " next week 周"),
    (re.compile(r"[本这這]个?(?:周|週|星期)(?=[一二三四五六日天])"), " this week 周"),
    (re.compile(r"(?:周|週)(?=[一二三四五六日天])"), " 周"),
    # joined, so that "am" stays what it is in English: behind anything else it is German
    (re.compile(r"(?<=\d) ?([ap])\.? ?m\b\.?"), r"\1m"),
)


def _table(text: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        meaning, _, forms = line.partition(": ")
        table |= {fold(form.strip()): meaning for form in forms.split(",")}
    return table


@cache
def numbers() -> dict[str, float]:
    """Folded number words to their values."""
    return {word: float(value) for word, value in _table(_NUMBERS).items()}


@cache
def _phrases() -> "tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]":
    table = _table(_PHRASES)
    longest = sorted(table, key=len, reverse=True)
    east = re.compile(f"[{_EAST}]")
    with_spaces = "|".join(re.escape(form) for form in longest if not east.search(form))
    without = "|".join(re.escape(form) for form in longest if east.search(form))
    return table, re.compile(without), re.compile(rf"(?<![\w-])(?:{with_spaces})(?![\w-])")


def in_english(folded: str) -> str:
    """A folded text with the words for times that it holds in English; others stay."""
    table, east, spaced = _phrases()
    for pattern, replacement in _REWRITES:
        folded = pattern.sub(replacement, folded)
    folded = east.sub(lambda found: f" {table[found.group()]} ", folded)
    folded = re.sub(r"[のにへ、，]", " ", folded)
    folded = spaced.sub(lambda found: table[found.group()], folded)
    return " ".join(folded.split())
