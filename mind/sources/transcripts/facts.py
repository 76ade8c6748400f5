"""What the agent finds out about the code and the tools beside it, in sentences that say why.

Such a sentence is taken without a word that introduces it, because of how it is built: a condition
and what does not happen under it, what is expected and under which condition, what a piece of code
is there for, what a thing is in truth, what is advised against and why, what is still wrong.
"""

import re
from collections.abc import Iterator, Sequence

from mind.entry import Kind
from mind.sources.transcripts import causes, phrases
from mind.sources.transcripts.paragraph import is_prose, size
from mind.sources.transcripts.prose import Sentence

_FEWEST, _LONGEST = 6, 300
_EXPECTED = re.compile(
    r"\b(?:is|are) (?:(?:totally|perfectly|completely) )?(?:expected|normal|intentional|deliberate|"
    r"by design|on purpose)(?: here| behaviou?r)?,? (?:without|because|since|when|whenever|unless|"
    r"until|as long as|as (?:it|they|the)|if|while)\b",
    re.IGNORECASE,
)
"""What looks wrong is right, and why."""
_FAILING_FIRST = re.compile(r"\b(?:tests?|specs?|implement\w*|tdd|red)\b", re.IGNORECASE)
_PURPOSE = re.compile(
    r"^\W*(?:(?:so|but|and)\W+)?the (?!fix|change|edit|new|test|tests|todo|task)[^.;:]{3,80}? "
    r"(?:was|were|is|are) (?:only |deliberately |intentionally |explicitly |originally )?"
    r"(?:added|introduced|there|kept|disabled|put there|in place|done)(?: (?:only|there|this "
    r"way))? "
    r"(?:to (?:prevent|avoid|work around|guard against|protect|keep|stop)|because|so that)\b",
    re.IGNORECASE,
)
"""What a piece of code is there for."""
_BUT = re.compile(r"(?:but|however)\b", re.IGNORECASE)
_ACTUALLY = re.compile(
    r"\b(?:is|are|uses?|comes? from|lives? in) (?:actually|really|in fact) [^,;]{3,100}[,;]? "
    r"(?:and |but )?(?:not|rather than|instead of)\b",
    re.IGNORECASE,
)
"""What a thing is in truth."""
_SYMPTOM = re.compile(
    r"\b(?:errors?|issues?|problems?|bugs?|failures?|tests?|warnings?|crash\w*)\b", re.IGNORECASE
)
"""It is about what goes wrong, which is told as a cause if it is one."""
_CASE = re.compile(
    r"^\W*(?:(?:so|but|and|also)\W+)*(?:when(?:ever)?|if|once|unless|without|as soon as|as long as|"
    r"quando|cuando|quand|lorsque|se|si|sem|sin|sans|senza)\b"
    r"(?!.{0,12}\b(?:you(?:['’](?:d|re|ve|ll))? (?:want|need|prefer|like|have|can|should|must|"
    r"decide|"
    r"run|see|click|are|deploy|test|try|wish)|we|i|ready|needed|quieres?|quiser|queres|veux|voulez|"
    r"vuoi|vuole|prefieres?|desea)\b)[^,]{4,160}, (?P<main>.+)$",
    re.IGNORECASE,
)
"""A condition first."""
_OTHERWISE = re.compile(
    r"\b(?:does|do|did|is|are|can|will|has)(?:n['’]t| not)\b|\bcan(?:['’]t|not)\b|\bwon['’]t\b|"
    r", not\b|"
    r"\b(?:only|never|no longer|silently|ignores?|ignored|null|undefined|instead of|rather than)\b|"
    r"\b(?:não|nunca|só|nicht|ne .{1,20} pas|jamais|seulement|non|mai|solo)\b",
    re.IGNORECASE,
)
"""What happens under it is not what one would think."""
_TOOL = re.compile(
    r"(?<=[a-z,;)] )(?!Story|Step|Phase|Task|Option|Page|Section|Epic|Issue|Sprint|Part|Table)"
    r"(?:[A-Z][a-z]{2,}|[A-Z][a-z]+[A-Z][a-z]*)(?![\w(.]| (?:button|page|form|tab|screen|step|menu|"
    r"section|component|class|function|method|test|phase|field|column|table|dialog|view)\b)|"
    r"\b(?:mac|i|watch|iPad)OS\b"
)
"""A name in the middle of a sentence: of something outside the project, which outlasts edits."""
_ADVISES = re.compile(
    r"\b(?:i|we) (?:do not|don['’]t|would(?:n['’]t| not)|can(?:not|['’]t)) (?:really )?"
    r"(?:recommend|advise|suggest)\b|"
    r"\bi(?:['’]d| would)? (?:strongly )?(?:advise|recommend|advocate) against\b|"
    r"\bno (?:te |lo |se )?(?:recomiendo|recomendaría|recomienda)\b|\bdesaconsej\w+|"
    r"\bnão (?:recomendo|aconselho)\b|\b(?:rate|empfehle) (?:davon ab|.{1,60} nicht)\b|"
    r"\bje (?:ne recommande pas|déconseille)\b|\bsconsigli\w*|"
    r"不(?:建议|建議|推荐|推薦)|お勧めしません",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"[—–:：]| - |\b(?:because|since|as (?:it|they|that|the)|porque|ya que|já que|pois|weil|denn|"
    r"car|parce que|perché)\b|因为|因為|から",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"(?:recommend\w*|advis\w+|suggest\w*|against|recom\w+) (?:using |doing |it|this|that|eso|isso|"
    r"esto|das|ça)(?:\s+(?:it|this|that))?\b(?! \w+ing\b)",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"[`_/]|\w\.\w|\b(?:here|(?:in|for|with) (?:this|our|your)|(?:for|to) us|"
    r"(?:tu|su|seu|este|esta|nosso|nossa|nuestro|nuestra|dieses?m?|eurem?|unser\w*|ce|cette|notre|"
    r"votre|questo|nostro) (?=\w))|这个|這個|这里|這裡|本项目|この",
    re.IGNORECASE,
)
"""It is about this project."""
_REMAINS = re.compile(
    r"\b(?:issues?|problems?|bugs?|limitations?|gaps?|freezes?|leaks?|races?|errors?)\b.{0,80}? "
    r"(?:still exists?|(?:still )?remains? (?:open|unsolved|unfixed|unresolved|unaddressed)|"
    r"(?:is|are) (?:still )?(?:unsolved|unfixed|unresolved|unaddressed))\b",
    re.IGNORECASE,
)
"""What is wrong still when the agent has done its work."""
_ASKED = re.compile(
    r"\b(?:fix|solve|mend|address|resolve|do (?:it|them|both|that|so)|go ahead|proceed|continue|"
    r"yes|"
    r"sure|please)\b",
    re.IGNORECASE,
)


def facts(
    said: Sequence[Sentence], *, untouched: bool, looked: bool
) -> Iterator[tuple[Kind, str, str]]:
    """Kind, text and sentence of each.

    Args:
        said: By the agent.
        untouched: It has changed nothing yet, so that the code that it speaks of is not its own.
        looked: It has used a tool since the person has spoken.
    """
    for number, one in enumerate(said):
        if one.question or not (size(one.text) >= _FEWEST and len(one.text) <= _LONGEST):
            continue
        kind = _kind(one, untouched=untouched, looked=looked)
        if kind is None or not _stands(one):
            continue
        more = said[number + 1 : number + 2]
        named = causes.announced(one)
        text = one.text[(named.rest or 0) if named else 0 :]
        if _PURPOSE.match(one.said) and more and _BUT.match(more[0].said):
            text = f"{text} {more[0].text}"
        yield kind, text, one.text


def is_taken_up(said: Sequence[Sentence]) -> bool:
    """Whether the person wants mended what is still wrong."""
    return any(_ASKED.search(one.said) for one in list(said)[:2])


def _kind(one: Sentence, *, untouched: bool, looked: bool) -> Kind | None:
    said = one.said
    if _ADVISES.search(said):
        return Kind.REJECTED if _is_advice(one, looked=looked) else None
    if (
        phrases.SELF.search(said)
        or phrases.POINTS.match(said)
        or not phrases.ANCHOR.search(one.text)
    ):
        return None
    if _REMAINS.search(said):
        return Kind.PROBLEM
    if _EXPECTED.search(said):
        return None if _FAILING_FIRST.search(said) else Kind.GOTCHA
    if (untouched and _PURPOSE.match(said)) or _is_unlike(one) or _is_mechanism(one):
        return Kind.GOTCHA
    return None


def _is_advice(one: Sentence, *, looked: bool) -> bool:
    """Whether it says why, and is said of this project."""
    ours = looked or _HERE.search(one.text) is not None
    return ours and _BECAUSE.search(one.said) is not None and not _THAT.search(one.said)


def _is_unlike(one: Sentence) -> bool:
    found = _ACTUALLY.search(one.said)
    return found is not None and not _SYMPTOM.search(one.said[: found.start()])


def _is_mechanism(one: Sentence) -> bool:
    named = causes.announced(one)
    case = _CASE.match(one.said[(named.rest or 0) if named else 0 :])
    return (
        case is not None
        and _OTHERWISE.search(case["main"]) is not None
        and _TOOL.search(one.said) is not None
        and re.search(r"\b(?:should|would|you)\b", case["main"], re.IGNORECASE) is None
    )


def _stands(one: Sentence) -> bool:
    unclear = causes.UNSURE.search(one.said) or causes.STATE.search(one.said)
    return not unclear and not phrases.OF_NOW.search(one.said) and is_prose(one.text)
