"""What a search heeds beside words: use of what entries name, what they say of themselves."""

import pytest

from mind.memory.memory import Memory
from mind.ranking import SIGNALS, Weights


def signals(memory: Memory, query: str) -> dict[str, dict[str, float]]:
    return {hit.entry.text: dict(hit.signals) for hit in memory.search(query).hits}


def signals_alone(memory: Memory, text: str, signal: str) -> float:
    write(memory, f"problem: {text}", "note: the queue is drained at night")
    return signals(memory, "queue drops jobs")["the queue drops jobs"].get(signal, 0.0)


def write(memory: Memory, *lines: str) -> None:
    source = "# Memory\n\n## 2026-11-02\n\n" + "\n\n".join(lines) + "\n"
    memory.project.memory.write_text(source, encoding="utf-8")


def test_use_of_what_an_entry_names_counts(memory: Memory) -> None:
    write(
        memory,
        "decided: `TokenStore` keeps its keys on disk",
        "learned: `RetryPolicy` has no jitter",
        "note: keys are rotated in `TokenStore`",
        "note: keys are rotated in `RetryPolicy`",
    )
    used = memory.search("TokenStore disk").hits[0].entry
    assert "momentum" not in signals(memory, "keys are rotated")["keys are rotated in `TokenStore`"]
    for _ in range(5):
        memory.get([used.id])
    found = signals(memory, "keys are rotated")
    assert found["keys are rotated in `TokenStore`"]["momentum"] > 0
    assert not found["keys are rotated in `RetryPolicy`"].get("momentum")
    assert not found["`TokenStore` keeps its keys on disk"].get("momentum")  # its own use is heat


@pytest.mark.parametrize(
    ("field", "signal", "value"),
    [
        ("pinned:: yes", "importance", 1.0),
        ("importance:: 0.75", "importance", 0.5),
        ("importance:: 0.25", "importance", -0.5),
        ("expires:: 2026-11-10", "expired", -1.0),
        ("from:: obsidian:queue", "imported", -1.0),
    ],
)
def test_what_an_entry_says_of_itself_counts(
    memory: Memory, field: str, signal: str, value: float
) -> None:
    plain = signals_alone(memory, "the queue drops jobs", signal)
    told = signals_alone(memory, f"the queue drops jobs [{field}]", signal)
    assert plain == 0
    every = sum(getattr(Weights(), one) for one in SIGNALS)
    assert abs(told) >= abs(value) * getattr(Weights(), signal) / every
    assert (told > 0) == (value > 0)


@pytest.mark.parametrize(
    "field", ["expires:: 2026-11-20", "expires:: never", "importance:: high", "from:: adr:0004"]
)
def test_what_says_nothing_for_or_against_it_counts_nothing(memory: Memory, field: str) -> None:
    write(memory, f"problem: the queue drops jobs [{field}]")
    found = signals(memory, "queue drops")["the queue drops jobs"]
    assert not {"importance", "expired", "imported"} & set(found)
