"""How well similarity tells the same from the different: AUC, precision and recall."""

import json
from pathlib import Path

from sklearn.metrics import roc_auc_score

from mind.similarity import similarity

OWN = [
    ("Redis for session storage", "store sessions in Redis", 1),
    ("use websockets for live updates", "switch to websockets for live updates", 1),
    ("cache rendered pages in memory", "in-memory cache for rendered pages", 1),
    ("Postgres for the job queue", "job queue in PostgreSQL", 1),
    ("mock the database in tests", "mocking the db for tests", 1),
    ("Redis for session storage", "SQLite for full-text search", 0),
    ("use websockets for live updates", "rename the settings page", 0),
    ("retry failed downloads", "compress uploaded images", 0),
    ("add a cache for pages", "remove the cache for pages", 0),
    ("Postgres over SQLite", "SQLite over Postgres", 0),
]


def main(path: Path | None) -> None:
    """Print the table for the pairs in ``path``, or for a few of its own."""
    rows = OWN
    if path is not None:
        loaded = json.loads(path.read_text(encoding="utf-8"))["pairs"]
        rows = [
            (one["a"], one["b"], one["label"])
            for one in loaded
            if not one["source"].startswith("flip")
        ]
    labels = [label for _, _, label in rows]
    scores = [similarity(a, b) for a, b, _ in rows]
    print(f"{len(rows)} pairs, AUC {roc_auc_score(labels, scores):.3f}")
    for threshold in (0.60, 0.80, 0.95):
        said = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        precision = sum(said) / len(said) if said else float("nan")
        print(f"  {threshold:.2f}: precision {precision:.2f} recall {sum(said) / sum(labels):.2f}")
