"""Clusters of similar entries, found by scikit-learn (the extra ``analysis``).

Summaries are written only by a person or an agent, with ``mind tidy`` or ``mind_consolidate``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date

from mind.domain.entry import Entry, Kind
from mind.domain.errors import DependencyMissing
from mind.text.similarity import opposed
from mind.text.terms import query_terms

SIMILARITY = 0.55
"""Cosine of TF-IDF vectors from which entries say nearly the same, by average linkage; fitted with
``tests.bench.fit_clusters``."""
MOST = 2_000
"""Maximum entries of a kind that are compared, newest first."""


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
    terms = [query_terms(one.text) for one in entries]
    shared = Counter(term for own in terms for term in set(own))
    told = [at for at, own in enumerate(terms) if any(shared[term] > 1 for term in own)]
    if len(told) < 2:
        return []
    try:
        from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415 - a second, only here
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
