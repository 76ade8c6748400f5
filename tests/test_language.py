"""What language a note is in, and how somebody felt who wrote it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Entry, Kind
from mind.text.language import LANGUAGES, foreign, language, mood, tone

CASES = tomllib.loads(Path(__file__).with_name("language_cases.toml").read_text(encoding="utf-8"))
UNTOLD = {
    "No subir nunca directamente a main",
    "Optamos por publicar cada semana",
    "Faut-il un index ?",
    "Nunca enviar diretamente para a main",
    "aprendido: o Safari descarta cookies de terceiros",
    "Тести падають у Windows",
    "Без VPN сервер недоступний",
}
"""What could be in one language or in its neighbour, or has too few words that tell."""


@pytest.mark.parametrize("name", LANGUAGES)
def test_notes_are_in_the_language_they_are_written_in(name: str) -> None:
    assert len(CASES[name]) >= 30
    told = {text: language(text) for text in CASES[name] if text not in UNTOLD}
    assert {text: found for text, found in told.items() if found != name} == {}


def test_what_is_not_told_is_rarely_taken_for_another_language() -> None:
    assert {language(text) for text in UNTOLD} == {"", "ru"}


@pytest.mark.parametrize("text", CASES["unsure"])
def test_what_has_no_words_of_a_known_language_is_in_none(text: str) -> None:
    assert language(text) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ну `and this is the code of the parser` да", "ru"),
        ("修复 README", "zh"),
        ("Rename 修复 to fix in the changelog", "en"),
        ("XMLHttpRequest KafkaConsumer 修复", "zh"),
        ("исправлено https://example.org/the/way/of/the/world", "ru"),
        ("L’index n’est pas à jour", "fr"),
        ("DER SERVER IST NICHT DA", "de"),
        ("(der) [Server], «ist» *nicht* da!", "de"),
        ("Umstellung", "de"),
        ("Connection pooling", "en"),
        ("Kündigung the", "en"),
        ("が", "ja"),
        ("“カ” 字显示不出来因为字体缺少", "zh"),
        ("die die die die the of", "en"),
        ("Der Test. " + "the of and with " * 99, "en"),
        ("Der Server ist nicht da. " * 13 + "the of and with " * 99, "de"),
    ],
)
def test_what_counts_is_what_stands_around_code_and_names(text: str, expected: str) -> None:
    assert language(text) == expected


def test_english_is_no_foreign_language() -> None:
    assert foreign("The cache is small") == ""
    assert foreign("v1.2") == ""
    assert foreign("Der Cache ist klein") == "de"


@given(st.text(max_size=400))
def test_any_text_is_in_one_language_or_in_none(text: str) -> None:
    assert language(text) in {"", *LANGUAGES}
    felt = tone(text)
    assert felt is None or -1 <= felt <= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The migration was painful", -0.6),
        ("Smooth release at last", 0.6),
        ("So happy with the new parser", 0.9),
        ("Slightly annoyed by the review", -0.3),
        ("Not happy with it", -0.3),
        ("The docs aren’t bad", 0.3),
        ("Without any doubt. Lovely", 0.6),
        ("It is not fast, but lovely", 0.6),
        ("not slow though delightful", 0.6),
        ("not the usual flow of a painful day", -0.6),
        ("Fed up with flaky tests", -0.6),
        ("At last it finally works", 0.6),
        ("Painful at first, delightful now", 0.0),
        ("so so so happy", 1.0),
        ("really really really awful", -1.0),
        ("PROUD of the team", 0.6),
        ("The `great` index has an error", None),
        ("The build is broken", None),
        ("", None),
    ],
)
def test_the_tone_tells_which_way_it_went(text: str, expected: float | None) -> None:
    assert tone(text) == expected


def test_only_what_keeps_a_mood_has_one() -> None:
    felt = {"layer": "emotion"}
    assert mood(Entry(id="a", kind=Kind.NOTE, text="Very proud", fields=felt)) == 0.9
    assert mood(Entry(id="a", kind=Kind.NOTE, text="Very proud")) is None
    assert mood(Entry(id="a", kind=Kind.NOTE, text="Das war kein bad day", fields=felt)) is None
