"""Words for times in seven languages, as the English words of the grammar in ``moments``."""

import re
from functools import cache

from mind.text import languages, table
from mind.text.dates.days import fold, said_in

UNCLEAR = "unclear"
"""Stands for idioms that mean two times: "dans quinze jours" is in two weeks."""
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


def _all(part: str) -> dict[str, str]:
    """Folded forms → what they mean, of the files of all languages."""
    return {
        fold(form): meaning
        for language in languages("dates")
        for meaning, forms in table(f"dates/{language}").get(part, {}).items()
        for form in said_in(forms)
    }


@cache
def numbers() -> dict[str, float]:
    """Folded number words to their values."""
    return {word: float(value) for word, value in _all("numbers").items()}


@cache
def _phrases() -> "tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]":
    said = _all("phrases")
    longest = sorted(said, key=len, reverse=True)
    east = re.compile(f"[{_EAST}]")
    with_spaces = "|".join(re.escape(form) for form in longest if not east.search(form))
    without = "|".join(re.escape(form) for form in longest if east.search(form))
    return said, re.compile(without), re.compile(rf"(?<![\w-])(?:{with_spaces})(?![\w-])")


def in_english(folded: str) -> str:
    """A folded text with the words for times that it holds in English; others stay."""
    said, east, spaced = _phrases()
    for pattern, replacement in _REWRITES:
        folded = pattern.sub(replacement, folded)
    folded = east.sub(lambda found: f" {said[found.group()]} ", folded)
    folded = re.sub(r"[のにへ、，]", " ", folded)
    folded = spaced.sub(lambda found: said[found.group()], folded)
    return " ".join(folded.split())
