"""The made-up memory of a shop's code, lived through by the clock: what a page is shown of."""

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Protocol

from mind.memory.memory import Memory
from mind.storage.project import Project

SAYINGS = """\
decided: the basket keeps its state in Redis, because two workers share it #basket
decided: the catalogue is rendered on the server #catalogue
decided: totals are integers in cents, never floats #checkout
decided: webhooks are retried through the queue for a day #webhook
decided: PostgreSQL over MySQL - partial indexes
decided: the nightly export runs as a job of its own #export
decided: images are scaled when they are uploaded #catalogue
decided: one currency for each country, chosen by the address #checkout
decided: refunds need two people above 500 euros
learned: the search index has to be warm before a release #search
learned: the mail provider accepts 500 rows a request #mail
learned: tests of the invoices need a fixed clock
learned: a full stock import takes 40 minutes #stock
learned: the browser keeps the basket for a week #basket
learned: customers look for colours more often than for brands #search
learned: the tax service answers in 300 ms at best #checkout
problem: the webhook answers twice when the provider times out #webhook
problem: the list forgets its filter after a reload #catalogue
problem: the report of March counts returned goods #export
gotcha: the warehouse counts pages from 1 -> start at page=1 #stock
gotcha: an empty currency is taken for dollars #checkout
gotcha: the image server caches errors too -> purge after a deploy
gotcha: Safari drops the cookie of the basket in a frame #basket
fixed: the basket no longer loses coupons on restart #basket
fixed: delivery days are right in every zone
fixed: the export writes UTF-8 #export
fixed: search forgives one wrong letter #search
fixed: invoices show the reduced rate
todo: write down how the queue is deployed
todo: measure the catalogue under load #catalogue
todo: ask the bank about the second key
note: the stock belongs to the team in Lyon #stock
note: the shop is in four languages
learned: coupons are applied before tax #checkout
decided: feature flags live in one table
fixed: the login remembers where one came from #login
learned: the login page is the slowest of all #login
decided: passwords are checked by the account service #login
gotcha: the account service is down on Sundays at 4 #login
problem: the login loops when cookies are off #login
decided: webhooks are retried through the queue for one day #chekcout
""".splitlines()


LATELY = """\
## 2026-09-30

- decided: totals of the checkout are computed in src/checkout/totals.py ^totals01
- decided: stock is booked by src/stock/booking.py in one transaction ^booking1
- gotcha: src/mail/templates.py caches by name only ^mailing1
- learned: discounts come off after tax, as the law wants it ^discount
- decided: sessions last 30 minutes and are renewed by every request ^session1
- note: the old importer read CSV files of the warehouse ^import01
"""


class Moved(Protocol):
    def __call__(self, **delta: float) -> None: ...


def past() -> str:
    """MEMORY.md of half a year, in which more and more is noted."""
    rng = random.Random(4)  # noqa: S311 - a story, no secret
    lines = ["# Memory", ""]
    day = date(2026, 4, 2)
    at = 0
    while at < len(SAYINGS):
        lines += [f"## {day}", ""]
        for said in SAYINGS[at : at + 1 + at // 12]:
            checked = f" [verified:: {day + timedelta(days=75)}]" if rng.random() < 0.3 else ""
            lines.append(f"- {said}{checked}")
            at += 1
        lines.append("")
        day += timedelta(days=rng.randint(3, 12))
    return "\n".join(lines)


def live(project: Project, memory: Memory, forward: Moved, git: Callable[..., str]) -> None:
    """Write a past, then two months of work: searches, notes, uses, and files that move on."""
    root = project.root
    source = f"{past()}\n{LATELY}"
    project.memory.write_text(source, encoding="utf-8")
    for name in ("checkout/totals.py", "stock/booking.py", "mail/templates.py"):
        file = root / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# made up\n", encoding="utf-8")
    git("add", "src")
    git("commit", "-qm", "The shop", "--date", "2026-09-01T10:00:00Z")
    (root / "src/mail/templates.py").unlink()
    (root / "src/stock/booking.py").write_text("# another\n", encoding="utf-8")
    git("add", "-A", "src")
    git("commit", "-qm", "Move on", "--date", "2026-11-10T10:00:00Z")
    _work(memory, forward)


LOGGED = """\
vouchers are sent by the queue of the mail
the bank answers on Mondays only
a parcel has at most 30 kilos
gift cards have no tax
the printer of the depot needs its own format
totals of the checkout are computed in one function: coupons go through it too
the counter of visits is off by the robots
addresses of Cyprus have no number
the second warehouse opens in May
invoices are kept for ten years
subscriptions renew at night
the depot is closed at Easter
""".splitlines()
QUERIES = """\
how long do sessions last
which database
the importer of the warehouse
why is the login slow
coupons and tax
retries of webhooks
""".splitlines()
AGAIN = (
    ("goods that came back", "returned goods in the report"),
    ("who pays", "currency of a country"),
)


def _work(memory: Memory, forward: Moved) -> None:
    for day in range(34):
        memory.search(QUERIES[day % len(QUERIES)])
        forward(minutes=5)
        memory.search("importer of warehouse files")
        if day % 3 == 0:
            memory.record_use(["session1"], "applied")
            forward(minutes=3)
            memory.search("how totals are computed")
            memory.log(LOGGED[day // 3], "learning")
        if day % 9 == 0:
            first, then = AGAIN[day % 2]
            memory.search(first)
            forward(minutes=1)
            memory.search(then)
            memory.get(["totals01"])
        forward(days=1)
    memory.log("currently the export of reports is switched off", "note", acknowledge=True)
    memory.verify("totals01")
    memory.record_use(["discount"], "contradicted", "the invoice of May has tax after the discount")
    forward(hours=2)
    memory.get(["discount"])
