"""The page in a real browser: what a person does with it, and what a stranger's text cannot do."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mind.cli import serve
from mind.memory.memory import Memory
from mind.storage import events as journal
from mind.storage.project import Project
from tests.http_service import Running, at_home, project_at, serving
from tests.test_staleness_shown import WARNINGS, drifted  # noqa: F401 - a fixture

sync_api = pytest.importorskip("playwright.sync_api", reason="`make setup` installs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
    pytest.mark.xdist_group("page"),
]

MEMORY = """\
# Memory

## 2026-09-01

- decided: sessions are kept in [[Redis]] for thirty minutes after the last request #auth ^sessions
- learned: coupons come off before tax #shop ^coupons1
- note: die Pakete gehen am Montag aus dem Lager und nicht am Freitag #shop ^pakete11
- gotcha: the bank counts cents #shop ^thebank1

## 2025-03-02

- problem: the login page loops when cookies are off #auth ^loginbug
- decided: [[auth]] stays in its own service, see https://example.org/a?b=1 ^authown1

## Relations

- [[auth]] depends-on [[Redis]]
- [[shop]] uses [[auth]]
"""
HOSTILE = f"""\
# Memory

## 2026-09-01

- gotcha: <img src=x onerror="window.hacked=1"> in <b>it</b> <script>hacked=2</script> ^hostile1
- gotcha: [click](javascript:hacked=3) or javascript:alert(1) at https://ok.example/x ^hostile2
- gotcha: the file is called \u202egnp.exe\u202c really \u2067x ^hostile3
- gotcha: {"x" * 100_000} ^hostile4
- decided: [[<svg onload=window.hacked=4>]] #<i>tag</i> stays ^hostile5
"""
MARKED_UP = """\
# Memory

## 2026-09-01

- decided: use **Redis** over `memcached`, see [docs](https://example.org/x)
  - keeps sessions
  - survives restarts

  ```python
  cache.get("<b>x</b>")
  ```

  | tier | limit |
  | --- | --- |
  | free | 10 |

- gotcha: [a](javascript:hacked=1) ![seen](https://e.example/p.png) [d](data:text/html,x) ^links123
- [ ] ~~call~~ the bank, [[Redis]] knows ^atask123
"""
VIEWS = (
    "search",
    "search?q=redis&kind=decision",
    "timeline",
    "graph",
    "graph?start=auth",
    "health",
    "reminders",
    "archive",
    "pending",
    "add",
    "entry/sessions",
    "entry/sessions/edit",
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api.expect.set_options(timeout=20_000)  # the machine may be busy
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Project]]:
    folder = tmp_path_factory.mktemp("page")
    home = folder / "home"
    with at_home(home):
        root = project_at(folder / "shop")
    with serving(home, "--page", "--project", str(root), "--rate", "0") as service:
        yield service, Project(root)


class Tab:
    """A tab with the page, signed in."""

    def __init__(self, page: Any, service: Running, project: Project) -> None:
        self.page, self.service, self.project = page, service, project
        self.base = f"http://127.0.0.1:{service.port}"
        self.wrong: list[str] = []
        page.on("console", lambda one: self._told(one.type, one.text))
        page.on("pageerror", lambda one: self.wrong.append(str(one)))
        page.on("dialog", lambda one: self.wrong.append(f"dialog {one.message}"))
        page.on("request", lambda one: self._asked(one.url))

    def _told(self, kind: str, text: str) -> None:
        if kind == "error" and "status of 4" not in text:  # an answer that is told in the page
            self.wrong.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.base, "data:")):
            self.wrong.append(f"asked {url}")

    def sign_in(self) -> None:
        self.page.goto(f"{self.base}/#token={self.service.token}")
        self.page.wait_for_selector(".hit")

    def go(self, view: str) -> None:
        self.page.evaluate(
            "async view => { location.hash = view;"
            " do await new Promise((go) => setTimeout(go, 20));"
            " while (document.querySelector('main[aria-busy]')); }",
            f"#/{view}",
        )

    def until(self, condition: str) -> None:
        """Wait for a condition; ``wait_for_function`` may evaluate, which the page forbids."""
        self.page.evaluate(
            "async () => { for (let at = 0; at < 1500; at += 1) {"
            f" if ({condition}) return; await new Promise((go) => setTimeout(go, 20)); }}"
            f" throw new Error({json.dumps(condition)}); }}"
        )

    def memory(self) -> str:
        return self.project.memory.read_text(encoding="utf-8")

    def see(self, text: str) -> None:
        sync_api.expect(self.page.locator("main")).to_contain_text(text)

    def hold(self, address: str) -> list[Any]:
        """Requests to ``address``, which go on when somebody lets them."""
        held: list[Any] = []

        def keep(request: Any) -> None:
            held.append(request)

        self.page.route(address, keep)
        return held

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


Opened = Callable[..., Tab]


@pytest.fixture
def opened(browser: Any, running: tuple[Running, Project]) -> Iterator[Opened]:
    """Opens the page on a memory; at the end nothing may have gone wrong in it."""
    service, project = running
    contexts: list[Any] = []
    tabs: list[Tab] = []

    def open_(memory: str = MEMORY, **options: Any) -> Tab:
        for path in (project.archive, project.reminders, project.events, project.pending):
            path.unlink(missing_ok=True)
        for path in project.folder.glob(".recent.tmp/*"):
            path.unlink()  # what an earlier test added is not to be put back
        project.memory.write_text(memory, encoding="utf-8")
        contexts.append(
            browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
        )
        contexts[-1].set_default_timeout(15_000)
        tabs.append(Tab(contexts[-1].new_page(), service, project))
        tabs[-1].sign_in()
        return tabs[-1]

    yield open_
    for one in contexts:
        one.close()
    assert [one.wrong for one in tabs if one.wrong] == []


# Finding


def test_what_is_typed_is_found_marked_and_opened(opened: Opened) -> None:
    tab = opened()
    tab.page.locator("#q").press_sequentially("redis session")
    first = tab.page.locator(".hit", has_text="sessions are kept")
    sync_api.expect(first.locator("mark")).to_have_text(["sessions", "Redis"])
    assert "q=redis" in tab.page.url
    first.click()
    tab.see("No warnings")
    tab.see("[[auth]] stays in its own service")  # near it in time
    tab.see("auth depends-on Redis")
    assert tab.page.title().startswith("sessions are kept")
    found = [event.name for event in journal.events(tab.project.events)]
    assert "search" not in found  # letters are no searches that missed
    assert "get" in found


def test_facets_narrow_and_stay_in_the_address(opened: Opened) -> None:
    tab = opened()
    rows = tab.page.locator(".hit")

    def choose(name: str, value: str, left: int) -> None:
        tab.page.locator(f'[data-facet="{name}"][data-value="{value}"]').click()
        sync_api.expect(rows).to_have_count(left)

    choose("tag", "shop", 3)
    choose("lang", "de", 1)
    assert "lang=de" in tab.page.url
    choose("lang", "de", 3)
    choose("tag", "shop", 8)
    choose("year", "2025", 2)
    choose("status", "open", 1)
    choose("kind", "problem", 1)
    tab.page.reload()
    tab.page.wait_for_selector(".hit")
    sync_api.expect(rows).to_have_count(1)
    assert tab.page.locator('[aria-pressed="true"]').count() == 3


def test_time_is_walked_by_year_in_both_directions(opened: Opened) -> None:
    tab = opened()
    tab.go("timeline")
    rows = tab.page.locator(".hit .title")
    sync_api.expect(rows.first).to_contain_text("the bank")
    tab.page.get_by_role("button", name="Oldest first").click()
    sync_api.expect(rows.first).to_contain_text("the login page")
    tab.page.locator('[data-year="2026"]').click()
    sync_api.expect(rows).to_have_count(4)


def test_an_empty_memory_says_how_to_begin(opened: Opened) -> None:
    tab = opened()
    tab.project.memory.write_text("# Memory\n", encoding="utf-8")
    tab.see("Nothing is recorded yet")
    tab.page.locator("#q").fill("zebra")
    tab.see("Nothing matches")


def test_of_a_long_list_only_what_is_seen_is_in_the_page(opened: Opened) -> None:
    lines = "".join(f"- note: number {at} of many\n" for at in range(2_000))
    tab = opened(f"# Memory\n\n## 2026-09-01\n\n{lines}")
    tab.see("2,000 entries")
    assert tab.page.locator(".long > li").count() < 40
    tab.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    sync_api.expect(tab.page.locator('[aria-posinset="2000"] .title')).to_have_text(
        "number 0 of many"
    )
    assert tab.page.locator(".long > li").count() < 40
    tab.page.evaluate("document.activeElement.blur()")
    tab.press("k", "k")
    assert tab.page.evaluate("document.activeElement.className").startswith("hit")


@pytest.mark.slow
def test_the_last_of_many_thousand_entries_is_reached(browser: Any, tmp_path: Path) -> None:
    home, many = tmp_path / "home", 15_000
    with at_home(home):
        project = Project(project_at(tmp_path / "large"))
        lines = ["# Memory\n"]
        for at in range(many):
            if at % 50 == 0:
                lines.append(f"\n## {date(2020, 1, 1) + timedelta(days=at // 50)}\n\n")
            lines.append(f"- note: number {at} of many\n")
        project.memory.write_text("".join(lines), encoding="utf-8")
        memory = Memory(project)
        assert memory.build_index().entries == many
        memory.close()
    with serving(home, "--page", "--project", str(project.root), "--rate", "0") as service:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(30_000)
        tab = Tab(context.new_page(), service, project)
        tab.sign_in()
        tab.see("15,000 entries")
        last = tab.page.locator('[aria-posinset="15000"] .title')
        tab.press("Escape", "End")
        sync_api.expect(last).to_have_text("number 0 of many")
        sync_api.expect(last).to_be_in_viewport()
        tab.until("document.activeElement.closest('li')?.ariaPosInSet === '15000'")
        tab.press("k", "Enter")
        tab.see("number 1 of many")
        tab.go("timeline")
        tab.page.mouse.move(640, 400)
        for share in (0.3, 0.8, 1):  # as somebody drags the bar
            tab.page.evaluate("share => scrollTo(0, share * document.body.scrollHeight)", share)
            sync_api.expect(tab.page.locator(".empty-row")).to_have_count(0)
        sync_api.expect(last).to_have_text("number 0 of many")
        assert tab.page.locator(".long > li").count() < 40
        tab.press("Home")
        sync_api.expect(tab.page.locator('[aria-posinset="1"] .title')).to_be_in_viewport()
        assert tab.wrong == []
        context.close()


def test_matches_of_words_go_on_as_far_as_somebody_scrolls(opened: Opened) -> None:
    lines = "".join(f"- note: tea number {at} of many\n" for at in range(400))
    tab = opened(f"# Memory\n\n## 2026-09-01\n\n{lines}")
    tab.page.locator("#q").fill("tea")
    tab.see("over 100 entries")
    tab.press("Escape")
    size = "Number(document.querySelector('.long > li').ariaSetSize)"
    while (known := tab.page.evaluate(size)) < 400:
        tab.press("End")
        tab.until(f"{size} > {known}")
    tab.see("400 entries · best first")
    tab.press("End")
    sync_api.expect(tab.page.locator('[aria-posinset="400"] .title')).to_be_in_viewport()


def test_who_comes_back_to_a_list_stands_where_they_left_it(opened: Opened) -> None:
    lines = "".join(f"- note: number {at} of many\n" for at in range(400))
    tab = opened(f"# Memory\n\n## 2026-09-01\n\n{lines}")
    tab.press("Escape", "End", "k", "k")
    row = tab.page.locator('[aria-posinset="398"] a')
    sync_api.expect(row).to_be_focused()
    tab.until("history.state?.at === 397")
    tab.press("Enter")
    tab.page.wait_for_selector('[data-do="edit"]')
    tab.press("e")
    tab.page.wait_for_selector("#text:focus")
    tab.press("Escape")
    tab.page.wait_for_selector('[data-do="edit"]')
    tab.press("Escape")  # the entry, not the edit again
    sync_api.expect(row).to_be_focused()
    sync_api.expect(row).to_be_in_viewport()
    tab.press("j")
    sync_api.expect(tab.page.locator('[aria-posinset="399"] a')).to_be_focused()


def test_things_are_drawn_and_listed(opened: Opened) -> None:
    tab = opened()
    tab.go("graph")
    assert tab.page.locator("svg[role=img] circle").count() >= 3
    tab.page.locator(".things a", has_text="auth").first.click()
    tab.see("Around auth")
    tab.see("shop uses auth")
    sync_api.expect(tab.page.locator("circle.here")).to_have_count(1)
    boxes = tab.page.eval_on_selector_all(
        "svg[role=img] text:not(.of)",
        "all => all.map((one) => one.getBoundingClientRect().toJSON())",
    )
    assert len(boxes) >= 3
    for at, one in enumerate(boxes):  # no name hides another
        for other in boxes[at + 1 :]:
            assert (
                min(one["right"], other["right"]) <= max(one["left"], other["left"]) + 1
                or min(one["bottom"], other["bottom"]) <= max(one["top"], other["top"]) + 3
            )
    tab.page.locator("circle:not(.here)").first.click()
    tab.page.wait_for_url(lambda url: "start=" in url and "start=auth" not in url)


def test_health_has_its_charts_and_their_numbers(opened: Opened) -> None:
    tab = opened()
    tab.go("health")
    tab.see("What to do first")
    titles = tab.page.locator("figcaption").all_inner_texts()
    assert [one.splitlines()[0] for one in titles] == [
        *("Kinds", "Layers", "Heat", "Verification", "Drift")
    ]
    kinds = tab.page.locator("figure", has_text="Entries by kind")
    kinds.locator("summary").click()
    assert "decision\t2" in kinds.locator("table").inner_text()


def test_health_shows_what_it_knows_while_it_looks_at_the_rest(opened: Opened) -> None:
    tab = opened()
    held = tab.hold("**/api/v1/health**")
    tab.press("Escape", "g", "h")
    tab.see("Checking 8 entries …")
    sync_api.expect(tab.page.locator(".tiles dd").first).to_have_text("8")
    sync_api.expect(tab.page.locator("figcaption").first).to_contain_text("Kinds")
    tab.press("g", "t")  # nothing has to be waited for
    tab.see("Oldest first")
    tab.press("g", "h")
    tab.see("Checking 8 entries …")
    held[-1].continue_()
    tab.see("What to do first")
    tab.see("Checked 8 entries at ")
    tab.page.unroute("**/api/v1/health**")


def test_health_seen_before_is_there_at_once_and_looked_at_again(opened: Opened) -> None:
    tab = opened()
    tab.go("health")
    tab.see("Checked 8 entries")
    sync_api.expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
    added = "- note: written in an editor\n"
    tab.project.memory.write_text(MEMORY.replace("- learned", f"{added}- learned"), "utf-8")
    tab.see("The files have changed.")
    tab.page.get_by_role("button", name="Refresh").click()
    tab.see("Checked 9 entries")
    tab.go("search")
    held = tab.hold("**/api/v1/health**")
    tab.go("health")
    tab.see("What to do first")
    tab.see("Checking 9 entries …")
    held[0].continue_()
    tab.see("Checked 9 entries")


# Curating


def test_an_edit_shows_what_changes_and_changes_the_file(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/coupons1")
    tab.page.get_by_role("link", name="Edit").click()
    tab.page.locator("#text").fill("coupons come off after tax #shop #money")
    sync_api.expect(tab.page.locator(".diff del")).to_have_text("before")
    sync_api.expect(tab.page.locator(".diff ins").first).to_have_text("after")
    tab.see("Will be recorded as: learning, tags shop, money")
    tab.page.get_by_role("button", name="Save").click()
    tab.page.wait_for_url("**/#/entry/coupons1")
    tab.see("until")  # the history: what it said before
    assert "- learned: coupons come off after tax #shop #money ^coupons1\n" in tab.memory()
    assert MEMORY.count("\n") == tab.memory().count("\n")
    assert "coupons come off before tax" in tab.project.archive.read_text(encoding="utf-8")


def test_what_was_changed_meanwhile_is_told_and_not_overwritten(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/coupons1/edit")
    tab.page.locator("#text").fill("mine")
    theirs = MEMORY.replace("before tax", "never")
    tab.project.memory.write_text(theirs, encoding="utf-8")
    tab.page.get_by_role("button", name="Save").click()
    tab.see("This entry changed while you were editing it.")
    tab.see("coupons come off never #shop")
    assert tab.memory() == theirs
    tab.page.get_by_role("button", name="Keep my text").click()
    tab.page.get_by_role("button", name="Save").click()
    tab.page.wait_for_url("**/#/entry/coupons1")
    assert "- learned: mine ^coupons1" in tab.memory()


def test_leaving_an_edit_with_keys_asks_first(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/coupons1/edit")
    tab.page.keyboard.type("mine: ")
    tab.press("Escape")
    dialog = tab.page.get_by_role("dialog")
    sync_api.expect(dialog).to_contain_text("Leave without saving?")
    tab.press("Escape")
    sync_api.expect(dialog).to_have_count(0)
    assert "mine: " in tab.page.locator("#text").input_value()
    tab.press("Escape", "Enter")
    tab.page.wait_for_url("**/#/entry/coupons1")
    assert tab.memory() == MEMORY


def test_a_credential_is_refused_before_it_is_saved(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/coupons1/edit")
    tab.page.locator("#text").fill("the key is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    sync_api.expect(tab.page.locator(".card .problem")).to_be_visible()
    sync_api.expect(tab.page.get_by_role("button", name="Save")).to_be_disabled()
    assert tab.memory() == MEMORY


def test_an_entry_is_verified(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/thebank1")
    tab.press("v")
    tab.page.get_by_label("How was it checked?").fill("asked the bank")
    tab.page.get_by_role("button", name="Confirm").click()
    for _ in range(100):
        if "[verified::" in tab.memory():
            break
        tab.page.wait_for_timeout(100)
    tab.see("verified")  # by itself, as the file has changed
    assert re.search(r"cents #shop \[verified:: \d{4}-\d\d-\d\d\] \^thebank1", tab.memory())


def test_every_warning_is_told(
    browser: Any,
    drifted: Project,  # noqa: F811 - the fixture
    home: Path,
) -> None:
    with serving(
        home / ".mind", "--page", "--project", str(drifted.root), "--rate", "0"
    ) as service:
        page = browser.new_page()
        tab = Tab(page, service, drifted)
        tab.sign_in()
        for text, warning in WARNINGS.values():
            said = text.partition(": ")[2]
            tab.go(f"search?q={quote(said)}")
            flag = page.locator(".hit .flag", has_text=warning).first
            sync_api.expect(flag).to_be_visible()
            hits = service.ask("GET", f"/api/v1/search?q={quote(said)}").json["hits"]
            (found,) = (one for one in hits if one["text"] == said)
            tab.go(f"entry/{found['id']}")
            sync_api.expect(page.locator("main .flag", has_text=warning).first).to_be_visible()
        page.close()
    assert tab.wrong == []


def test_forgetting_wants_a_reason_and_is_taken_back_byte_for_byte(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/pakete11")
    tab.page.get_by_role("button", name="Forget").click()
    dialog = tab.page.get_by_role("dialog")
    dialog.get_by_label("Why?").fill("  ")
    dialog.get_by_role("button", name="Forget").click()
    sync_api.expect(dialog.get_by_role("alert")).to_have_text("Enter a reason.")
    dialog.get_by_label("Why?").fill("the warehouse moved")
    dialog.get_by_role("button", name="Forget").click()
    tab.page.wait_for_url("**/#/archive")
    tab.see("the warehouse moved")
    assert "pakete11" not in tab.memory()
    tab.page.get_by_role("button", name="Restore").click()
    tab.page.wait_for_url("**/#/entry/pakete11")
    assert tab.memory() == MEMORY


def test_a_question_goes_with_the_view_that_asked_it(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/loginbug")
    tab.page.get_by_role("button", name="Forget").click()
    sync_api.expect(tab.page.get_by_role("dialog")).to_be_visible()
    tab.page.go_back()
    tab.page.wait_for_url("**/#/search")
    sync_api.expect(tab.page.get_by_role("dialog")).to_have_count(0)
    assert tab.memory() == MEMORY


def test_a_reminder_is_added_and_done(opened: Opened) -> None:
    tab = opened()
    tab.go("reminders")
    tab.page.get_by_label("Reminder", exact=True).fill("renew the <certificate>")
    tab.page.get_by_label("When").fill("when I mention tls")
    tab.page.get_by_role("button", name="Add").click()
    tab.see("when somebody mentions tls")
    assert "renew the <certificate>" in tab.project.reminders.read_text(encoding="utf-8")
    tab.page.get_by_role("button", name="Done: renew").click()
    tab.see("No reminders.")
    tab.page.get_by_label("Show completed reminders").check()
    tab.see("done on")


def test_what_reads_otherwise_by_now_is_not_forgotten(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/loginbug")
    tab.page.get_by_role("button", name="Forget").click()
    changed = MEMORY.replace("cookies are off", "cookies are on")
    tab.project.memory.write_text(changed, encoding="utf-8")
    dialog = tab.page.get_by_role("dialog")
    dialog.get_by_label("Why?").fill("mended")
    dialog.get_by_role("button", name="Forget").click()
    sync_api.expect(tab.page.locator("#said")).to_contain_text("changed since")
    assert tab.memory() == changed


def test_a_row_keeps_the_focus_when_the_files_change(opened: Opened) -> None:
    tab = opened()
    tab.press("Escape", "j", "j")
    focused = tab.page.evaluate("document.activeElement.href")
    tab.project.memory.write_text(MEMORY.replace("counts cents", "counts pennies"), "utf-8")
    sync_api.expect(tab.page.locator(".hit", has_text="counts pennies")).to_be_visible()
    assert tab.page.evaluate("document.activeElement.href") == focused


def test_the_page_follows_the_files(opened: Opened) -> None:
    tab = opened()
    sync_api.expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
    added = "- note: written in an editor\n"
    tab.project.memory.write_text(MEMORY.replace("- learned", f"{added}- learned"), "utf-8")
    sync_api.expect(tab.page.locator(".hit", has_text="written in an editor")).to_be_visible()
    tab.go("entry/thebank1")
    tab.project.memory.write_text(MEMORY.replace("counts cents", "counts pennies"), "utf-8")
    tab.see("the bank counts pennies")


def test_projects_are_chosen_and_an_end_of_the_service_is_told(
    browser: Any, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with at_home(home):
        one = project_at(tmp_path / "one", ("decision", "tea over coffee"))
        other = project_at(tmp_path / "other", ("decision", "cups over glasses"))
    options = ("--page", "--project", str(one), "--project", str(other))
    with serving(home, *options) as service:
        context = browser.new_context()
        tab = Tab(context.new_page(), service, Project(one))
        tab.sign_in()
        tab.see("tea over coffee")
        tab.page.get_by_label("Project").select_option("other")
        tab.see("cups over glasses")
        live = tab.page.locator("#live")
        sync_api.expect(live).to_have_attribute("data-state", "on")
    sync_api.expect(live).to_have_text("reconnecting …")
    tab.page.locator("#q").fill("tea")
    tab.see("The service does not answer.")
    sync_api.expect(tab.page.locator(".hit")).to_have_count(1)  # what was there stays
    context.close()


def test_without_the_service_it_tries_again_and_again_later_each_time(opened: Opened) -> None:
    tab = opened()
    waits = tab.page.evaluate(
        "async () => { const { delay } = await import('/js/live.js');"
        " return [0, 1, 2, 4, 5, 50].map((at) => delay(at, 0.5)); }"
    )
    assert waits == [1000, 2000, 4000, 16000, 30000, 30000]
    events = tab.page.evaluate(
        "async () => { const { parsed } = await import('/js/live.js');"
        " return parsed('event: hello\\nid: 1\\ndata: {}\\n\\n: beat\\n\\nevent: cha'); }"
    )
    assert events == {"events": [{"event": "hello", "id": "1", "data": "{}"}], "rest": "event: cha"}


# Adding, and what waits for a yes


def test_an_entry_is_added_with_keys_alone(opened: Opened) -> None:
    tab = opened()
    tab.press("Escape", "n")
    tab.page.wait_for_selector("#text:focus")
    tab.see("Write one fact and its reason")
    tab.page.keyboard.type("SQLite over Postgres - one file, says [[storage]]")
    tab.page.get_by_label("Tags", exact=True).press_sequentially("#auth, speed")
    tab.see("Will be recorded as: decision, tags auth, speed, things storage")
    tab.see("Will be saved in .mind/MEMORY.md")
    sync_api.expect(tab.page.get_by_role("button", name="#auth")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert tab.memory() == MEMORY
    tab.press("Control+Enter")
    tab.see("No warnings")  # the entry, which is shown now
    sync_api.expect(tab.page.locator("#said")).to_contain_text("Added to .mind/MEMORY.md")
    assert tab.memory().startswith(MEMORY)
    added = "decided: SQLite over Postgres - one file, says [[storage]] #auth #speed\n"
    assert tab.memory().endswith(added)
    tab.press("n")
    tab.page.wait_for_selector("#text:focus")
    assert tab.page.locator("#text").input_value() == ""


def test_what_is_typed_is_there_still_after_a_look_elsewhere(opened: Opened) -> None:
    tab = opened()
    tab.page.get_by_role("link", name="Add an entry").click()
    tab.page.get_by_label("Kind").select_option("rejected")
    tab.page.locator("#text").fill("MongoDB - we need joins")
    tab.page.get_by_role("button", name="#shop").click()
    tab.see("Will be saved in .mind/SESSION.md")
    tab.go("search")
    tab.go("add")
    assert tab.page.locator("#text").input_value() == "MongoDB - we need joins"
    assert tab.page.get_by_label("Kind").input_value() == "rejected"
    tab.see("Will be recorded as: rejected, tags shop")
    tab.page.get_by_role("button", name="Clear").click()
    assert tab.page.locator("#text").input_value() == ""
    assert tab.memory() == MEMORY


def test_what_memory_says_already_is_told_and_not_added(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.get_by_label("Kind").select_option("learning")
    tab.page.locator("#text").fill("Coupons come off before tax #shop.")
    tab.see("Already recorded.")
    sync_api.expect(tab.page.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    assert tab.page.get_by_role("button", name="Add anyway").count() == 0
    told = tab.page.get_by_text("edit the existing entry")
    sync_api.expect(told).to_have_count(1)
    tab.page.locator("#text").press("Control+Enter")
    sync_api.expect(told).to_have_count(2)  # the answer: nothing is drawn anew under the click
    assert tab.memory() == MEMORY
    tab.page.locator("main a", has_text="coupons come off").first.click()
    tab.page.wait_for_url("**/#/entry/coupons1")


def test_what_will_not_be_true_for_long_is_added_if_somebody_insists(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.get_by_label("Kind").select_option("note")
    tab.page.locator("#text").fill("the build is broken at the moment")
    tab.see("will not be true for long")
    tab.see("choose “Add anyway”")
    sync_api.expect(tab.page.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    assert tab.memory() == MEMORY
    tab.page.get_by_role("button", name="Add anyway").click()
    tab.page.wait_for_url("**/#/entry/*")
    assert "note: the build is broken at the moment\n" in tab.memory()


def test_a_protected_entry_leaves_only_after_a_second_question(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/thebank1")
    for answer in ("Cancel", "Archive anyway"):
        tab.page.get_by_role("button", name="Forget").click()
        dialog = tab.page.get_by_role("dialog")
        dialog.get_by_label("Why?").fill("the bank was changed")
        dialog.get_by_role("button", name="Forget").click()
        sync_api.expect(dialog).to_contain_text("thebank1 (gotcha) is protected")
        assert tab.memory() == MEMORY
        dialog.get_by_role("button", name=answer).click()
    tab.page.wait_for_url("**/#/archive")
    assert "^thebank1" not in tab.memory()


def test_a_new_entry_takes_the_place_of_a_protected_one_after_a_question(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.get_by_label("Kind").select_option("gotcha")
    tab.page.locator("#text").fill("the bank counts cents and rounds them")
    tab.page.locator('[data-replaces="thebank1"]').check()
    tab.page.get_by_role("button", name="Add", exact=True).click()
    tab.see("thebank1 (gotcha) is protected")
    assert tab.memory() == MEMORY
    tab.page.locator('[data-replaces="thebank1"]').check()
    tab.page.get_by_role("button", name="Add anyway").click()
    tab.page.wait_for_url("**/#/entry/*")
    assert "^thebank1" not in tab.memory()


def test_what_was_forgotten_is_restored_or_added_anew(opened: Opened) -> None:
    tab = opened()
    gone = {"reason": "the page is gone", "acknowledge": True}
    assert tab.service.ask("POST", "/api/v1/entries/loginbug/forget", gone).status == 200
    tab.go("add")
    tab.page.get_by_label("Kind").select_option("problem")
    tab.page.locator("#text").fill("the login page loops when cookies are off #auth")
    tab.see("the same was archived")
    tab.see("the page is gone")
    sync_api.expect(tab.page.get_by_role("button", name="Add anyway")).to_be_visible()
    tab.page.get_by_role("button", name="Restore the forgotten entry").click()
    tab.page.wait_for_url("**/#/entry/loginbug")
    assert tab.memory() == MEMORY


def test_a_credential_is_not_added_whatever_one_says(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.locator("#text").fill("the key is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    tab.see("this looks like a credential")
    tab.see("Record where the credential is stored instead")
    sync_api.expect(tab.page.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    assert tab.page.get_by_role("button", name="anyway").count() == 0
    tab.page.locator("#text").press("Control+Enter")
    sync_api.expect(tab.page.locator(".problem")).to_have_count(2)
    assert tab.memory() == MEMORY


def test_a_new_entry_takes_the_place_of_one_that_no_longer_holds(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.locator("#text").fill("sessions are kept in Redis for five minutes after a request")
    tab.see("Does it replace one of them?")
    tab.page.locator('[data-replaces="sessions"]').check()
    tab.page.get_by_role("button", name="Add", exact=True).click()
    tab.page.wait_for_url("**/#/entry/*")
    assert "^sessions" not in tab.memory()
    assert "five minutes" in tab.memory()
    assert "thirty minutes" in tab.project.archive.read_text(encoding="utf-8")


def test_a_claim_about_a_person_waits_for_a_yes(opened: Opened) -> None:
    tab = opened()
    tab.go("add")
    tab.page.get_by_label("Kind").select_option("learning")
    tab.page.locator("#text").fill("the user prefers <b>tabs</b> over spaces")
    tab.see("This is about a person")
    tab.page.get_by_role("button", name="Add", exact=True).click()
    tab.page.wait_for_url("**/#/pending")
    tab.see("the user prefers <b>tabs</b> over spaces")
    tab.see("expires in 60 minutes")
    sync_api.expect(tab.page.get_by_role("link", name="Pending")).to_have_text("Pending 1 waiting")
    assert tab.memory() == MEMORY
    tab.press("j")  # the first button
    assert tab.page.evaluate("document.activeElement.textContent") == "Record it"
    tab.press("Enter")
    tab.see("Nothing is pending.")
    sync_api.expect(tab.page.locator("#said")).to_contain_text("Recorded: the user prefers")
    sync_api.expect(tab.page.get_by_role("link", name="Pending")).to_have_text("Pending")
    assert "learned: the user prefers <b>tabs</b> over spaces\n" in tab.memory()


def test_a_claim_that_an_agent_made_appears_by_itself_and_is_dropped(opened: Opened) -> None:
    tab = opened()
    tab.go("pending")
    tab.see("Nothing is pending.")
    sync_api.expect(tab.page.locator("#live")).to_have_attribute("data-state", "on")
    for text in ("the user hates meetings", "the user lives in Lisbon"):
        tab.service.call("mind_log", message=text, type="learning")
    tab.see("the user hates meetings")
    tab.see("the user lives in Lisbon")
    tab.page.get_by_role("button", name="Drop: the user hates").click()
    sync_api.expect(tab.page.locator(".claims li")).to_have_count(1)
    assert tab.page.evaluate("document.activeElement.dataset.does") == "yes"  # of the next one
    assert tab.memory() == MEMORY


def test_a_correction_that_waits_shows_what_it_changes(opened: Opened) -> None:
    tab = opened()
    tab.go("entry/coupons1/edit")
    tab.page.locator("#text").fill("the user prefers coupons after tax #shop")
    tab.see("This is about a person")
    tab.page.get_by_role("button", name="Save").first.click()
    tab.page.wait_for_url("**/#/pending")
    sync_api.expect(tab.page.locator(".claims del").last).to_have_text("before")
    assert tab.memory() == MEMORY
    tab.page.get_by_role("button", name="Record: the user prefers").click()
    tab.see("Nothing is pending.")
    sync_api.expect(tab.page.locator("#said")).to_contain_text("Corrected: the user prefers")
    assert "- learned: the user prefers coupons after tax #shop ^coupons1" in tab.memory()


def test_a_claim_that_waits_shows_what_it_replaces(opened: Opened) -> None:
    tab = opened()
    tab.go("pending")
    tab.see("Nothing is pending.")
    said = "the user prefers coupons after tax"
    tab.service.call("mind_log", message=said, type="learning", replaces="coupons1")
    tab.see("It replaces 1 entry")
    tab.see("before")
    tab.page.get_by_role("button", name="Record: the user prefers").click()
    tab.see("Nothing is pending.")
    told = sync_api.expect(tab.page.locator("#said"))
    told.to_contain_text("The replaced entry is in the archive")
    assert said in tab.memory()
    assert "^coupons1" not in tab.memory()


def test_a_claim_that_waited_too_long_is_not_recorded(opened: Opened) -> None:
    tab = opened()
    asked = {"message": "the user prefers tea", "type": "learning"}
    assert tab.service.ask("POST", "/api/v1/entries", asked).status == 201
    tab.go("pending")
    tab.see("the user prefers tea")
    rows = json.loads(tab.project.pending.read_text(encoding="utf-8"))
    rows[0]["asked"] = "2026-01-01T00:00:00+00:00"
    with tab.page.expect_response("**/api/v1/pending"):  # the page follows the file
        tab.project.pending.write_text(json.dumps(rows), encoding="utf-8")
    tab.see("Nothing is pending.")
    assert tab.memory() == MEMORY


def test_an_edit_that_will_not_be_true_for_long_is_saved_if_somebody_insists(
    opened: Opened,
) -> None:
    tab = opened()
    tab.go("entry/coupons1/edit")
    tab.page.locator("#text").fill("coupons are broken at the moment #shop")
    tab.see("will not be true for long")
    sync_api.expect(tab.page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    tab.page.get_by_role("button", name="Save anyway").click()
    tab.page.wait_for_url("**/#/entry/coupons1")
    assert "coupons are broken at the moment #shop ^coupons1" in tab.memory()


# With keys alone, for every eye


def test_everything_is_done_with_keys(opened: Opened) -> None:
    tab = opened()
    tab.press("Escape", "/")
    tab.page.keyboard.type("coupons")
    sync_api.expect(tab.page.locator(".hit mark").first).to_have_text("coupons")
    tab.press("Enter", "k", "j", "k", "Enter")
    tab.page.wait_for_url("**/#/entry/coupons1")
    tab.page.wait_for_selector('[data-do="edit"]')
    tab.press("e")
    tab.page.wait_for_selector("#text:focus")
    tab.press("Control+End")
    tab.page.keyboard.type(" always, e and g too")
    tab.press("Control+Enter")
    tab.page.wait_for_url("**/#/entry/coupons1")
    tab.page.wait_for_selector('[data-do="edit"]')
    assert "coupons come off before tax #shop always, e and g too ^coupons1" in tab.memory()
    for key, name in zip(
        "tghraps",
        ("Timeline", "Things", "Health", "Reminders", "Archive", "Pending", "S"),
        strict=True,
    ):
        tab.press("g", key)
        sync_api.expect(tab.page.locator("main h1")).to_contain_text(name)
    tab.press("Escape", "?")
    dialog = tab.page.get_by_role("dialog")
    sync_api.expect(dialog).to_contain_text("next and previous entry")
    tab.page.get_by_label("Enable single-letter shortcuts").uncheck()
    tab.press("Escape")
    sync_api.expect(dialog).to_have_count(0)
    tab.press("g", "t")
    assert tab.page.url.endswith("#/search")


def test_dark_follows_the_system_or_the_switch(opened: Opened) -> None:
    tab = opened(color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    dark = tab.page.evaluate(shade)
    switch = tab.page.get_by_role("button", name="Theme")
    switch.click()
    light = tab.page.evaluate(shade)
    assert (dark, light) == ("rgb(18, 21, 26)", "rgb(246, 247, 249)")
    tab.page.reload()
    assert tab.page.evaluate(shade) == light
    tab.page.emulate_media(color_scheme="light")
    switch.click()
    assert tab.page.evaluate(shade) == dark


def test_no_view_has_a_barrier(opened: Opened) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    tab = opened()
    for path, sent in (
        ("entries/pakete11/forget", {"reason": "moved"}),
        ("reminders", {"message": "renew the certificate", "when": "tomorrow"}),
        ("entries", {"message": "the user prefers tabs over spaces", "type": "learning"}),
    ):
        assert tab.service.ask("POST", f"/api/v1/{path}", sent).status in (200, 201)
    tab.page.evaluate(axe)
    found: list[tuple[str, str, str]] = []
    for view in VIEWS:
        tab.page.set_viewport_size({"width": 1280, "height": 800})
        tab.go(view)
        if view == "health":
            tab.see("What to do first")
        found += _barriers(tab, view, {"runOnly": RULES})
        tab.page.emulate_media(color_scheme="dark")
        found += _barriers(tab, f"{view}, dark", {"runOnly": ["color-contrast"]})
        tab.page.emulate_media(color_scheme="light")
        tab.page.set_viewport_size({"width": 400, "height": 800})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 400, view
    tab.go("entry/thebank1")
    tab.page.get_by_role("button", name="Forget").click()
    found += _barriers(tab, "forget", {"runOnly": RULES})
    tab.press("Escape", "?")
    found += _barriers(tab, "keys", {"runOnly": RULES})
    tab.press("Escape")
    tab.go("entry/nowhere")
    tab.see("no entry has the id")
    found += _barriers(tab, "nowhere", {"runOnly": RULES})
    assert found == []


def _barriers(tab: Tab, view: str, options: dict[str, Any]) -> list[tuple[str, str, str]]:
    told = tab.page.evaluate("options => axe.run(document, options)", options)
    return [(view, one["id"], one["nodes"][0]["html"]) for one in told["violations"]]


# What must not happen


def test_what_memory_says_is_never_more_than_text(opened: Opened) -> None:
    tab = opened(HOSTILE)
    for view in ("search", "search?q=img+page", "timeline", "graph", "health"):
        tab.go(view)
        assert tab.page.locator("main img, main script, main svg[onload], main b").count() == 0
    for at in range(1, 6):
        tab.go(f"entry/hostile{at}")
        assert tab.page.locator("main img, main script, main svg, main b, main i").count() == 0
        addresses = tab.page.eval_on_selector_all("a", "all => all.map((one) => one.href)")
        assert {one.split(":")[0] for one in addresses} <= {"http", "https"}
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.go("entry/hostile3")
    tab.see("U+202E")
    tab.go("entry/hostile4")
    tab.page.get_by_role("button", name="Show all 100,000 characters").click()
    assert len(tab.page.locator(".text").inner_text()) >= 100_000
    assert tab.page.evaluate("window.hacked") is None


def test_an_entry_is_shown_as_its_markdown_says(opened: Opened) -> None:
    tab = opened(MARKED_UP)
    found = tab.service.ask("GET", "/api/v1/search?q=memcached").json["hits"]
    tab.go(f"entry/{found[0]['id']}")
    shown = tab.page.locator(".rendered")
    assert shown.locator("strong").inner_text() == "Redis"
    assert shown.locator("li").all_inner_texts() == ["keeps sessions", "survives restarts"]
    assert shown.locator("pre code").inner_text() == 'cache.get("<b>x</b>")\n'
    assert shown.locator("td").all_inner_texts() == ["free", "10"]
    assert shown.locator("a").get_attribute("href") == "https://example.org/x"
    tab.go("entry/links123")
    assert tab.page.locator(".rendered img, .rendered [src]").count() == 0
    links = tab.page.eval_on_selector_all(".rendered a", "all => all.map((one) => one.href)")
    assert links == ["https://e.example/p.png"]
    assert tab.page.evaluate("window.hacked") is None
    tab.go("entry/atask123")
    assert tab.page.locator(".rendered del").inner_text() == "call"
    assert "graph?start=Redis" in (tab.page.locator(".rendered a").get_attribute("href") or "")


def test_the_policy_lets_no_text_become_a_script(opened: Opened) -> None:
    tab = opened()
    refused = tab.page.evaluate(
        "() => { try { document.body.innerHTML = '<p>'; } catch (error) { return error.name; } }"
    )
    assert refused == "TypeError"
    tab.wrong = [one for one in tab.wrong if "TrustedHTML" not in one]
    sources = [path.read_text(encoding="utf-8") for path in Path("templates/page").rglob("*.js")]
    for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert not any(banned in one for one in sources)


def test_the_token_is_kept_by_the_tab_alone(opened: Opened) -> None:
    tab = opened()
    token = tab.service.token
    assert token not in tab.page.url
    assert tab.page.evaluate("sessionStorage.getItem('mind.token')") == token
    assert token not in tab.page.evaluate("JSON.stringify([{...localStorage}, document.cookie])")
    tab.page.go_back()
    assert token not in tab.page.url
    other = tab.page.context.new_page()
    other.goto(tab.base)
    sync_api.expect(other.locator("main")).to_contain_text("Run `mind ui` again")
    assert other.locator(".hit").count() == 0


def test_mind_ui_opens_once(
    browser: Any, running: tuple[Running, Project], tmp_path: Path, home: Path
) -> None:
    project = running[1]
    project.memory.write_text(MEMORY, encoding="utf-8")
    opener = tmp_path / "browser"
    opener.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n', encoding="utf-8")
    opener.chmod(0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", "mind", "ui", "--port", "0", "--project", str(project.root)],
        env={**os.environ, "BROWSER": f"{opener} %s"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        assert "/#code=" in address
        for expected in (True, False):
            context = browser.new_context()
            page = context.new_page()
            page.goto(address)
            if expected:
                page.wait_for_selector(".hit")
            sync_api.expect(page.locator("main")).to_contain_text(
                "entries" if expected else "was already used"
            )
            assert "code" not in page.url
            context.close()
        assert (tmp_path / "opened").read_text(encoding="utf-8").strip() == address
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()  # type: ignore[union-attr] # it is a pipe


def test_a_browser_for_the_terminal_is_not_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nothing() -> None:
        raise webbrowser.Error("there is none")

    def terminal() -> webbrowser.GenericBrowser:
        return webbrowser.GenericBrowser(["touch", str(tmp_path / "started")])

    before = threading.active_count()
    monkeypatch.delenv("BROWSER", raising=False)
    for found in (nothing, terminal):
        monkeypatch.setattr(webbrowser, "get", found)
        serve._open("http://127.0.0.1:1/")
    assert threading.active_count() == before
    assert not (tmp_path / "started").exists()


# What the page asks the service besides


def test_a_search_counts_facets_and_is_noted_unless_told_otherwise(
    running: tuple[Running, Project],
) -> None:
    service, project = running

    def searches() -> list[str]:  # a tab of another test may still read something
        told = [one.name for one in journal.events(project.events)]
        return [name for name in told if name == "search"]

    project.memory.write_text(MEMORY, encoding="utf-8")
    project.events.unlink(missing_ok=True)
    quiet = service.ask("GET", "/api/v1/search?q=redis&noted=false").json
    assert quiet["facets"] is None
    assert quiet["hits"]
    assert searches() == []
    facets = service.ask("GET", "/api/v1/search?q=cookies%20login&facets=true").json["facets"]
    assert facets["statuses"]["open"] == 1
    assert "en" in facets["languages"]
    assert searches() == ["search"]


def test_the_graph_from_afar(project: Project) -> None:
    project.memory.write_text(MEMORY, encoding="utf-8")
    memory = Memory(project)
    seen = memory.index
    memory.search("redis")
    found = seen.graph.overview(3)
    assert [(one.name, one.entries) for one in found.things] == [
        ("auth", 5),
        ("shop", 4),
        ("Redis", 2),
    ]
    assert [(one.subject, one.predicate, one.object) for one in found.relations] == [
        ("auth", "depends-on", "Redis"),
        ("shop", "uses", "auth"),
    ]
    assert [(one.one, one.other, one.entries) for one in found.together] == [
        ("auth", "Redis", 2),
        ("auth", "shop", 1),
    ]
    memory.close()


def test_differences_are_told_word_by_word(opened: Opened) -> None:
    tab = opened()
    pairs = [
        ("a b c", "a x c"),
        ("", "new"),
        ("same", "same"),
        ("one two", "one two three"),
        ("a " * 3000, "b " * 3000),
    ]
    found = tab.page.evaluate(
        "async pairs => { const { difference } = await import('/js/diff.js');"
        " return pairs.map(([one, other]) => difference(one, other)); }",
        pairs,
    )
    assert found[0] == [["same", "a "], ["gone", "b"], ["new", "x"], ["same", " c"]]
    assert found[1] == [["new", "new"]]
    assert found[2] == [["same", "same"]]
    assert found[3] == [["same", "one two"], ["new", " three"]]
    for (before, after), parts in zip(pairs, found, strict=True):
        assert "".join(text for kind, text in parts if kind != "new") == before
        assert "".join(text for kind, text in parts if kind != "gone") == after
