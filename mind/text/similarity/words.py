"""Words for the similarity measure: folded, split, stemmed, weighted by rarity."""

import unicodedata
from functools import cache
from itertools import islice

from mind.domain import caching
from mind.text import lazy_pattern, word_weights

_TOKEN = lazy_pattern(r"[^\W_]+")
_CAMEL = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\WA-Za-z\d_]+")
_CJK = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_MOST_WORDS = 400

STOP_WORDS = frozenset(
    """a an and any are as at be been being but by can could did do does doing done for from had has
    have how i if in into is it its just may me might more most my of on only or our out over so
    some such than that the their them then there these they this those to too until up us very was
    we were what when where which while who why will with would you your also now use used using
    all each via per put try tried go going make let want need instead""".split()
)

_SYNONYM_GROUPS = """
db database
auth authentication authenticate login signin
authz authorization authorize
config configuration configure setting settings
repo repository
env environment
deps dep dependency dependencies
dir directory folder
doc docs documentation
fn func function
impl implementation implement
param parameter arg argument
perf performance
prod production
dev development
msg message
err error exception
req request
res resp response
app application
async asynchronous
sync synchronous synchronize
init initialize initialise initialization
info information
lib library
pkg package
regex regexp
spec specification
stat statistic
temp tmp temporary
util utility
var variable
ver version
admin administrator
js javascript
ts typescript
py python
k8s kubernetes
postgres postgresql pg
mongo mongodb
img image
btn button
pwd password
ctx context
cmd command
conn connection
crash crashed crashing
remove delete drop
add introduce
fix repair resolve
avoid skip
fast quick
store save persist storage
fetch retrieve get
""".strip()

_ENDINGS = (
    "ization", "ation", "ment", "ingly", "edly", "ness", "ities", "ity", "ing", "ies", "ied",
    "er", "or", "ed", "ly", "ion", "e",
)  # fmt: skip


@caching.of_words
def stem(word: str) -> str:
    """``word`` without common English endings; words in other scripts are unchanged."""
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "ies")):
        word = word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            rest = word[: -len(ending)]
            if ending in ("ies", "ied"):
                return rest + "i"
            doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled and ending in ("ing", "ed", "er") else rest
    return word[:-1] + "i" if word.endswith("y") else word


@cache
def _synonyms() -> dict[str, str]:
    return {
        stem(word): stem(line.split()[0])
        for line in _SYNONYM_GROUPS.splitlines()
        for word in line.split()
    }


@caching.of_texts
def words(text: str) -> tuple[str, ...]:
    """Content words of ``text`` as stems: names split, synonyms folded, CJK as bigrams."""
    folded = unicodedata.normalize("NFKC", text)
    found: list[str] = []
    known = _synonyms()
    for token in _TOKEN.findall(folded):
        if not token.isascii() and _CJK.search(token):
            found += [token[at : at + 2] for at in range(max(1, len(token) - 1))]
            continue
        for part in _CAMEL.findall(token):
            lower = part.casefold()
            if lower not in STOP_WORDS and (len(lower) > 1 or lower.isdigit()):
                root = stem(lower)
                found.append(known.get(root, root))
        if len(found) > _MOST_WORDS:
            break
    return tuple(found[:_MOST_WORDS])


@caching.of_texts
def words_and_names(text: str) -> tuple[str, ...]:
    """The words of ``text``, and the names that are split among them ("WebSockets") as a whole."""
    known = _synonyms()
    tokens = (one for one in _TOKEN.findall(unicodedata.normalize("NFKC", text)) if one.isalpha())
    split = (one for one in tokens if not _CJK.search(one) and len(_CAMEL.findall(one)) > 1)
    names = (stem(one.casefold()) for one in islice(split, _MOST_WORDS))
    return (*words(text), *(known.get(one, one) for one in names))


_ARTICLES = frozenset(("a", "an", "the"))
_EMPHASIS = lazy_pattern(r"(?<![\w*])(\*{1,3}|~~)(?=\S)(.{1,200}?)(?<=\S)\1(?![\w*])")
_BEFORE, _BEHIND = "`\"'“”„‘’«»([{", "`\"'“”‘’«»)]}.,:;。、"
_AT_END = ".,:;!。、"
_DASHES = "-–—"
_LITERAL = lazy_pattern(r"[A-Za-z0-9]+(?![\u0300-\u036f])")
"""Matches letters without an accent of their own: that of others may be part of the letter."""


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts have the same words in the same order (see :func:`said`)."""
    return said(one) == said(other)


def said(text: str) -> tuple[str, ...]:
    """Words of ``text`` that are significant for comparison.

    Case, emphasis, white space, articles and punctuation around words are ignored. Anything else
    counts: a name, number, symbol or letter may be a note's subject, as in `[]` and `save!`.
    An "A" within a sentence is a name, as in "option A", and `-v` is another option than `-V`.
    """
    found: list[str] = []
    begins = True
    for written in _EMPHASIS.sub(r"\2", unicodedata.normalize("NFKC", text)).split():
        plain = written.rstrip(_AT_END)
        is_article = written.casefold() in _ARTICLES and (begins or written != "A")
        if plain.strip(_DASHES) and not is_article:
            word = plain.lstrip(_BEFORE).rstrip(_BEHIND) or plain
            found.append(word if word.startswith("-") else word.casefold())
        begins = written[-1] in ".:;!?-–—"
    return tuple(found)


def literal(text: str) -> frozenset[str]:
    """Parts of words, in lower case, that occur literally in any text with the same words."""
    return frozenset(map(str.lower, _LITERAL.findall(text))) - _ARTICLES


def weight(word: str) -> float:
    """Inverse document frequency of a stem in software English; unknown words count as rare."""
    return word_weights("matching/rarity").get(word, _RAREST if not word.isdigit() else 3.0)


# MEMORY: gotcha: a fixed table of rarities means the same in a memory of five entries and of fifty
# thousand -> do not fit it on the user's memory; what is common there, matching weighs less
_RAREST = 8.0
