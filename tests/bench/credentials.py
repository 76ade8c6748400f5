"""Credentials found and falsely found, by Mind and by detect-secrets where it is installed.

python -m tests.bench.credentials [FOLDER] [--findings]

FOLDER holds evaluation sets as for ``python -m tests.bench``; without it only the made-up cases are
looked at. detect-secrets runs with its default settings, on each text as on a file of its own;
``pip install detect-secrets`` makes it available to any Python that runs this.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from mind.text import secrets
from tests.secret_cases import Case, cases, near_misses

Finder = Callable[[str], list[tuple[str, str]]]
"""From a text to kinds and what is found."""


def of_mind(text: str) -> list[tuple[str, str]]:
    """What Mind finds."""
    return [(one.name, text[one.start : one.end]) for one in secrets.find(text)]


def of_detect_secrets() -> Finder | None:
    """What detect-secrets finds with its default settings; None where it is not installed."""
    try:
        from detect_secrets import SecretsCollection
        from detect_secrets.settings import default_settings
    except ImportError:
        return None
    folder = TemporaryDirectory()
    path = Path(folder.name) / "MEMORY.md"

    def find(text: str) -> list[tuple[str, str]]:
        path.write_text(text, encoding="utf-8")
        found = SecretsCollection()
        with default_settings():
            found.scan_file(str(path))
        return [(one.type, one.secret_value or "") for _, one in found if folder]

    return find


def main() -> None:
    """Print the tables."""
    folder = next((Path(one) for one in sys.argv[1:] if not one.startswith("--")), None)
    finders: dict[str, Finder] = {"mind": of_mind}
    theirs = of_detect_secrets()
    if theirs:
        finders["detect-secrets"] = theirs
    else:
        print("detect-secrets is not installed (pip install detect-secrets): Mind alone")
    found = list(cases())
    recall(found, finders)
    alarms("near misses", list(near_misses()), finders)
    if folder is not None:
        for name, texts in corpora(folder):
            alarms(name, texts, finders)


def recall(found: list[Case], finders: dict[str, Finder]) -> None:
    """For each kind, how many credentials are found."""
    total = Counter(case.kind for case in found)
    hits = {
        name: Counter(case.kind for case in found if _covers(finder(case.text), case.value))
        for name, finder in finders.items()
    }
    print(f"{'kind':34}{'cases':>6}" + "".join(f"{name:>16}" for name in finders))
    for kind, count in sorted(total.items()):
        print(f"{kind:34}{count:>6}" + "".join(f"{hits[name][kind]:>16}" for name in finders))
    print(
        f"{f'all, of {len(total)} kinds':34}{len(found):>6}"
        + "".join(f"{sum(hits[name].values()):>16}" for name in finders)
    )


def _covers(found: list[tuple[str, str]], value: str) -> bool:
    """Whether something of ``value`` was found; a part suffices, for some tell only a prefix."""
    return any(what in value or value in what for _, what in found if what)


def alarms(name: str, texts: list[str], finders: dict[str, Finder]) -> None:
    """In how many texts something is found, and the time for all of them."""
    for who, finder in finders.items():
        began = process_time()
        found = [(text, hits) for text in texts if (hits := finder(text))]
        spent = (process_time() - began) * 1e6 / len(texts)
        share = 100 * len(found) / len(texts)
        print(
            f"{name}: {who} {len(found)} of {len(texts)} texts ({share:.2f} %), "
            f"{spent:.0f} µs a text"
        )
        if "--findings" in sys.argv:
            for _, hits in found:
                print(f"    {hits}"[:300])


def corpora(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Texts without a credential: documents and queries, pairs, memory files by paragraphs."""
    for path in sorted((folder / "retrieval").glob("*.json")):
        texts = []
        for corpus in json.loads(path.read_text(encoding="utf-8"))["corpora"]:
            texts += [one["text"] for one in (*corpus["docs"], *corpus["queries"])]
        yield f"retrieval/{path.stem}", texts
    pairs = folder / "pairs" / "pairs.json"
    if pairs.exists():
        rows = json.loads(pairs.read_text(encoding="utf-8"))["pairs"]
        yield "pairs", [text for one in rows for text in (one["a"], one["b"])]
    for name, apart in (("parser, paragraphs", "\n\n"), ("parser, lines", "\n")):
        texts = [
            part
            for path in sorted((folder / "parser").glob("*.md"))
            for part in path.read_text(encoding="utf-8").split(apart)
            if part.strip()
        ]
        if texts:
            yield name, texts


if __name__ == "__main__":
    main()
