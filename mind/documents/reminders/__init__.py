"""REMINDERS.md: reminders for a time, the next session, or a trigger word.

A reminder is a task item with fields separated by bars:

    - [ ] Check the audit | due: 2026-12-20 09:00 | created: 2026-11-20 ^r1a2b3c4
    - [ ] Say what was decided | due: next session | created: 2026-11-20 | session: 7 ^r0b1c2d3
    - [ ] Review the flow | trigger: auth, login | created: 2026-11-20 ^r5d6e7f8
    - [ ] Look at the build | due: every monday | created: 2026-11-20 ^r9e8d7c6
    - [-] Ask again | completed: 2026-11-21
    - [x] Update the docs | completed: 2026-11-21

Mind writes this form and parses leniently; other text in the file is unchanged.
"""

from mind.documents.reminders.reading import (
    Reminder,
    ReminderRecords,
    due,
    likely,
    parse,
    triggered,
)

__all__ = ["Reminder", "ReminderRecords", "due", "likely", "parse", "triggered"]
