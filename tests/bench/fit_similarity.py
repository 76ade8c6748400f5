"""Fit what the similarity measure ships: the rarity of words, and the weights of its features.

    python -m tests.bench.fit_similarity rarity            writes mind/data/matching/rarity.txt
    python -m tests.bench.fit_similarity weights PAIRS     prints weights for score.py

Rarity is the inverse document frequency over docstrings and comments of the standard library and
of installed packages, which are on every machine that develops Mind.
"""

import ast
import json
import sys
import sysconfig
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from mind.text.similarity import score
from mind.text.similarity.words import words

TARGET = Path(__file__).parents[2] / "mind" / "data" / "matching" / "rarity.txt"
MOST = 6000


def documents() -> Iterator[str]:
    """Docstrings, one a document."""
    for key in ("stdlib", "purelib"):
        for path in sorted(Path(sysconfig.get_path(key)).rglob("*.py")):
            if "test" in path.as_posix():
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(path.read_text(encoding="utf-8"))
            except (SyntaxError, ValueError, OSError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    text = ast.get_docstring(node)
                    if text:
                        yield text[:600]


def rarity() -> None:
    """Write the table: a line for each weight, with the words that have it."""
    vectorizer = TfidfVectorizer(analyzer=words, max_features=MOST)
    vectorizer.fit(list(documents()))
    by_weight: dict[str, list[str]] = defaultdict(list)
    for word, index in vectorizer.vocabulary_.items():
        if word.isascii() and word.isalnum() and not word.isdigit():
            by_weight[f"{min(8.0, vectorizer.idf_[index]):.1f}"].append(word)
    lines = [f"{key} {' '.join(sorted(by_weight[key]))}" for key in sorted(by_weight, key=float)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{sum(map(len, by_weight.values()))} words, {TARGET.stat().st_size} bytes")


def weights(path: Path) -> None:
    """Print the weights, and how they do in cross-validation."""
    pairs = json.loads(path.read_text(encoding="utf-8"))["pairs"]
    pairs = [pair for pair in pairs if not pair["source"].startswith("flip")]
    x = np.array([score.features(pair["a"], pair["b"]) for pair in pairs])
    y = np.array([pair["label"] for pair in pairs])
    model = LogisticRegression(C=1.0)
    p = cross_val_predict(model, x, y, cv=8, method="predict_proba")[:, 1]
    random = np.array([pair["stratum"] == "random" for pair in pairs])
    no_news = np.array([pair["source"] != "mrpc" for pair in pairs])
    near = (random | (y == 1)) & no_news
    print(f"AUC {roc_auc_score(y, p):.3f}, vs random {roc_auc_score(y[near], p[near]):.3f}")
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.95):
        said = p >= threshold
        hit = (said & (y == 1)).sum()
        precision, recall = hit / max(1, said.sum()), hit / (y == 1).sum()
        print(f"  {threshold}: P {precision:.2f} R {recall:.2f} random {said[random].mean():.4f}")
    model.fit(x, y)
    print(
        "weights",
        [round(float(w), 3) for w in model.coef_[0]],
        "intercept",
        round(float(model.intercept_[0]), 3),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["rarity"]:
        rarity()
    else:
        weights(Path(sys.argv[2]))
