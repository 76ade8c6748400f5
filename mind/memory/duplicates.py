"""Duplicates: clusters of similar entries, and entries in both memory and archive.

Archiving an entry takes two writes, and so does restoring it. A process killed in between leaves
the entry in both files, never in none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

from mind.documents import archive, markdown
from mind.documents.archive import Archived
from mind.domain.entry import Entry, Kind
from mind.domain.errors import DependencyMissing
from mind.storage import files
from mind.storage.files.content import BOM
from mind.storage.project import Project
from mind.text import lazy_pattern
from mind.text.similarity import opposed
from mind.text.terms import query_terms

SIMILARITY = 0.55
"""Minimum cosine of TF-IDF vectors for similar entries, by average linkage; fitted with
``tests.bench.fit_clusters``."""
_PART = lazy_pattern(r"(?<=[.!?:;。！？])\s+")
_BOILERPLATE = 4
"""Different texts with the same sentence or clause, which then says nothing of them."""
MOST = 2_000
"""Maximum number of entries per kind that are compared, newest first."""


def clusters(entries: Iterable[Entry]) -> list[tuple[Entry, ...]]:
    """Group similar entries of the same kind, newest first; largest group first.

    Raises:
        DependencyMissing: scikit-learn is not installed.
    """
    by_kind: dict[str, list[Entry]] = defaultdict(list)
    for one in sorted(entries, key=lambda one: (one.date or date.min, one.line), reverse=True):
        if one.kind is not Kind.RELATION:
            by_kind[one.kind].append(one)
    found = [group for kind in by_kind.values() for group in _clustered(kind[:MOST])]
    return sorted(found, key=len, reverse=True)


def _clustered(entries: Sequence[Entry]) -> Iterable[tuple[Entry, ...]]:
    parts = {one.text: _PART.split(one.text) for one in entries}
    often = Counter(part for own in parts.values() for part in set(own))
    rest = {text: [it for it in own if often[it] < _BOILERPLATE] for text, own in parts.items()}
    terms = [query_terms(" ".join(rest[one.text])) for one in entries]
    shared = Counter(term for own in terms for term in set(own))
    told = [at for at, own in enumerate(terms) if any(shared[term] > 1 for term in own)]
    if len(told) < 2:
        return []
    try:
        from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415 - import takes a second
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - the same
    except ModuleNotFoundError:
        raise DependencyMissing(
            "similar entries are not listed: scikit-learn is not installed",
            remedy="pip install 'mind-lens[analysis]'",
        ) from None
    vectorizer = TfidfVectorizer(analyzer=lambda at: terms[at], sublinear_tf=True)
    vectors = vectorizer.fit_transform(told)
    distances = (1 - (vectors @ vectors.T).toarray()).clip(min=0)
    labels = AgglomerativeClustering(
        n_clusters=None,
        distance_threshold=1 - SIMILARITY,
        metric="precomputed",
        linkage="average",
    ).fit_predict(distances)
    groups: dict[int, list[Entry]] = defaultdict(list)
    for at, label in zip(told, labels, strict=True):
        groups[label].append(entries[at])
    alike = [
        (newest, *(one for one in others if not opposed(newest.text, one.text)))
        for newest, *others in groups.values()
    ]
    return [group for group in alike if len(group) > 1]


def home_of(project: Project, one: Archived) -> Path:
    """Return the file that ``one`` is restored to."""
    return project.session if one.file == project.relative(project.session) else project.memory


def doubles(project: Project, archived: bytes | None = None) -> list[Archived]:
    """Return archived entries that are still in memory, the latest first.

    After two corrections, an entry's text may equal an earlier version: only its last correction
    can be incomplete.

    Args:
        project: The project.
        archived: Content of the archive, if already read.
    """
    known = archive.blocks(files.read(project.archive) if archived is None else archived)
    if not known:
        return []
    last = {one.id: one for one in known}
    left = [one for one in known if one.replaced_by != one.id or last[one.id] is one]
    sources = {path: files.read(path) for path in (project.memory, project.session)}
    found: list[Archived] = []
    while new := _standing(project, sources, [one for one in left if one not in found], known):
        found += new
        for one in new:  # archived earlier within another entry
            path = home_of(project, one)
            sources[path] = _without(sources[path], one)
    return found


def _standing(
    project: Project,
    sources: Mapping[Path, bytes],
    asked: Sequence[Archived],
    known: Sequence[Archived],
) -> list[Archived]:
    """Return those of ``asked`` that are still in their file.

    Lines can repeat: the copies in the file and in the archive are counted together and compared
    with the count at the time of archiving.
    """
    lines = {path: set(source.removeprefix(BOM).splitlines()) for path, source in sources.items()}
    left, found = list(known), []
    for one in reversed(asked):
        path = home_of(project, one)
        if not lines[path].issuperset(one.text.splitlines()[:1]):
            continue
        there = archive.places(sources[path], one.text, one.section)
        same = sum(archive.origin(one) == archive.origin(other) for other in left)
        if there and len(there) + same > one.copies:
            left.remove(one)
            found.append(one)
    return found


def _without(source: bytes, one: Archived) -> bytes:
    there = archive.places(source, one.text, one.section)
    if not there:
        return source
    return source[: there[-1]] + source[there[-1] + len(one.text) :]


def place(source: bytes, one: Archived) -> int:
    """Return the location of a duplicate, or its first line."""
    there = archive.places(source, one.text, one.section)
    first = one.text.splitlines(keepends=True)[0]
    return (there or archive.places(source, first, one.section) or [len(source)])[-1]


def settle(project: Project) -> None:
    """Remove entries from the archive that are in memory."""

    def without(source: bytes) -> bytes:
        gone = sorted(doubles(project, source), key=lambda one: one.span.start)
        return markdown.splice(source, [markdown.Edit(one.span, b"") for one in gone])

    with files.lock(project.lock):
        files.edit(project.archive, without)
