"""PreToolUse: warn of gotchas and rejections before an edit or command, each once per session."""

from mind.hooks import noticing, recent, wording
from mind.hooks.place import complain

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.deed import Deed
    from mind.hooks.events import Event
    from mind.hooks.known import Known
    from mind.hooks.noticing import Noticed

_MOST = 3


def answer(event: "Event", known: "Known", deed: "Deed") -> str:
    """Return at most three warnings not yet shown in this session, most severe first."""
    notes = noticing.load(event.place, known.data["notes"])
    if notes is None:
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        known = longer.prepared(event.place)
        notes = noticing.load(event.place, known.data["notes"])
    if notes is None:
        return ""
    agent = event.name_of("agent_id")
    shown = set(recent.load(event.place, event.session).get("shown", []))
    rows = (row for row in notes.likely(deed) if _name(agent, row) not in shown)
    slow: list[dict[str, Any]] = []
    found = noticing.notice(deed, rows, slow)
    there = {one.row["id"] for one in found}
    back = notes.returning(deed)
    found += [
        one for one in back if one.row["id"] not in there and _name(agent, one.row) not in shown
    ]
    if slow:
        _complain(event, slow)
    if not found and not back:
        return ""
    high = float(known.data["settings"]["high"])
    found.sort(key=lambda one: (not is_critical(one, high), _grade(one), -one.score))
    found = found[:_MOST]
    new: list[str] = []
    ids = list(dict.fromkeys(str(one.row["id"]) for one in (*found, *back)))

    def work(data: "dict[str, Any]") -> None:
        new.extend(recent.note_shown(data, [_name(agent, one.row) for one in found]))
        recent.note_warned(data, recent.key_of(event), ids)

    recent.change(event.place, event.session, work)
    found = [one for one in found if _name(agent, one.row) in new]
    if not found:
        return ""
    if known.setting("events"):
        from mind.hooks import editing  # noqa: PLC0415 - only if a warning is shown

        editing.record(event, known, "warned", [str(one.row["id"]) for one in found], {})
    grave = [one for one in found if is_critical(one, high)]
    asks = bool(grave) and known.setting("ask") == "critical"
    reason = f"Recorded in this project's memory: {_line(grave[0])[2:]}" if asks else ""
    return wording.answer("PreToolUse", known.labelled([_line(one) for one in found]), reason)


def _complain(event: "Event", slow: "list[dict[str, Any]]") -> None:
    """Log, once per session, which gotchas have too slow a pattern; only plain words of them."""
    from mind.hooks.plain import is_plain  # noqa: PLC0415 - rare; masking takes longer

    new: list[str] = []

    def work(data: "dict[str, Any]") -> None:
        new.extend(recent.note_shown(data, [f"slow/{row['id']}" for row in slow]))

    recent.change(event.place, event.session, work)
    titles = [str(row["title"]) for row in slow if f"slow/{row['id']}" in new]
    if titles:
        words = [[one if is_plain(one) else "..." for one in title.split()] for title in titles]
        named = "; ".join(map(" ".join, words))
        complain(event.place, f"skipped gotchas whose patterns take too long: {named}")


def _name(agent: str, row: "dict[str, Any]") -> str:
    return f"{agent}/{row['id']}" if agent else str(row["id"])


def is_critical(one: "Noticed", high: float) -> bool:
    """Return whether to ask the user: the gotcha is critical, or it is a clear rejection."""
    if one.row["kind"] == "rejected":
        return one.score > high
    return bool(one.row["severity"] == "critical")


def _grade(one: "Noticed") -> int:
    order = ("critical", "high", "", "medium", "known", "low")
    severity = one.row["severity"]
    return order.index(severity) if severity in order else len(order)


def _line(one: "Noticed") -> str:
    what = "Rejected before" if one.row["kind"] == "rejected" else "Gotcha"
    subject = f"{wording.short(one.subject, 90)}, " if one.subject else ""
    instead = f". Instead: {wording.short(one.instead, 160)}" if one.instead else ""
    met = f"{subject}matched by {wording.short(one.why or one.row['title'], 90)}"
    return f"- {what}: {one.row['text']} ({one.row['where']}; {met}){instead}"
