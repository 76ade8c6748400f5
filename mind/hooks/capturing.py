"""UserPromptSubmit and capture: entries for a prompt, and sentences worth keeping.

At the end of a turn, rules nominate sentences (:mod:`mind.sources.transcripts.nominating`) from the
new part of the transcript. Each is offered once, and the agent decides. The first line of a prompt
is kept for the answers that follow it.
"""

import os

from mind.hooks import recent, wording
from mind.hooks.place import plain_words
from mind.text.visible import inert

TYPE_CHECKING = False  # typing takes milliseconds

if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.cache import HookCache
    from mind.hooks.events import Event
    from mind.sources.transcripts.nominating import ListenedSession, Nomination

_MANY = 3
"""Number of nominations for which a stopping agent continues, once per session."""
_MOST_READ = 16_000_000
"""Maximum bytes of a transcript read at once; of a longer part, the last are read."""
_KNOWN = 0.6
"""Share of a sentence's words that an entry must have to count as saying it already."""

_OFFER = (
    "These sentences from this session may be worth keeping. Use `mind_log` for what a colleague "
    "would want to know, in one sentence with its reason. Often that is none of them."
)
_EARLIER = _OFFER.replace("this session", "an earlier session of this project")
_ASKED = "The user asks to remember this. Record it for later sessions with `mind_log`:"


def is_on(known: "HookCache") -> bool:
    """Return whether capture is on."""
    return known.setting("capture") in {"ask", "auto"}


def begin(event: "Event") -> None:
    """Start reading at the end of the transcript: a resumed session's past was read before."""
    path = event.text("transcript_path")
    offset = os.path.getsize(path) if os.path.isfile(path) else 0
    if offset and "heard" not in recent.load(event.place, event.session):
        with recent.changing(event.place, event.session) as data:
            data.setdefault("heard", offset)


def collect(event: "Event", known: "HookCache") -> "ListenedSession | None":
    """Read what was said since the last call; nominated sentences wait to be suggested."""
    path, answer = event.text("transcript_path"), event.text("prompt_response")
    if not (path or answer):
        return None
    from pathlib import Path  # noqa: PLC0415 - only where there is something to read

    from mind.sources.transcripts import reading  # noqa: PLC0415 - the same

    with recent.changing(event.place, event.session) as data:
        talk = _restored(data, known)
        if answer:  # this client's event has the prompt and the answer
            reading.hear(talk, event.text("prompt"), answer)
        else:
            last, start = event.text("last_assistant_message"), data.get("heard", 0)
            data["heard"] = reading.listen(Path(path), start, talk, last, _MOST_READ)
        data["talk"] = talk.stored()
        data.pop("ended", None)
    if known.setting("capture") == "auto":
        _record(event, talk)
    return talk


def _restored(data: "dict[str, Any]", known: "HookCache") -> "ListenedSession":
    """Return the session as stored; it recognises marks by the project's languages and keywords."""
    from mind.domain.settings import Settings  # noqa: PLC0415 - only where something was said
    from mind.sources.transcripts.nominating import ListenedSession  # noqa: PLC0415 - the same

    return ListenedSession.read(data.get("talk", {}), Settings(**known.data["marks"]))


def _record(event: "Event", talk: "ListenedSession") -> None:
    explicit = [one for one in talk.waiting if one.explicit]
    if explicit:
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        longer.record_said(event, explicit)
        for one in explicit:
            talk.settle(one.text)
        with recent.changing(event.place, event.session) as data:
            data["talk"] = talk.stored()


def offer(event: "Event", known: "HookCache", *, least: int = 1) -> str:
    """Suggest the session's waiting sentences, each once; "" if fewer than ``least`` wait.

    Where several have to wait, one of them has to be strong by itself.
    """
    kept = recent.load(event.place, event.session)
    return _offer(event, known, event.session, kept, _OFFER, least)


def offer_what_was_left(event: "Event", known: "HookCache") -> str:
    """Suggest the sentences that the last ended session left; "" if none."""
    idle = float(str(known.setting("gap_minutes"))) * 60
    others = recent.others(event.place, event.session, idle)
    said = (_offer(event, known, session, data, _EARLIER, 1) for session, data in others)
    return next(filter(None, said), "")


def _offer(  # noqa: PLR0913, PLR0917 - shared by two callers
    event: "Event", known: "HookCache", session: str, kept: "dict[str, Any]", text: str, least: int
) -> str:
    if not kept.get("talk", {}).get("waiting"):
        return ""
    talk = _restored(kept, known)
    for one in talk.waiting:
        if _is_known(event, known, one.text):
            talk.settle(one.text)
    found = talk.offered()
    if len(found) < least or (least > 1 and not any(one.is_strong for one in found)):
        return ""
    for one in found:
        talk.settle(one.text)
    with recent.changing(event.place, session) as data:
        data["talk"] = talk.stored()
    return _shown(text, found)


def _shown(text: str, found: "list[Nomination]") -> str:
    who = {"person": "the user", "agent": "you"}
    return "\n".join([text, *(f'- {who[one.by]}: "{wording.short(one.text)}"' for one in found)])


def asked_to_remember(event: "Event", known: "HookCache", prompt: str) -> str:
    """Suggest recording what a prompt asks to remember; "" if it asks for nothing."""
    folded = prompt.lower()
    if not any(phrase in folded for phrase in known.data["keep"]):
        return ""
    from mind.sources.transcripts.nominating import asks_to_keep  # noqa: PLC0415 - only where something is asked

    found = asks_to_keep(prompt, _restored({}, known).settings)
    if not found:
        return ""
    with recent.changing(event.place, event.session) as data:
        talk = _restored(data, known)
        for one in found:
            talk.settle(one.text)
        data["talk"] = talk.stored()
    return _shown(_ASKED, found)


def _is_known(event: "Event", known: "HookCache", text: str) -> bool:
    """Return whether an entry says it already."""
    from mind.hooks import matching  # noqa: PLC0415 - only where something waits

    matcher = matching.load(event.place, known.prompts())
    said = set(matching.terms(text))
    if matcher is None or not said:
        return False
    rows = [row for _, row in matcher.candidates(text)[:3]]
    return any(len(said.intersection(row["terms"])) >= _KNOWN * len(said) for row in rows)


def stop(event: "Event", known: "HookCache") -> str:
    """Read the turn that ends; if several sentences wait, continue, once per session."""
    if collect(event, known) is None or known.setting("capture") != "ask":
        return ""
    rejects = event.text("prompt_response")  # for this client, to continue rejects the answer
    if rejects or event.name != "Stop" or recent.load(event.place, event.session).get("continued"):
        return ""
    said = offer(event, known, least=_MANY)
    if said:
        with recent.changing(event.place, event.session) as data:
            data["continued"] = True
    return wording.answer("Stop", [], aside=said)


def leave(event: "Event") -> None:
    """Leave the waiting sentences to the next session."""
    kept = recent.load(event.place, event.session)
    if kept.get("talk", {}).get("waiting"):
        with recent.changing(event.place, event.session) as data:
            data["ended"] = True


_READ, _LONGEST = 300, 200
_FEWEST = 4
"""Minimum characters of a prompt that is matched with entries."""
_ANSWER = 3
"""Maximum words of a prompt, such as "yes, go on", that does not change the task."""


def answer(event: "Event", known: "HookCache") -> str:
    """Return the reminders that the prompt triggers, and the entry it is very likely about.

    Of several entries, only the best that was not shown yet: the second best is seldom right.
    """
    prompt = event.text("prompt")
    _keep(event, known, prompt)
    found = _reminders(event, known, prompt) if known.setting("reminders") else []
    likely, partial = _entries(event, known, prompt)
    aside = _aside(event, known, prompt)
    if not found and not likely:
        return wording.answer("UserPromptSubmit", [], aside=aside)
    with recent.changing(event.place, event.session) as data:
        new = recent.note_shown(data, [name for name, _ in found])
        lines = [line for name, line in found if name in new]
        first = next((line for name, line in likely if recent.note_shown(data, [name])), "")
        lines += [first] if first else []
        if first and partial and recent.note_shown(data, ["index"]):
            lines.append(partial)
    return wording.answer("UserPromptSubmit", lines, aside=aside)


def _reminders(event: "Event", known: "HookCache", prompt: str) -> list[tuple[str, str]]:
    """Return the reminders that a prompt triggers, each with its name among the shown ones."""
    shown = recent.load(event.place, event.session).get("shown", ())
    named = [(f"reminder: {one['id']}", one) for one in known.data["reminders"]]
    waiting = [(name, one) for name, one in named if name not in shown]
    if not may_trigger([one for _, one in waiting], prompt):
        return []
    from mind.documents.reminders.triggers import TriggerText  # noqa: PLC0415 - takes 20 ms

    said = TriggerText(prompt)
    return [
        (name, wording.reminder(one["text"], f"triggered by this prompt ({one['id']})"))
        for name, one in waiting
        if any(map(said.has, one["phrases"]))
    ]


def _aside(event: "Event", known: "HookCache", prompt: str) -> str:
    """Suggest recording what the prompt asks to remember, and what earlier turns left waiting."""
    if not is_on(known):
        return ""
    asked = "" if known.setting("capture") == "auto" else asked_to_remember(event, known, prompt)
    return "\n\n".join(one for one in (asked, offer(event, known)) if one)


def _entries(event: "Event", known: "HookCache", prompt: str) -> tuple[list[tuple[str, str]], str]:
    """Return what a prompt is very likely about, and a line if not all of memory is compared.

    Each entry with its id and line, best first.
    """
    if not (known.setting("titles") and known.prompts()) or len(prompt.strip()) < _FEWEST:
        return [], ""
    from mind.hooks import matching  # noqa: PLC0415 - only for prompts worth matching

    matcher = matching.load(event.place, known.prompts())
    if matcher is None:
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        known = longer.prepared(event.place, prompts=True)
        matcher = matching.load(event.place, known.prompts())
    found = matcher.matches(prompt) if matcher else []
    likely = [(row["id"], row["line"]) for score, row in found if score >= matching.THRESHOLD]
    return likely, str(known.data["partial"] or "")


def _keep(event: "Event", known: "HookCache", prompt: str) -> None:
    """Keep the first line of a prompt, unless the settings say not to."""
    wanted = known.setting("queries") and (known.setting("edits") or known.setting("snapshot"))
    line = next((one for one in prompt.splitlines() if one.strip()), "") if wanted else ""
    if not line:
        return
    if len(line) > _READ:  # cut between words: part of a credential would not be recognised
        line = line[:_READ].rpartition(" ")[0]
    said = inert(plain_words(line))[:_LONGEST]
    with recent.changing(event.place, event.session) as data:
        if len(said.split()) > _ANSWER or len(data.get("prompt", "").split()) <= _ANSWER:
            data["prompt"] = said
        if len(said.split()) > _ANSWER:
            data.setdefault("first_prompt", said)


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
