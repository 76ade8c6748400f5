"""UserPromptSubmit: show related entries and reminders; keep the prompt's first line."""

from mind.hooks import capturing, recent, wording
from mind.hooks.plain import plain_words

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.events import Event
    from mind.hooks.known import Known

_READ, _LONGEST = 300, 200
_FEWEST = 4
"""Minimum characters of a prompt that is matched with entries."""
_ANSWER = 3
"""Maximum words of a prompt, such as "yes, go on", that does not change the task."""
_MOST = 3
"""Maximum number of entries shown with a prompt."""


def answer(event: "Event", known: "Known") -> str:
    """Return the reminders that the prompt triggers, and the entries it is very likely about."""
    prompt = event.text("prompt")
    _keep(event, known, prompt)
    found: list[tuple[str, str]] = []
    if known.setting("reminders") and may_trigger(known.data["reminders"], prompt):
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        found += [(f"reminder: {text}", wording.reminder(text, "triggered by this prompt"))
                  for text in longer.triggered(event, prompt)]  # fmt: skip
    found += _entries(event, known, prompt)
    aside = _aside(event, known, prompt)
    if not found:
        return wording.answer("UserPromptSubmit", [], aside=aside)
    lines: list[str] = []

    def work(data: "dict[str, Any]") -> None:
        new = recent.note_shown(data, [name for name, _ in found])
        lines.extend(line for name, line in found if name in new)

    recent.change(event.place, event.session, work)
    return wording.answer("UserPromptSubmit", lines, aside=aside)


def _aside(event: "Event", known: "Known", prompt: str) -> str:
    """Suggest recording what the prompt asks to remember, and what earlier turns left waiting."""
    if not capturing.is_on(known):
        return ""
    asked = "" if known.setting("capture") == "auto" else capturing.asked(event, known, prompt)
    return "\n\n".join(one for one in (asked, capturing.offer(event, known)) if one)


def _entries(event: "Event", known: "Known", prompt: str) -> list[tuple[str, str]]:
    """Return ids and lines of the entries that a prompt is very likely about."""
    if not (known.setting("titles") and known.prompts()) or len(prompt.strip()) < _FEWEST:
        return []
    from mind.hooks import matching  # noqa: PLC0415 - only for prompts worth matching

    matcher = matching.load(event.place, known.prompts())
    if matcher is None:
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        known = longer.prepared(event.place, prompts=True)
        matcher = matching.load(event.place, known.prompts())
    found = matcher.matches(prompt)[:_MOST] if matcher else []
    lines = [(row["id"], row["line"]) for score, row in found if score >= matching.THRESHOLD]
    partial = known.data["partial"]
    return [*lines, ("index", partial)] if lines and partial else lines


def _keep(event: "Event", known: "Known", prompt: str) -> None:
    """Keep the first line of a prompt, unless the settings say not to."""
    wanted = known.setting("queries") and (known.setting("edits") or known.setting("snapshot"))
    line = next((one for one in prompt.splitlines() if one.strip()), "") if wanted else ""
    if not line:
        return
    if len(line) > _READ:  # cut between words: part of a credential would not be recognised
        line = line[:_READ].rpartition(" ")[0]
    said = wording.squeezed(plain_words(line))[:_LONGEST]

    def work(data: "dict[str, Any]") -> None:
        if len(said.split()) > _ANSWER or len(data.get("prompt", "").split()) <= _ANSWER:
            data["prompt"] = said

    recent.change(event.place, event.session, work)


def may_trigger(reminders: "list[dict[str, Any]]", prompt: str) -> bool:
    """Return whether the prompt may trigger a reminder: fast, no false negatives."""
    waiting = [one for one in reminders if one["trigger"]]
    if not prompt.isascii():
        return bool(waiting)
    folded = prompt.lower()
    return any(
        all(beginning in folded for beginning in reading)
        for one in waiting
        for reading in one["trigger"]
    )
