"""One plain paragraph out of what was said: no secrets, no folders of a person, no marks."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from mind import secrets

LONGEST = 300
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_COMMENT = re.compile(
    r"<!--.*?(?:-->|\Z)|-->|</?(?:system|user|assistant|command|local|task)[\w-]*>", re.DOTALL
)
_FIELD = re.compile(r"\[([\w -]+)::\s*([^\[\]]*)\]")
_BLOCK_ID = re.compile(r"(?<=\s)\^(?=[\w-]+\s*$)")
_MARK = re.compile(r"\bM(?:IND|EMORY):(?=\S|\s)", re.IGNORECASE)
_BEGINNING = re.compile(r"^(?:[\s>#|*+•–—-]+|\d+[.)]\s+|\[[ xX]\]\s+)+")
_HOMES = re.compile(
    r"(?<![\w.])(?:/home/[^/\s'\"`]+|/Users/[^/\s'\"`]+|/root|"
    r"[A-Za-z]:\\+Users\\+[^\\\s]+)(?=[/\\\s'\"`,;:.)]|$)"
)
_CODE = re.compile(r"`([^`]{90,})`")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")


class Places:
    """Folders that a paragraph does not name: those of the project, and the person's own."""

    def __init__(self, roots: Iterable[Path], home: Path) -> None:
        names = {str(one).rstrip("/\\") for root in roots for one in (root, root.resolve())}
        self._roots = sorted((one for one in names if len(one) > 1), key=len, reverse=True)
        self._home = str(home).rstrip("/\\")

    def also(self, folder: str) -> "Places":
        """The same with one more folder of the project, from which a session was started."""
        more = Places((), Path(self._home))
        more._roots = sorted({*self._roots, folder.rstrip("/\\")} - {""}, key=len, reverse=True)
        return more

    def relative(self, text: str) -> str:
        """``text`` with paths as people write them: from the project, or from ``~``."""
        for root in self._roots:
            text = re.sub(rf"(?<![\w.]){re.escape(root)}(?:[/\\]|(?![\w.-]))", "", text)
        if len(self._home) > 1:
            text = re.sub(rf"(?<![\w.]){re.escape(self._home)}(?![\w.-])", "~", text)
        return _HOMES.sub("~", text)


def plain(text: str, places: Places) -> str:
    """``text`` on one line, with nothing that a memory must not hold or would misread."""
    text = _ESCAPES.sub("", text)
    text = "".join(one for one in text if unicodedata.category(one) not in {"Cf", "Cs", "Co"})
    text = " ".join(
        "".join(" " if unicodedata.category(one) == "Cc" else one for one in text).split()
    )
    text = places.relative(secrets.mask(text))
    text = _FIELD.sub(r"\1: \2", _COMMENT.sub(" ", text))
    text = _MARK.sub(lambda found: found[0].replace(":", ""), text)
    text = _CODE.sub(lambda found: f"`{found[1][:60]}…`", text)
    return " ".join(_BLOCK_ID.sub("", _BEGINNING.sub("", text)).split())


def cut(text: str, most: int = LONGEST) -> str:
    """The beginning of ``text``, cut between words, and never within a span of code."""
    if len(text) <= most:
        return text
    short = text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:-–—(")
    if short.count("`") % 2:
        short = short[: short.rindex("`")].rstrip(" ,;:-–—(")
    return short + "…"


def is_prose(text: str) -> bool:
    """Whether ``text`` says something in words rather than in code."""
    letters = len(_LETTER.findall(text)) + _signs(text)
    return letters >= 12 and letters + text.count(" ") >= 0.65 * width(text)


def size(text: str) -> int:
    """How many words ``text`` has, two signs of a script without spaces counting as one."""
    return len(text.split()) + _signs(text) // 2


def width(text: str) -> int:
    """How many characters ``text`` has; a sign of such a script says as much as two letters."""
    return len(text) + _signs(text)


def _signs(text: str) -> int:
    return len(_UNSPACED.findall(text))


def listed(names: Sequence[str], most: int = 3) -> str:
    """``a, b and 2 more``."""
    shown = ", ".join(names[:most])
    more = len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown


def capital(text: str) -> str:
    """``text`` with a capital where it begins with a word."""
    word = text.split(" ", 1)[0]
    if word[1:2].isupper():  # a name: gRPC, iOS
        return text
    return text[:1].upper() + text[1:] if word.isalpha() or word.rstrip(",;").isalpha() else text
