"""Fit the similarity from which entries are clustered: `python -m tests.bench.fit_clusters PAIRS`.

The lowest cosine at which four of five pairs mean the same, chosen on all sources but one and
measured on that one, in turn.
"""

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

from mind.text.terms import query_terms

PRECISION = 0.80
STEPS = np.arange(0.20, 0.95, 0.05)


def chosen(scores: "np.ndarray", same: "np.ndarray") -> float:
    """The lowest step from which on enough pairs mean the same."""
    for step in STEPS:
        if (scores >= step).any() and same[scores >= step].mean() >= PRECISION:
            return float(step)
    return float(STEPS[-1])


def told(name: str, scores: "np.ndarray", same: "np.ndarray", step: float) -> None:
    """Print a row."""
    found = scores >= step
    precision = same[found].mean() if found.any() else float("nan")
    recall = (found & same).sum() / max(1, same.sum())
    print(f"{name:28} from {step:.2f}: precision {precision:.2f}, recall {recall:.2f}")


def main() -> None:
    """Print a row for each source that was left out, and one for all."""
    pairs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["pairs"]
    same = np.array([pair["label"] == 1 for pair in pairs])
    sources = np.array([pair["source"] for pair in pairs])
    texts = sorted({pair[side] for pair in pairs for side in "ab"})
    vectorizer = TfidfVectorizer(analyzer=query_terms, sublinear_tf=True).fit(texts)
    one, other = (vectorizer.transform([pair[side] for pair in pairs]) for side in "ab")
    scores = np.asarray(one.multiply(other).sum(axis=1)).ravel()
    print(f"AUC {roc_auc_score(same, scores):.3f}")
    for source in sorted({str(one) for one in sources}):
        out = sources == source
        told(f"without {source}", scores[out], same[out], chosen(scores[~out], same[~out]))
    told("all", scores, same, chosen(scores, same))


if __name__ == "__main__":
    main()
