"""Score an act against a rejection: features of the pair, and their weights.

Hooks import this module, so it imports little. A row is a rejection as JSON (see
:mod:`mind.text.matching.candidates`), with the weights of its names and words.
"""

import math

from mind.text import interpolated

TYPE_CHECKING = False  # importing typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from mind.text.matching.acts import Act

    Row = dict[str, Any]

_OF_SUBJECT, _MOST_OF_IT, _SOME = ("package", "part", "head", "concept", "keyword"), 0.5, 0.25
"""Features for the share of the subject in an act, and the minimum share in prose, and in the
subject of a new rejection; overlap with the circumstances ("… for the ledger") is not enough to
interrupt, nor is a reason that names what another entry rejects."""
_TOGETHER = 0.6
"""Of words that the whole memory has, three in one act interrupt; fewer are related."""
_NAMING, _TELLING = ("package", "part", "exact", "concept", "keyword"), 0.69
"""In code, one of these or a word this rare is needed: ``request`` and ``3`` are common."""
_SHORT, _UNFITTED = 0.01, 0.7
RAREST = 8.0
_ENOUGH = 2
"""Keywords in an act that are as good as more of them."""
_LIKELY = 8
"""Maximum matches of a long text that are compared with a few lines at a time."""
_MOST_COMPARED = 60
"""Maximum rejections sharing words with a long text that are compared."""
_ALIKE, _LIKE = 0.75, 5
"""Share and number of leading letters that two words must have in common to be equal."""


class Met:
    """A rejection that an act matches.

    Attributes:
        row: The rejection.
        why: Its words that occur in the act.
        score: Probability that it is the same, 0–1.
        called: Its keywords that are names and occur in the act.
        is_beside: The act is a rejection of something else, and only its reasons match.
    """

    __slots__ = ("called", "is_beside", "row", "score", "values", "why")

    def __init__(self, row: "Row", why: "list[str]", values: "dict[str, float]") -> None:
        self.row = row
        self.why = why
        self.values = values
        self.score = 0.0
        self.called: list[str] = []
        self.is_beside = False

    @property
    def matched(self) -> float:
        """The share of its subject that the act has."""
        return max(self.values[name] for name in _OF_SUBJECT)

    @property
    def tells_together(self) -> bool:
        """True if the act has a name in code, or several words, which tell something together."""
        return bool(self.values["exact"]) or self.values["several"] > _TOGETHER


def compare(act: "Act", row: "Row") -> Met | None:
    """The features of an act and a rejection; None if they have nothing in common."""
    if (act.channel == "install" and row["sort"] == "gotcha") or _is_cured(act, row):
        return None
    why: list[str] = []
    package, part, name, exact = _named(act, row, why)
    concept, covered = _concepts(act, row, why)
    worded = act.channel != "install"
    head = _hits(act, row["head"], covered, why) if worded or concept else []
    rest = _hits(act, row["rest"], covered, why) if worded or package or part or concept else []
    known_as = _keywords(act, row, why)
    if row["together"] and not (package or name) and len(head) < len(row["head"]):
        head, rest = [], []
    if not (package or part or name or head or concept or rest or known_as):
        return None
    total = sum(weight for _, weight in row["head"]) or 1.0
    beside = sum(weight for _, weight in row["rest"])
    choice = [weight for word, weight in row["chosen"] if word in act.stems or _near(act, word)]
    rather = sum(choice) / (sum(weight for _, weight in row["chosen"]) or 1.0)
    known = max(sum(head), package * total)
    met = known + sum(rest)
    is_said = act.channel in ("prose", "repeat")
    is_trap = row["sort"] == "gotcha"
    result = Met(row, why, {
        "package": package,
        "part": part,
        "exact": exact,
        "best": max([*head, *rest, name]) / RAREST,
        "head": known / total,
        "all": met / (total + beside),
        "mass": min(met, 4 * RAREST) / (4 * RAREST),
        "several": min(max(len(head) + len(rest) - 1, 0), 3) / 3,
        "condition": sum(rest) / beside if beside else 0.5,
        "remedy": max(choice, default=0.0) / RAREST if is_trap else 0.0,
        "concept": concept,
        "share": min(1.0, met / (6.0 * max(1, len(act.stems)))) if is_said else 0.0,
        "gotcha": float(is_trap),
        "rather": rather * (1 - known / total),
        "tests": float(act.tests and not row["tests"]),
        "keyword": min(known_as, _ENOUGH) / _ENOUGH,
        "listed": float(bool(row["keywords"])),
    })  # fmt: skip
    result.called = list(_called(act, row))
    if act.subject is not None:
        about = compare(act.subject, row)
        result.is_beside = about is None or about.matched < _SOME
    return result


def _is_cured(act: "Act", row: "Row") -> bool:
    """Return whether code uses the alternative and does not add the rejected subject."""
    if act.channel in ("prose", "repeat") or any(one[0] in act.packages for one in row["names"]):
        return False
    return any(one in act.names or one in act.packages for one in row["cures"])


_SURE, _SPOKEN, _KNOWN = 6.5, 5.5, 4.0
"""Minimum weights of a word to be certainly a name, not an everyday word, or possibly a name."""


def _named(act: "Act", row: "Row", why: "list[str]") -> tuple[float, float, float, float]:
    """Share of the subject that is a package, or part of one; weight of the rarest name; code."""
    package = part = name = exact = 0.0
    for written, weight, share, is_code in row["names"]:
        if written in act.packages and weight >= (
            _SPOKEN if act.channel in ("prose", "repeat") else _KNOWN
        ):
            package = max(package, share)
            why.append(written)
        elif "~" + written in act.packages and weight >= _SURE:
            part = max(part, share)
            why.append(written)
        if written in act.names or written in act.packages:
            exact = max(exact, is_code * weight / RAREST)
            if weight >= _SURE:
                name = max(name, weight)
                why.append(written)
    return package, part, name, exact


def _hits(
    act: "Act", words: "list[list[Any]]", covered: "dict[str, float]", why: "list[str]"
) -> "list[float]":
    """The weights of the words that the act has, those of synonyms reduced."""
    found: list[float] = []
    worded = act.channel != "install"
    for word, weight in words:
        worth = covered.get(word, 0.0)
        if worded and worth < 1:
            worth = 1.0 if word in act.stems else max(worth, 0.7 if _near(act, word) else 0.0)
        if worth:
            found.append(worth * weight)
            why.append(word)
    return found


def _near(act: "Act", word: str) -> bool:
    """Return whether a word of the act has largely the same beginning."""
    if len(word) < _LIKE:
        return False
    for other in act.prefixes.get(word[:4], ()):
        size = _common(word, other)
        longest = max(len(word), len(other))
        is_part = size == min(len(word), len(other)) and size >= _MOST_OF_IT * longest
        if size >= _LIKE and (size >= _ALIKE * longest or is_part):
            return True
    return False


def _common(a: str, b: str) -> int:
    size = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        size += 1
    return size


def _concepts(act: "Act", row: "Row", why: "list[str]") -> "tuple[float, dict[str, float]]":
    """The share of the subject covered by synonyms in the act, and its words."""
    best = 0.0
    covered: dict[str, float] = {}
    for forms, share, stems, here in row["concepts"]:
        said = next((form for form in forms if _says(act, form)), None)
        if said is not None:  # a project installs a package once, and names it wherever it uses it
            best = max(best, share if act.channel == "install" else share * here)
            covered.update(dict.fromkeys(stems, _OTHERWISE))
            why += said.lstrip("=#").split("+")
    return best, covered


def _called(act: "Act", row: "Row") -> "Iterator[str]":
    """Yield the keywords, as they were given, that are names and occur in the act.

    A plain word is one in code only where it is imported, and in prose only if it is rare.
    """
    is_said = act.channel in ("prose", "repeat")
    for sort, said, compared in row["given"]:
        is_named = sort == "code" and not act.names.isdisjoint((said, compared))
        is_brought = not is_said and not act.packages.isdisjoint((said, compared))
        is_worded = is_said and sort == "phrase" and _stands_in(act, compared)
        if is_named or is_brought or is_worded or (not said.isalnum() and _stands_in(act, said)):
            yield said


def _stands_in(act: "Act", said: str) -> bool:
    """Return whether a phrase, or a name with punctuation, is in an act and in no longer name.

    After a name, ".env" is another: "process.env".
    """
    if not act.lower:
        act.lower = act.said.lower()
    at = -1 if said in act.before else act.lower.find(said)
    while at >= 0:
        end = at + len(said)
        after = act.lower[end : end + 2].removeprefix("-")[:1]
        goes_on = _is_word(said[-1]) and _is_word(after)
        if not goes_on and (at == 0 or not _is_word(act.lower[at - 1])):
            return True
        at = act.lower.find(said, at + 1)
    return False


def _is_word(sign: str) -> bool:
    return sign.isascii() and (sign.isalnum() or sign == "_")


def _keywords(act: "Act", row: "Row", why: "list[str]") -> int:
    """The number of keywords in the act, each with a word that those before it lack."""
    found = 0
    met: set[str] = set()
    for forms in row["keywords"]:
        said = next((one for one in forms if _says(act, one)), "")
        words = [said[1:]] if said[:1] in ("=", "#") else said.split("+") if said else []
        found += not met.issuperset(words)
        met.update(words)
        why += words
    return found


_OTHERWISE = 0.9
"""Weight of a word matched by a synonym."""


def _says(act: "Act", form: str) -> bool:
    name = form[1:]
    if form[0] == "#":  # an everyday word counts only as what is imported or installed
        return act.channel not in ("prose", "repeat") and name in act.packages
    if form[0] == "=":
        return name in act.packages or (act.channel != "install" and name in act.names)
    return act.channel != "install" and all(part in act.stems for part in form.split("+"))


def judge(met: "list[Met]", channel: str, weights: "dict[str, Any]", candidates: int) -> None:
    """Set the scores: a logistic regression, corrected for the number of candidates."""
    base = weights["base"][channel] - weights["size"] * math.log(max(candidates, 10) / 10)
    table = weights["worth"]
    own = weights.get(channel, {})
    for one in met:
        total = base + sum(
            (table[name] + own.get(name, 0.0)) * value for name, value in one.values.items()
        )
        one.score = 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
        matched = one.matched
        is_named = any(one.values[name] for name in _NAMING) or one.values["best"] >= _TELLING
        if (
            one.is_beside
            or (one.row["together"] and not one.tells_together and channel != "repeat")
            or not matched
            or (
                matched < _MOST_OF_IT or _lacks_name(one)
                if channel == "prose"
                else channel == "code" and not is_named
            )
        ):
            one.score = min(one.score, weights.get("least", _UNFITTED) - _SHORT)


def _lacks_name(one: Met) -> bool:
    """Return whether the rarest word of a subject, its name, is missing, as is any other name."""
    known = dict(one.row["head"])
    if one.values["concept"] >= _MOST_OF_IT or not known or set(one.called) - known.keys():
        return False
    rarest = max(known.values())
    names = [word[:_LIKE] for word in known if known[word] == rarest]
    return rarest >= _SURE and not any(name in met for name in names for met in one.why)


def weigh_meaning(met: "list[Met]", leads: "dict[str, float]", weights: "dict[str, Any]") -> None:
    """Correct the scores of prose by an embedding model.

    What interrupts by meaning alone is of moderate severity (see :func:`likeness`).

    Args:
        met: Rejections that share words with the act.
        leads: Cosine of an entry's text with the act's, less the highest of all others, by id.
        weights: The fitted weights.
    """
    table, least = weights["meaning"], weights["least"]
    for one in met:
        if one.row["id"] in leads and 0 < one.score < 1:
            odds = math.log(one.score / (1 - one.score))
            total = table["base"] + table["score"] * odds + table["lead"] * leads[one.row["id"]]
            most = 1.0 if one.score >= least else (1 + least) / 2 - _SHORT
            one.score = min(most, 1 / (1 + math.exp(-total)))


def least_related(weights: "dict[str, Any]", candidates: int) -> float:
    """The minimum score of a related entry; higher with more candidates."""
    least = float(weights["related"])
    odds = math.log(least / (1 - least)) + weights["crowd"] * math.log(max(candidates, 10) / 10)
    return min(float(weights["least"]), 1 / (1 + math.exp(-odds)))


def words_met(why: "Iterable[str]", *texts: str) -> list[str]:
    """Return the matched words as written, without uninformative ones.

    A long one may be joined: ``reactrouter`` is found in "React-Router".
    """
    import re  # noqa: PLC0415 - hooks need it only after a match

    found: dict[str, str] = {}
    words = dict.fromkeys(re.findall(r"[\w+#]+", "\n".join(texts)))
    parts = [part for one in words for part in one.split("_")]
    joined = dict.fromkeys(re.findall(r"[\w+#-]{6,}", "\n".join(texts)))
    begins = [(one.lower(), one) for one in (*words, *parts, *joined)]
    begins += [(one.translate(_JOINTS).lower(), one) for one in joined]
    for one in dict.fromkeys(why):
        if any(map(str.isalnum, one)):
            forms = (one, f"{one[:-1]}y") if one.endswith("i") else (one,)  # as a stemmer ends it
            told = (word for form in forms for begin, word in begins if begin.startswith(form))
            said = next(told, one)
            found.setdefault(said.casefold(), said)
    whole = [one for one in found if not any(one != other and one in other for other in found)]
    return [found[one] for one in whole[:_WORDS]]


_JOINTS = {ord("-"): "", ord("_"): ""}
_WORDS = 6


def keys_of(row: "Row") -> "set[str]":
    """Return lookup keys of a row: a matching act has at least one."""
    found = {word[:_LIKE] for word, _ in (*row["head"], *row["rest"])}
    found.update("=" + name for name, *_ in row["names"])
    for forms in (*row["keywords"], *(forms for forms, *_ in row["concepts"])):
        for form in forms:
            found.add(form.replace("#", "=", 1) if form[0] in "=#" else form.split("+")[0][:_LIKE])
    return found


def keys_asked(act: "Act") -> "set[str]":
    """Return the lookup keys of an act."""
    found = {stem[:_LIKE] for stem in act.stems}
    found.update("=" + name for name in act.names)
    found.update("=" + name.lstrip("~") for name in act.packages)
    return found


def likely(act: "Act", places: "Callable[[str], Iterable[int]]") -> "list[int]":
    """Positions of rows that share a key with an act; for a long text, a name or several words.

    Args:
        act: The act.
        places: Positions of rows by key.
    """
    shared: dict[int, int] = {}
    least = 2 if act.is_long else 1
    for key in keys_asked(act):
        worth = least if key[0] == "=" else 1
        for at in places(key):
            shared[at] = shared.get(at, 0) + worth
    found = [at for at, count in shared.items() if count >= least]
    if len(found) > _MOST_COMPARED and act.is_long:
        found = sorted(found, key=lambda at: -shared[at])[:_MOST_COMPARED]
    return sorted(found)


def likeness(score: float, weights: "dict[str, Any]") -> float:
    """Map a score to the scale of the settings: .60 interrupts, .80 is certain."""
    least, related = weights["least"], weights["related"]
    knots = ((0.0, 0.0), (related, 0.3), (least, 0.601), ((1 + least) / 2, 0.801), (1.0, 0.94))
    return interpolated(score, knots)


def matches(
    act: "Act", rows: "Iterable[Row]", weights: "dict[str, Any]", candidates: int
) -> "list[Met]":
    """The rejections that an act matches, most certain first."""
    if act.is_silent:
        return []
    met = [one for one in (compare(act, row) for row in rows) if one is not None]
    judge(met, act.channel, weights, candidates)
    if act.is_long:
        met = _together(act, met, weights, candidates)
    met.sort(key=lambda one: (one.score, one.row["id"]))
    return sorted({one.row["id"]: one for one in met}.values(), key=lambda one: -one.score)


_FEW, _MOST_DOUBTED = 2, 6
"""Maximum files with leftovers of something that was turned down, and matches that are looked up;
the rest keep their scores."""


def doubt(
    act: "Act", met: "Iterable[Met]", weights: "dict[str, Any]", spread: "Callable[[str], int]"
) -> None:
    """Lower the scores of matches in code whose words the code uses anyway: none interrupts.

    An entry names what it turned down and the code that it is about. Only the former is missing
    from the code. An import of all that was turned down still counts.

    Args:
        act: The act; only code and manifests are concerned.
        met: Rejections that it matches.
        weights: The fitted weights.
        spread: Number of other files of the code that have a word.
    """
    asked = 0
    for one in met if act.channel in ("code", "install") else ():
        head, beside = dict(one.row["head"]), {word for word, _ in one.row["rest"]}
        words = [word for word in dict.fromkeys(one.why) if word not in beside]
        is_whole = one.values.get("package", 0.0) > _MOST_OF_IT and not head.keys() - {*one.why}
        if one.score < weights["least"] or not words or is_whole or asked >= _MOST_DOUBTED:
            continue
        asked += 1
        if all(spread(word) > _FEW for word in sorted(words, key=lambda it: -head.get(it, RAREST))):
            one.score = weights["least"] - _SHORT


def affirm(met: "Iterable[Met]", weights: "dict[str, Any]", spread: "Callable[[str], int]") -> None:
    """Raise the scores of matches by a name that somebody gave as a keyword: each interrupts.

    Unless the code uses the name anyway, as for :func:`doubt`.
    """
    for one in met:
        is_about_tests = not one.values["tests"] or one.row["sort"] == "gotcha"
        is_meant = one.score < weights["least"] and is_about_tests
        if is_meant and any(spread(name) <= _FEW for name in one.called[:_MOST_DOUBTED]):
            one.score = weights["least"] + _SHORT


def _of_subject(one: Met) -> "list[str]":
    """The rarest matched words not from the condition: without one, nothing interrupts."""
    beside = {word for word, _ in one.row["rest"]}
    known = dict(one.row["head"])
    met = {word: known.get(word, RAREST) for word in one.why if word not in beside}
    least = _ALIKE * max(met.values(), default=0.0)
    return [word for word, weight in met.items() if weight >= least]


def _together(
    act: "Act", met: "list[Met]", weights: "dict[str, Any]", candidates: int
) -> "list[Met]":
    """Return the matches of a long text that a few adjacent lines confirm."""
    likely = sorted(met, key=lambda one: -one.score)[:_LIKELY]
    likely = [one for one in likely if one.score >= weights["least"]]
    found: dict[str, Met] = {}
    own = [(one.row, _of_subject(one)) for one in likely]
    for part in act.parts({word for _, words in own for word in words}) if likely else ():
        lower = part.said.lower()
        near = (row for row, words in own if any(word[:4] in lower for word in words))
        again = [one for one in (compare(part, row) for row in near) if one is not None]
        judge(again, act.channel, weights, candidates)
        for one in again:
            best = found.get(one.row["id"])
            if best is None or best.score < one.score:
                found[one.row["id"]] = one
    called = [one for one in met if one.called]
    for one in called:
        found.setdefault(one.row["id"], one).called = one.called
    return list(found.values())
