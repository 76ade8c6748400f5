"""What language a note is in."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.text import LANGUAGES
from mind.text.language import foreign, language

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
