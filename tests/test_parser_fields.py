"""What an entry says beside its text, and how later entries resolve earlier ones."""

import pytest

from mind.documents import parser
from mind.domain.entry import Entry, Kind, Status, content_id
from mind.domain.settings import Settings

SETTINGS = Settings()


def one(text: str) -> Entry:
    found = parser.parse(text.encode(), "MEMORY.md", SETTINGS)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        ("decided: one queue because order matters", "order matters"),
        ("decided: one queue - simpler, no deps", "simpler, no deps"),
        ("decided: one queue so that order is kept", "order is kept"),
        ("decidido: una cola porque importa el orden", "importa el orden"),
        ("Entschieden: eine Schlange, weil sonst alles wartet", "sonst alles wartet"),
        ("决定：一个队列，因为顺序重要", "顺序重要"),
        ("decided: one queue", ""),
    ],
)
def test_the_reason_is_found(text: str, reasoning: str) -> None:
    assert one(text).reasoning == reasoning


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("decided: SQLite over Postgres - one file", ("Postgres",)),
        ("decided: one queue instead of two or three queues, for now", ("two", "three queues")),
        ("Entschieden: SQLite statt Postgres", ("Postgres",)),
        ("决定：采用单页面而不是多页面，因为屏幕小", ("多页面",)),
        ("決定：複数ではなく一つのキュー", ("複数",)),
        ("決定：ではなく一つのキュー", ()),
        ("decided: use tabs not spaces", ("spaces",)),
        ("decided: use Less not Sass", ("Sass",)),
        ("decided: MIT not Apache", ("Apache",)),
        ("decided: SQLite is used here not Postgres", ("Postgres",)),
        ("decided: tabs vs. spaces", ("spaces",)),
        ("decided: tabs Vs spaces", ("spaces",)),
        ("rejected: Publishing to the VS Code Marketplace by hand", ()),
        ("decided: switch over to tabs", ()),
        ("decided: show the banner whether or not the user is logged in", ()),
        ("decided: send mails that have not been sent", ()),
        ("decided: retry if not configured otherwise", ()),
        ("decided: deploy when it's not Friday", ()),
        ("decided: one queue", ()),
    ],
)
def test_the_alternatives_are_found(text: str, others: tuple[str, ...]) -> None:
    assert one(text).alternatives == others


@pytest.mark.parametrize(
    ("text", "workaround"),
    [
        ("gotcha: tabs in the menu file -> use blanks", "use blanks"),
        ("gotcha: tabs in the menu file → use blanks", "use blanks"),
        ("gotcha: tabs in the menu file - use blanks", "use blanks"),
        ("gotcha: tabs in the menu file. Fix: use blanks", "use blanks"),
        ("gotcha: tabs in the menu file. Workaround: use blanks", "use blanks"),
        ("gotcha: tabs in the menu file ->", ""),
        ("gotcha: tabs in the menu file", ""),
    ],
)
def test_the_workaround_is_found(text: str, workaround: str) -> None:
    assert one(text).workaround == workaround


def test_a_nested_fix_is_the_workaround_of_its_problem() -> None:
    found = one("- **Problem:** login fails\n  - **Fix:** press twice\n  - **Date:** 2026-02-03\n")
    assert found.workaround == "press twice"
    assert str(found.date) == "2026-02-03"


def test_tags_links_fields_and_block_id_are_read() -> None:
    found = one("decided: use [[redis|Redis]] #cache #cache/ttl [layer:: goal] `#no` ^a1b2c3d4")
    assert found.id == "a1b2c3d4"
    assert found.tags == ("cache", "cache/ttl")
    assert found.links == ("redis",)
    assert found.fields == {"layer": "goal"}
    assert found.text == "use [[redis|Redis]] #cache #cache/ttl `#no`"
    plain = one("decided: use redis")
    assert plain.id == content_id("use redis")


def test_the_id_does_not_depend_on_the_dress() -> None:
    assert one("- **Decided:** use one queue").id == one("decided: use one queue").id


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("problem: login fails", Status.OPEN),
        ("problem: login fails, waiting for the vendor", Status.BLOCKED),
        ("problem: login fails (fixed)", Status.RESOLVED),
        ("problem: login fails - not fixed yet, only seen - fixed", Status.OPEN),
        ("- [x] problem: login fails", Status.RESOLVED),
        ("- ~~Problem: login fails~~", Status.RESOLVED),
        ("- Problem: ~~login fails~~ since June", Status.RESOLVED),
        ("- **Problem:** login fails\n  - Status: resolved", Status.RESOLVED),
        ("- Problem: login fails\n  - Fix: a nonce", Status.OPEN),
        ("- [-] call the vendor", Status.RESOLVED),
        ("- **Problem:** login fails\n  - Status: pending", Status.OPEN),
        ("- **Problem:** login fails\n  - Status: blocked", Status.BLOCKED),
        ("- **Problem:** login fails\n  - Status: not resolved", Status.OPEN),
        ("blocker: no key", Status.BLOCKED),
        ("- [ ] call the bank", Status.OPEN),
        ("decided: one queue", None),
    ],
)
def test_the_status_is_told(text: str, status: Status | None) -> None:
    assert one(text).status is status


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("## 2026-02-03\n\ndecided: x", "2026-02-03"),
        ("## Gotchas\n- Ports are fixed (2026-02-04)", "2026-02-04"),
        ("## Key Decisions\n### Use one queue (2026-02-05)\nIt keeps the order.", "2026-02-05"),
        ("# M 2026-01-01\n## Gotchas\n- Ports are fixed", "2026-01-01"),
        ("decided: x", "None"),
    ],
)
def test_the_date_is_the_nearest(text: str, day: str) -> None:
    assert str(one(text).date) == day


def test_confidence_follows_how_plainly_it_is_said() -> None:
    said = [
        "decided: one queue because order matters",
        "decided: one queue for mails",
        "decided to use one queue",
        "After a week we chose one queue",
        "## Key Decisions\n### Storage\n- one queue for all",
        "decided: none",
    ]
    sure = [one(text).confidence for text in said]
    assert sure[0] == 1.0
    assert sure[1] >= 0.9
    assert sure[2] >= sure[3] >= 0.6
    assert 0.6 <= sure[4] <= 0.7
    assert sure[5] == 0.3
    assert one("- ✅ done it").confidence < 0.5
    assert "keyword" in one(said[1]).why


def parsed(text: str) -> list[Entry]:
    return parser.number_and_resolve(parser.parse(text.encode(), "MEMORY.md", SETTINGS))


def test_repeats_get_numbered_ids() -> None:
    found = parsed("decided: x\ndecided: y\ndecided: x\n")
    assert [entry.id for entry in found] == [
        content_id("x"),
        content_id("y"),
        f"{content_id('x')}-2",
    ]


def test_a_later_fix_resolves_the_problem_it_matches_best() -> None:
    found = parsed(
        "problem: login fails behind the proxy\nproblem: export hangs on empty months\n"
        "blocker: login of the proxy account\nfixed: export no longer hangs on empty months\n"
    )
    assert [entry.status for entry in found[:3]] == [
        Status.OPEN,
        Status.RESOLVED,
        Status.BLOCKED,
    ]


def test_a_fix_does_not_resolve_what_comes_later_or_is_resolved_already() -> None:
    found = parsed(
        "fixed: login behind the proxy\nproblem: login fails behind the proxy\n"
        "problem: export hangs on months (fixed)\nfixed: export hangs on months\n"
        "fixed: login behind the proxy works\nfixed: login behind the proxy works again\n"
    )
    assert found[1].status is Status.RESOLVED
    assert found[2].status is Status.RESOLVED


def test_resolving_needs_shared_content_words() -> None:
    problem = one("problem: login fails behind the proxy")
    assert parser.resolves(one("fixed: proxy login"), problem)
    assert not parser.resolves(one("fixed: the export"), problem)
    assert not parser.resolves(one("learned: proxy login"), problem)
    assert not parser.resolves(one("fixed: proxy login"), one("decided: proxy login"))
    assert parser.resolves(one("fixed: flicker"), one("problem: flicker"))
    assert not parser.resolves(one("fixed: it"), one("problem: it"))
    assert parser.resolves(one("修复：代理后面无法登录"), one("问题：代理后面无法登录"))


@pytest.mark.parametrize(
    ("note", "is_fix"),
    [
        ("progress: the login behind the proxy has tests", False),
        ("progress: reproduced the failing login behind the proxy, cause unclear", False),
        ("progress: login behind the proxy is not fixed yet, logging added", False),
        ("progress: login behind the proxy works again", True),
        ("progress: Login behind the proxy no longer fails, the header is forwarded", True),
        ("Fixed the failing login behind the proxy", True),
        ("behoben: login fails behind the proxy", True),
    ],
)
def test_only_what_says_that_something_is_fixed_resolves_a_problem(note: str, is_fix: bool) -> None:
    found = parsed(f"problem: login fails behind the proxy\n{note}\n")
    assert (found[0].status is Status.RESOLVED) is is_fix


@pytest.mark.parametrize(
    ("problem", "note"),
    [
        ("problem: login fails behind the proxy", "progress: login behind the proxy now works"),
        ("problem: login fails behind the proxy", "progress: patched the login behind the proxy"),
        ("problem: login fails behind the proxy", "progress: login behind the proxy: closed"),
        ("problem: login fails behind the proxy", "progress: login behind the proxy works."),
        (
            "problem: login fails behind the proxy",
            "progress: login behind the proxy is back to normal",
        ),
        ("problem: login fails behind the proxy", "\n## Progress\n- [x] login behind the proxy"),
        (
            "problem: login fails behind the proxy",
            "\n## Changelog\n### Fixed\n- login behind the proxy",
        ),
        (
            "problem: login fails behind the proxy",
            "\n## Progress\n### Fixed in 1.2\n- login behind the proxy",
        ),
        (
            "Problem: Login hinter dem Proxy schlägt fehl",
            "Fortschritt: Login hinter dem Proxy geht wieder",
        ),
        (
            "Problem: Login hinter dem Proxy schlägt fehl",
            "Fortschritt: Fehler beim Login hinter dem Proxy beseitigt",
        ),
        (
            "Problema: el login falla detrás del proxy",
            "Progreso: el login detrás del proxy ya funciona",
        ),
        (
            "Problème : la connexion échoue derrière le proxy",
            "Progrès : la connexion n'échoue plus derrière le proxy",
        ),
        (
            "Problema: o login falha atrás do proxy",
            "Progresso: o login atrás do proxy voltou a funcionar",
        ),
        ("Проблема: вход за прокси не работает", "Прогресс: вход за прокси снова работает"),
        ("Проблема: вход за прокси не работает", "Сделано: вход за прокси"),
        ("问题：代理后面无法登录", "进展：代理后面登录已修好"),
        ("问题：代理后面无法登录", "已完成：代理后面登录"),
        (
            "問題：プロキシ経由でログインできない",
            "進捗：プロキシ経由でログインできるようになった",
        ),
        ("問題：プロキシ経由でログインできない", "進捗：プロキシ経由のログインを直しました"),
    ],
)
def test_a_fix_is_recognised_in_usual_words_of_each_language(problem: str, note: str) -> None:
    assert parsed(f"{problem}\n{note}\n")[0].status is Status.RESOLVED


@pytest.mark.parametrize(
    ("problem", "note"),
    [
        (
            "problem: login fails behind the proxy",
            "progress: tried to fix the login behind the proxy",
        ),
        (
            "problem: login fails behind the proxy",
            "progress: the header doesn't fix the login behind the proxy",
        ),
        (
            "problem: login fails behind the proxy",
            "progress: login behind the proxy is partly fixed",
        ),
        (
            "problem: login fails behind the proxy",
            "progress: login behind the proxy must be fixed next week",
        ),
        (
            "problem: login fails behind the proxy",
            "progress: Ada works on the login behind the proxy",
        ),
        (
            "Problème : la connexion échoue derrière le proxy",
            "Progrès : la connexion derrière le proxy n'est pas corrigée",
        ),
        (
            "Problema: o login falha atrás do proxy",
            "Progresso: o login atrás do proxy ainda não foi corrigido",
        ),
        ("Проблема: вход за прокси не работает", "Прогресс: вход за прокси ещё не исправлен"),
        ("问题：代理后面无法登录", "进展：代理后面登录还没修好"),
        ("問題：プロキシ経由でログインできない", "進捗：プロキシ経由のログインを修正中"),
    ],
)
def test_what_is_not_fixed_yet_resolves_nothing(problem: str, note: str) -> None:
    assert parsed(f"{problem}\n{note}\n")[0].status is not Status.RESOLVED


def test_a_word_in_many_problems_does_not_make_resolving_slow() -> None:
    text = "".join(f"problem: proxy fails case{n}x\n" for n in range(120))
    found = parsed(f"{text}fixed: proxy case119x\nfixed: nothing of it\n")
    assert [entry.status for entry in found[118:120]] == [Status.OPEN, Status.RESOLVED]
    assert found[-1].kind is Kind.PROGRESS


def test_a_date_in_the_brackets_of_a_label_is_the_day() -> None:
    text = "## 2026-11-28\n\n- **Decided (2026-11-20):** no ORM\n- **Decided:** one queue\n"
    found = parser.parse(text.encode(), "MEMORY.md", Settings())
    assert [str(entry.date) for entry in found] == ["2026-11-20", "2026-11-28"]


def test_a_reason_ends_with_its_sentence_and_only_troubles_and_lessons_have_a_workaround() -> None:
    found = one("decided: Redis because it is fast, e.g. for us. We met on Monday -> all agreed.")
    assert (found.reasoning, found.workaround) == ("it is fast, e.g. for us", "")
