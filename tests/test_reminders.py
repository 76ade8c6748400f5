from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mind.documents import markdown
from mind.documents.reminders import Reminder, due, likely, parse, triggered
from mind.documents.reminders.reading import escaped, shown, unescaped
from mind.documents.reminders.triggers import phrases, trigger_in
from mind.documents.reminders.writing import add, complete
from mind.domain.entry import normalise
from mind.domain.errors import DateNotUnderstood, FileError, InputError, NotFound
from mind.storage.templates import text as template

# regex, which dateparser uses, asks for the locale's encoding when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:UTF-8 Mode affects:EncodingWarning")

MADRID = ZoneInfo("Europe/Madrid")
NOW = datetime(2026, 11, 20, 16, 0, 30, tzinfo=MADRID)
TEMPLATE = template("REMINDERS.md").encode()


def read(text: str | bytes) -> list[Reminder]:
    return parse(text.encode() if isinstance(text, str) else text, MADRID)


def only(text: str | bytes) -> Reminder:
    (one,) = read(text)
    return one


def clock(one: Reminder) -> str:
    return one.due.strftime("%Y-%m-%d %H:%M") if one.due else ""


# --- reading ------------------------------------------------------------------------------


def test_the_template_holds_no_reminder() -> None:
    assert read(TEMPLATE) == []
    assert not likely(TEMPLATE)


@pytest.mark.parametrize(
    "text", ["- [ ] a", "\ufeff* [/] a", "x\r  1. a | DUE: soon", "> x\n- a|trigger: b\n"]
)
def test_a_file_with_reminders_is_told_from_one_without_by_a_glance(text: str) -> None:
    assert likely(text.encode())
    assert not likely(text.encode().replace(b"-", b"#").replace(b"*", b"").replace(b"1.", b""))


def test_a_file_as_mind_writes_it_is_read() -> None:
    first, second, third, fourth = read(
        "# Reminders\n\n## Pending\n\n"
        "- [ ] Check the audit | due: 2026-12-20 09:00 | created: 2026-11-20 ^r1a2b3c4\n"
        "- [ ] Say what was decided | due: next session | created: 2026-11-20 | session: 7 ^r0b\n"
        "- [ ] Review | trigger: auth, login | created: 2026-11-20 ^r5d\n\n"
        "## Done\n\n- [x] Update docs | completed: 2026-11-21 ^rx\n"
    )
    assert (first.id, first.text, first.line) == ("r1a2b3c4", "Check the audit", 5)
    assert first.due == datetime(2026, 12, 20, 9, 0, tzinfo=MADRID)
    assert first.created == date(2026, 11, 20)
    assert (second.next_session, second.session, second.due) == (True, "7", None)
    assert third.trigger == ("auth", "login")
    assert (fourth.done, fourth.text) == (date(2026, 11, 21), "Update docs")


def test_the_forms_of_the_first_format_are_read() -> None:
    relative, context, done = read(
        "# Reminders\n\n## Pending\n"
        "- [ ] Check security audit | due: tomorrow\n"
        "- [ ] Review auth flow | trigger: when I mention auth\n\n"
        "## Done\n- [x] Update docs | completed: 2025-12-13\n"
    )
    assert (relative.due, relative.unclear) == (None, "tomorrow")
    assert context.trigger == ("auth",)
    assert done.done == date(2025, 12, 13)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ ] a | due: tomorrow | created: 2026-11-20", "2026-11-21 09:00"),
        ("- [ ] a | created: 2026-11-20 | due: next monday 3pm", "2026-11-23 15:00"),
        ("- [ ] a | due: 2026-12-20", "2026-12-20 09:00"),
        ("- [ ] a | due: 2020-01-02 10:00", "2020-01-02 10:00"),
        ("- [ ] a | due: 2026-11-19 | created: 2026-11-20", "2026-11-19 09:00"),
        ("- [ ] a | due: 20 December 2026 at 10:30", "2026-12-20 10:30"),
        ("- [ ] a|due:2026-12-20", "2026-12-20 09:00"),
        ("* [ ] a | DUE: 2026-12-20", "2026-12-20 09:00"),
        ("1. [ ] a | due: 2026-12-20", "2026-12-20 09:00"),
        ("- a | due: 2026-12-20", "2026-12-20 09:00"),
        ("-   [ ]   a   |   due:   2026-12-20   ", "2026-12-20 09:00"),
        ("- [ ] a\n  | due: 2026-12-20", "2026-12-20 09:00"),
    ],
)
def test_hand_written_times_are_read(line: str, expected: str) -> None:
    one = only(line)
    assert (one.text, clock(one)) == ("a", expected)


@pytest.mark.parametrize("due", ["20 December", "tomorrow", "soon", "2026-13-45", "friday"])
def test_a_time_that_cannot_be_known_is_shown_as_it_is(due: str) -> None:
    one = only(f"- [ ] a | due: {due}")
    assert (one.due, one.unclear) == (None, due)


def test_a_trigger_written_as_due_is_one() -> None:
    assert only("- [ ] a | due: when I mention auth").trigger == ("auth",)
    assert only("- [ ] a | due: Next Session").next_session
    assert only("- [ ] a | trigger: auth | login").trigger == ("auth", "login")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Some text | due: 2026-12-20\n",
        "- plain item\n",
        "- plain | with a bar\n",
        "- [ ]\n",
        "- [ ] | due: tomorrow\n",
        "<!--\n- [ ] a | due: 2026-12-20\n-->\n",
        "```\n- [ ] a | due: 2026-12-20\n```\n",
        "    - [ ] a | due: 2026-12-20\n",
        "> - [ ] a | due: 2026-12-20\n",
        "# - [ ] a\n",
        "| [ ] a | due: x |\n|---|---|\n",
        "-\n",
    ],
)
def test_what_is_no_task_is_no_reminder(text: str) -> None:
    assert read(text) == []


def test_boxes_say_what_is_pending() -> None:
    states = {
        one.text: one.done
        for one in read(
            "- [ ] open\n- [/] begun\n- [x] ticked\n- [X] Ticked\n- [-] given up\n"
            "- [x] dated | completed: 2026-11-21\n- [ ] reopened | completed: 2026-11-21\n"
            "- noted | due: 2026-11-20 | completed: 2026-11-21\n"
        )
    }
    assert states == {
        "open": None,
        "begun": None,
        "ticked": date.min,
        "Ticked": date.min,
        "given up": date.min,
        "dated": date(2026, 11, 21),
        "reopened": None,
        "noted": date(2026, 11, 21),
    }


def test_a_bar_in_hand_written_text_is_text() -> None:
    assert only("- [ ] a | b | due: 2026-12-20").text == "a | b"
    assert only("- [ ] a | b").text == "a | b"
    assert only("- [ ] a | note: b").text == "a | note: b"


def test_text_over_several_lines_is_one_reminder_and_a_nested_one_another() -> None:
    outer, inner = read("- [ ] a\n  long | due: 2026-12-20\n\n  more\n  - [ ] inner\n")
    assert (outer.text, inner.text) == ("a long", "inner")


def test_bytes_that_are_no_text_do_not_hide_a_reminder() -> None:
    assert only(b"\xff\xfe\n\n- [ ] caf\xe9 | due: 2026-12-20\n").text == "caf\ufffd"


def test_lesson_ids_do_not_move_when_others_are_added() -> None:
    source = b"- [ ] first | due: 2026-12-20\n- [ ] second\n- [ ] second\n"
    before = [one.id for one in read(source)]
    for message in ("another", "yet another"):
        source, _ = add(source, message, "tomorrow", NOW)
    assert [one.id for one in read(source)][:3] == before
    assert before[2] == before[1] + "-2"
    above = b"- [ ] new on top\n" + source
    assert [one.id for one in read(above)][1:4] == before


def test_a_written_id_has_the_first_claim() -> None:
    bare = only("- [ ] twin").id
    ids = [one.id for one in read(f"- [ ] twin\n- [ ] twin\n- [ ] twin ^{bare}\n- [ ] x ^{bare}\n")]
    assert ids == [f"{bare}-3", f"{bare}-4", bare, f"{bare}-2"]


# --- adding -------------------------------------------------------------------------------


def test_the_first_reminder_makes_the_file() -> None:
    source, one = add(b"", "Check the audit", "tomorrow 9am", NOW)
    assert source.decode() == (
        "# Reminders\n\n## Pending\n\n"
        f"- [ ] Check the audit | due: 2026-11-21 09:00 | created: 2026-11-20 ^{one.id}\n"
    )
    assert one == only(source)


def test_reminders_are_added_below_those_there_are() -> None:
    source, first = add(TEMPLATE, "first", "next session", NOW, session="7")
    source, second = add(source, "second", "when I mention auth or the login flow", NOW)
    lines = source.decode().splitlines()
    at = lines.index("## Pending")
    assert lines[at : at + 6] == [
        "## Pending",
        "",
        f"- [ ] first | due: next session | created: 2026-11-20 | session: 7 ^{first.id}",
        f"- [ ] second | trigger: auth, login flow | created: 2026-11-20 ^{second.id}",
        "",
        "## Done",
    ]
    assert (
        source.replace(b"\n".join(line.encode() for line in lines[at + 1 : at + 4]) + b"\n", b"", 1)
        == TEMPLATE
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("- [ ] a\n- [x] b\n", "- [ ] a\n{}\n- [x] b\n"),
        ("- [ ] a", "- [ ] a\n{}\n"),
        ("# Mine\n\n* [ ] a\n\ntext\n", "# Mine\n\n* [ ] a\n{}\n\ntext\n"),
        ("- [ ] a\n  - sub\n\n# End\n", "- [ ] a\n  - sub\n{}\n\n# End\n"),
        ("# Mine\n\ntext", "# Mine\n\ntext\n\n## Pending\n\n{}\n"),
        ("# Mine\n- [x] b\n", "# Mine\n- [x] b\n\n## Pending\n\n{}\n"),
        ("## Pending", "## Pending\n\n{}\n"),
        ("## Pending\n## Done\n", "## Pending\n\n{}\n## Done\n"),
        ("## 📌 PENDING things\ntext\n\n\n## Z\n", "## 📌 PENDING things\ntext\n\n{}\n\n\n## Z\n"),
        (
            "## Pending\r\n\r\n- [ ] a\r\n\r\n## Done\r\n",
            "## Pending\r\n\r\n- [ ] a\r\n{}\r\n\r\n## Done\r\n",
        ),
        ("\ufeff## Pending\n- [ ] a\n", "\ufeff## Pending\n- [ ] a\n{}\n"),
        ("\ufeff", "\ufeff# Reminders\n\n## Pending\n\n{}\n"),
        ("## Pending\r- [ ] a\r", "## Pending\r- [ ] a\r{}\r"),
    ],
)
def test_the_files_own_structure_is_respected(source: str, expected: str) -> None:
    changed, one = add(source.encode(), "new", "2026-12-20", NOW)
    line = f"- [ ] new | due: 2026-12-20 09:00 | created: 2026-11-20 ^{one.id}"
    assert changed.decode() == expected.format(line)


def test_adding_the_same_again_changes_nothing() -> None:
    for when in ("tomorrow", "next session", "when I mention auth"):
        source, one = add(TEMPLATE, "Check the audit", when, NOW, session="7")
        again, same = add(source, "check  the *audit*", when, NOW, session="7")
        assert (again, same) == (source, one)


def test_the_same_text_at_another_time_is_another_reminder() -> None:
    source, one = add(TEMPLATE, "a", "tomorrow", NOW)
    source, other = add(source, "a", "next week", NOW)
    source, third = add(source, "a", "next session", NOW, session="7")
    source, fourth = add(source, "a", "next session", NOW, session="8")
    assert len({one.id, other.id, third.id, fourth.id}) == 4
    source, _ = complete(source, one.id, NOW)
    source, fifth = add(source, "a", "tomorrow", NOW)
    assert fifth.id not in {one.id, other.id, third.id, fourth.id}


@pytest.mark.parametrize("message", ["", "  ", "\n\t\r", "\x00"])
def test_an_empty_reminder_is_refused(message: str) -> None:
    with pytest.raises(InputError, match="empty"):
        add(b"", message, "tomorrow", NOW)


def test_an_endless_reminder_is_refused() -> None:
    with pytest.raises(InputError, match="2,001 characters"):
        add(b"", "x" * 2001, "tomorrow", NOW)


@pytest.mark.parametrize(
    "when",
    ["later", "soon", "when tests pass", "2026-13-45", "in 99999999 days", "01/02/2027",
     "when I mention it", "when I mention a", "when I mention ,"],
)  # fmt: skip
def test_lesson_what_cannot_be_parsed_is_an_error_that_shows_accepted_forms(when: str) -> None:
    with pytest.raises(DateNotUnderstood) as error:
        add(TEMPLATE, "a", when, NOW)
    for form in ("next session", "when I mention X", "in 30 minutes", "20 December 2027", "eom"):
        assert form in error.value.remedy


def test_a_moment_that_is_over_is_an_error_that_says_so() -> None:
    with pytest.raises(DateNotUnderstood, match="lies in the past: 2026-11-20 15:00") as error:
        add(TEMPLATE, "a", "today 3pm", NOW)
    assert "Friday, 2026-11-20 16:00" in error.value.remedy


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("tomorrow morning", "2026-11-21 09:00"),
        ("next week", "2026-11-23 09:00"),
        ("monday", "2026-11-23 09:00"),
        ("in 30 minutes", "2026-11-20 16:30"),
        ("20 December", "2026-12-20 09:00"),
        ("20 December 2027", "2027-12-20 09:00"),
        ("2026-12-20T14:30Z", "2026-12-20 15:30"),
        ("morgen um 15 Uhr", "2026-11-21 15:00"),
    ],
)
def test_lesson_natural_dates_are_not_turned_into_next_session(when: str, expected: str) -> None:
    _, one = add(TEMPLATE, "a", when, NOW)
    assert (clock(one), one.next_session, one.trigger) == (expected, False, ())


@pytest.mark.parametrize(
    "when",
    ["next session", "Next session.", "in the next session", "at the start of the next session",
     "next time", "la próxima sesión", "in der nächsten Sitzung", "la prochaine session",
     "na próxima sessão", "в следующей сессии", "下次会话", "次のセッション"],
)  # fmt: skip
def test_next_session_is_understood(when: str) -> None:
    _, one = add(TEMPLATE, "a", when, NOW, session="7")
    assert (one.next_session, one.session, one.due) == (True, "7", None)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("when I mention auth", ("auth",)),
        ("When I mention 'auth'.", ("auth",)),
        (
            "whenever we talk about auth, login or the sign-up flow",
            ("auth", "login", "sign-up flow"),
        ),
        ("when we work on the payment gateway", ("payment gateway",)),
        ("when working on payments", ("payments",)),
        ("next time we touch the parser", ("parser",)),
        ("if someone edits server.py", ("server.py",)),
        ("when payments comes up", ("payments",)),
        ("when either auth or login come up again", ("auth", "login")),
        ("once C++ is mentioned", ("C++",)),
        ("on mention of Redis", ("Redis",)),
        ("when we work on the 2026-12-20 migration", ("2026-12-20 migration",)),
        ("cuando mencione auth o login", ("auth", "login")),
        ("cuando trabajemos en la base de datos", ("base de datos",)),
        ("wenn ich Auth erwähne", ("Auth",)),
        ("sobald wir an der Datenbank arbeiten", ("Datenbank",)),
        ("wenn wir an der Datenbank arbeiten", ("Datenbank",)),
        ("wenn die Datenbank zur Sprache kommt", ("Datenbank",)),
        ("quand je mentionne auth ou login", ("auth", "login")),
        ("quand on parle d'authentification", ("authentification",)),
        ("quando eu mencionar auth", ("auth",)),
        ("quando trabalharmos no pagamento", ("pagamento",)),
        ("когда я упомяну авторизацию", ("авторизацию",)),
        ("когда зайдет речь о базе данных", ("базе данных",)),
        ("当我提到数据库时", ("数据库",)),
        ("提到登录或支付", ("登录", "支付")),
        ("データベースについて話したら", ("データベース",)),
        ("認証の話が出たら", ("認証",)),
        ("wenn wir am Login arbeiten", ("Login",)),
        ("wenn wir im Backend oder am Parser arbeiten", ("Backend", "Parser")),
        ("wenn man zur Anmeldung redet", ("Anmeldung",)),
        ("wenn es wieder um das Caching geht", ("Caching",)),
        ("quand on travaille au routeur", ("routeur",)),
        ("quand on parle aux clients ou du login", ("clients", "login")),
        ("lorsqu'on touche à l’API", ("API",)),
        ("la prochaine fois que je mentionne le cache", ("cache",)),
        ("cuando hablemos del login", ("login",)),
        ("cuando mencione al proveedor", ("proveedor",)),
        ("cada vez que toquemos las migraciones", ("migraciones",)),
        ("quando falarmos dos testes", ("testes",)),
        ("assim que eu trabalhar na fila", ("fila",)),
        ("как только я упомяну об оплате", ("оплате",)),
        ("when I mention DoS attacks", ("DoS attacks",)),
        ("quando parliamo di auth oppure dell'API", ("auth", "API")),
        ("se tocchiamo le migrazioni o lo schema", ("migrazioni", "schema")),
        ("when the topic of Terraform comes up", ("Terraform",)),
        ("wenn das Thema Terraform aufkommt", ("Terraform",)),
        ("wenn das Thema aufkommt", ("Thema",)),
        ("cuando surja el tema de Terraform", ("Terraform",)),
        ("quando surgir o assunto do Terraform", ("Terraform",)),
    ],
)
def test_triggers_are_understood(when: str, expected: tuple[str, ...]) -> None:
    assert trigger_in(when) == expected
    source, one = add(TEMPLATE, "a", when, NOW)
    assert only(source) == one
    assert one.trigger == expected


# --- nothing can be forged ----------------------------------------------------------------

FORGERIES = [
    "a\n- [ ] forged | due: 2020-01-01",
    "a\r\n## Done\r\n- [x] forged",
    "a\u2028- [ ] forged",
    "a | due: 2020-01-01",
    "a | trigger: the",
    "a ^r1a2b3c4",
    "^r1a2b3c4",
    "a \\| due: 2020-01-01",
    "a \\\\| due: 2020-01-01",
    "a\\",
    "<!-- a",
    "```",
    "[x] a",
    "# a",
    "> a",
    "- a",
    "| a |",
    "| due: tomorrow",
    "[ ]: http://x",
    "a [x]: b\n[x]: c",
    "===",
    "<div>",
    "\ud800 a",
]


@pytest.mark.parametrize("message", FORGERIES)
def test_a_message_forges_no_reminder_heading_or_field(message: str) -> None:
    source, _ = add(TEMPLATE, "before", "next week", NOW)
    source, one = add(source, message, "tomorrow", NOW)
    source, _ = add(source, "after", "next month", NOW)
    before, found, after = read(source)
    assert (before.text, after.text) == ("before", "after")
    assert found.text == one.text == shown(message)
    assert (clock(found), found.trigger, found.id) == ("2026-11-21 09:00", (), one.id)
    assert found.id.startswith("r")
    assert source.count(b"\n#") == TEMPLATE.count(b"\n#")


MESSAGES = st.text(max_size=40) | st.lists(
    st.sampled_from(["|", "\\", "^", " ", "a", "due:", "\n", "[ ]", "`", "*", "é", "中"]),
    max_size=12,
).map("".join)


@given(MESSAGES, MESSAGES)
@example("\\|", "a\\")
@example(" ^x", "\\^")
def test_any_message_comes_back_as_typed(first: str, second: str) -> None:
    assume(shown(first) and shown(second))
    assume(normalise(shown(first)) != normalise(shown(second)))
    source, one = add(TEMPLATE, first, "tomorrow", NOW)
    source, other = add(source, second, "when I mention auth", NOW, session=first)
    assert [found.text for found in read(source)] == [shown(first), shown(second)]
    assert [found.id for found in read(source)] == [one.id, other.id]
    source, _ = complete(source, one.id, NOW)
    assert [(found.text, found.done) for found in read(source)] == [
        (shown(second), None),
        (shown(first), NOW.date()),
    ]


@given(MESSAGES)
def test_escapes_are_taken_back(text: str) -> None:
    assert unescaped(escaped(text)) == text


@given(MESSAGES)
def test_a_session_may_have_any_name(name: str) -> None:
    source, one = add(TEMPLATE, "a", "next session", NOW, session=name)
    assert only(source) == one
    assert due([one], NOW, name) == []
    assert due([one], NOW, name + "x") == [one]


@given(MESSAGES)
def test_any_trigger_is_read_back_or_refused(words: str) -> None:
    when = f"when I mention {words}"
    try:
        source, one = add(TEMPLATE, "a", when, NOW)
    except DateNotUnderstood:
        return
    assert one.trigger == phrases(", ".join(one.trigger))
    assert only(source) == one


# --- completing ---------------------------------------------------------------------------


def test_a_completed_reminder_moves_to_done_and_keeps_its_fields() -> None:
    source, one = add(TEMPLATE, "Check | audit", "tomorrow", NOW)
    source, _ = add(source, "other", "tomorrow", NOW)
    changed, done = complete(source, f" ^{one.id.upper()} ", NOW + timedelta(days=1))
    assert done.done == date(2026, 11, 21)
    assert done.id == one.id
    assert changed.decode().endswith(
        "## Done\n\n- [x] Check \\| audit | completed: 2026-11-21 | due: 2026-11-21 09:00 | "
        f"created: 2026-11-20 ^{one.id}\n"
    )
    assert [one.done for one in read(changed)] == [None, date(2026, 11, 21)]


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        (
            "## Pending\n- [ ] a\n- [ ] b\n\n## Done\n- [x] c\n\ntext\n",
            "a",
            "## Pending\n- [ ] b\n\n## Done\n- [x] c\n\ntext\n\n- [x] a{done}{id}\n",
        ),
        ("- [ ] a\n- [ ] b\n", "b", "- [ ] a\n\n## Done\n\n- [x] b{done}{id}\n"),
        ("- [ ] a", "a", "# Reminders\n\n## Done\n\n- [x] a{done}{id}\n"),
        (
            "# W\r\n\r\n* [ ] a | due: 2026-12-20 ^r1\r\n\r\n# Completed\r\n* [x] z\r\n\r\n# Z\r\n",
            "a",
            "# W\r\n\r\n\r\n# Completed\r\n* [x] z\r\n- [x] a{done}{due} ^r1\r\n\r\n# Z\r\n",
        ),
        (
            "\ufeff- [ ] a  \n  more | due: 2026-12-20\n  - sub\n\n    text\n- [ ] b\n## Done",
            "a more",
            "\ufeff- [ ] b\n## Done\n\n- [x] a  \n  more{done}{due}{id}\n  - sub\n\n    text\n",
        ),
        (
            "  1. a | due: 2026-12-20\n\n## Done\n",
            "a",
            "\n## Done\n\n- [x] a{done}{due}{id}\n",
        ),
        (
            "- group\n  - [ ] a | due: 2026-12-20\n  - [ ] b\n",
            "a",
            "- group\n  - [x] a{done}{due}{id}\n  - [ ] b\n",
        ),
        (
            "- group\n  - a | due: 2026-12-20 ^r1\n",
            "a",
            "- group\n  - [x] a{done}{due} ^r1\n",
        ),
    ],
)
def test_only_the_line_moves(source: str, text: str, expected: str) -> None:
    one = next(one for one in read(source) if one.text == text)
    changed, done = complete(source.encode(), one.id, NOW)
    parts = {"done": " | completed: 2026-11-20", "due": " | due: 2026-12-20", "id": f" ^{one.id}"}
    assert changed.decode() == expected.format(**parts)
    assert (done.id, done.text, done.done) == (one.id, text, NOW.date())


@pytest.mark.parametrize("source", ["- [ ] a\n---\n- [ ] b\n---\n", "Some\n- [ ] a\n---\n"])
def test_a_reminder_that_keeps_others_apart_is_ticked_where_it_stands(source: str) -> None:
    one = read(source)[0]
    changed, _ = complete(source.encode(), one.id, NOW)
    done = f"- [x] a | completed: 2026-11-20 ^{one.id}"
    assert changed.decode() == source.replace("- [ ] a", done)


def test_a_change_that_would_not_be_read_as_meant_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, one = add(TEMPLATE, "a", "tomorrow", NOW)
    monkeypatch.setattr("mind.documents.reminders.writing._titles", lambda source: [source])
    with pytest.raises(FileError, match="nothing was changed"):
        complete(source, one.id, NOW)


def test_of_twins_the_other_one_keeps_its_id() -> None:
    source = b"- [ ] twin\n- [ ] twin\n"
    first, second = read(source)
    for one, other in ((first, second), (second, first)):
        changed, _ = complete(source, one.id, NOW)
        assert [(found.id, found.done is None) for found in read(changed)] == [
            (other.id, True),
            (one.id, False),
        ]


def test_a_copied_line_with_its_id_is_a_reminder_of_its_own() -> None:
    source = b"## Done\n\n# Open\n- [ ] one ^r1\n- [ ] two ^r1\n"
    assert [one.id for one in read(source)] == ["r1", "r1-2"]
    for first, second in (("r1", "r1-2"), ("r1-2", "r1")):
        changed, _ = complete(source, first, NOW)
        changed, _ = complete(changed, second, NOW)
        assert {one.text: one.id for one in read(changed)} == {"one": "r1", "two": "r1-2"}
        assert all(one.done for one in read(changed))


def test_an_unknown_id_is_answered_with_those_there_are() -> None:
    source, one = add(TEMPLATE, "Check the audit", "tomorrow", NOW)
    with pytest.raises(NotFound) as error:
        complete(source, "r000", NOW)
    assert f"{one.id} (Check the audit)" in error.value.remedy
    assert error.value.data["pending"] == [one.id]
    source, _ = complete(source, one.id, NOW)
    with pytest.raises(NotFound, match="done already"):
        complete(source, one.id, NOW)
    with pytest.raises(NotFound, match=r"no pending reminder 'r000'. Pending: none"):
        complete(source, "r000", NOW)


@pytest.mark.parametrize("open_end", ["<!-- not closed\n", "```\ncode\n"])
def test_what_would_vanish_in_an_open_comment_or_fence_is_refused(open_end: str) -> None:
    with pytest.raises(FileError, match="Close the comment or code fence"):
        add(open_end.encode(), "b", "tomorrow", NOW)
    source = f"- [ ] a\n\n# Notes\n\n{open_end}".encode()
    ticked, done = complete(source, read(source)[0].id, NOW)  # where it stands
    assert ticked == source.replace(b"[ ] a", b"[x] a | completed: 2026-11-20 ^" + done.id.encode())
    changed, _ = add(source, "b", "tomorrow", NOW)  # behind the pending one there is room
    assert len(read(changed)) == 2


LINES = st.sampled_from(
    """- [ ] a\n- [ ] b | due: 2026-12-20 ^r1\n* [ ] c | trigger: x\n  - [ ] d\n- [x] e\n- f
1. [ ] g\ntext\n\n  text\n\ttab  \n# Reminders\n## Pending\n## Done\n### Done\n> - [ ] q\n```
<!-- c -->\n<!--\n-->\n---\n===\n- [ ] é | b \\| c\n- [-] z\n<div>\n| a |\n    - [ ] code""".split(
        "\n"
    )
)
FILES = st.builds(
    lambda lines, newline, bom, last: (
        ("\ufeff" if bom else "") + newline.join(lines) + (newline if last else "")
    ).encode(),
    st.lists(LINES, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)


@given(FILES)
def test_completing_leaves_every_other_byte(source: bytes) -> None:
    pending = [one for one in read(source) if one.done is None]
    assert likely(source) or not pending
    assume(pending)
    changed, done = complete(source, pending[-1].id, NOW)
    blocks = markdown.parse(source).walk()
    moved = next(one for one in blocks if one.type == "item" and one.line == pending[-1].line)
    assert not _lost(source, changed, set(range(moved.line, moved.end + 1)))
    assert not _lost(source[pending[-1].span.end : moved.span.end], changed, set())
    assert [one.id for one in read(changed) if one.done is None] == [one.id for one in pending[:-1]]
    assert done.id == pending[-1].id


@given(FILES, st.sampled_from(["tomorrow", "next session", "when I mention auth"]))
def test_adding_leaves_every_byte(source: bytes, when: str) -> None:
    try:
        changed, one = add(source, "new", when, NOW)
    except FileError:
        assert b"<!--" in source or b"```" in source or b"<div>" in source
        return
    assert not _lost(source, changed, set())
    assert {found.id for found in read(changed)} == {found.id for found in read(source)} | {one.id}


def _lost(source: bytes, changed: bytes, moved: set[int]) -> list[bytes]:
    """Lines of ``source`` (without those moved) that ``changed`` does not hold in their order."""
    there = iter(changed.removeprefix(b"\xef\xbb\xbf").splitlines())
    before = source.removeprefix(b"\xef\xbb\xbf").splitlines()
    kept = [line for number, line in enumerate(before, 1) if number not in moved]
    return [line for line in kept if line not in there]


# --- firing -------------------------------------------------------------------------------


def test_lesson_next_session_does_not_fire_in_the_same_session() -> None:
    source, one = add(TEMPLATE, "a", "next session", NOW, session="7")
    assert due(read(source), NOW + timedelta(days=9), "7") == []
    assert due(read(source), NOW, "8") == [one]


def test_a_hand_written_next_session_fires_in_the_first_session_that_sees_it() -> None:
    assert due(read("- [ ] a | due: next session"), NOW, "7")


def test_times_fire_when_they_have_come_and_never_when_done() -> None:
    reminders = read(
        "- [ ] past | due: 2026-11-19\n- [ ] now | due: 2026-11-20 16:00\n"
        "- [ ] later | due: 2026-11-20 16:01\n- [x] done | due: 2026-11-19\n"
        "- [ ] unclear | due: soon\n- [ ] word | trigger: a\n- [x] seen | due: next session\n"
    )
    assert [one.text for one in due(reminders, NOW, "7")] == ["past", "now", "unclear"]


@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        ("auth", "Fix AUTH now"),
        ("auth", "fix authentication"),
        ("auth", "see user_auth.py"),
        ("auth", "in getAuthToken()"),
        ("auth", "修复auth模块"),
        ("test", "all tests passed"),
        ("tests", "a test failed"),
        ("log", "logging is noisy"),
        ("caching", "the caches are cold"),
        ("cache", "we cached it"),
        ("databases", "the database is down"),
        ("queries", "one slow query"),
        ("query", "slow queries"),
        ("deploy", "deployment failed"),
        ("embedding", "embed the text"),
        ("process", "both processes hang"),
        ("classes", "that class"),
        ("sign-up flow", "broken Sign up flows"),
        ("login flow", "class LoginFlow:"),
        ("LoginFlow", "the login flow"),
        ("HTTPServer", "an http server"),
        ("server.py", "edit mind/server.py"),
        ("C++", "port it to c++ first"),
        ("sesión", "las sesiones caducan"),
        ("авторизация", "починить авторизацию"),
        ("база данных", "в базе данных"),
        ("Datenbank", "alle Datenbanken"),
        ("数据库", "迁移数据库到云"),
        ("データベース", "新しいデータベース設計"),
        ("auth 模块", "修复auth模块"),
        ("payments, auth", "about auth"),
    ],
)
def test_a_trigger_fires_when_its_words_come_up(trigger: str, text: str) -> None:
    assert triggered(read(f"- [ ] a | trigger: {trigger}"), text)


@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        ("auth", "the aut pilot"),
        ("log", "the login page"),
        ("api", "rapid capitalism"),
        ("a", "add a button"),
        ("it, the", "it is the one"),
        ("C++", "the c compiler"),
        ("C", "c"),
        ("login flow", "the flow of a login"),
        ("login flow", "login"),
        ("authentication", "au"),
        ("数据库", "数据"),
        ("", "anything"),
        ("auth", ""),
    ],
)
def test_lesson_a_trigger_is_no_substring(trigger: str, text: str) -> None:
    assert not triggered(read(f"- [ ] a | trigger: {trigger}"), text)


def test_a_completed_reminder_is_not_brought_up() -> None:
    assert triggered(read("- [x] a | trigger: auth"), "auth") == []


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_may_be_looked_through(text: str, trigger: str) -> None:
    one = Reminder(id="r", text="a", trigger=(trigger,))
    assert triggered([one], text) in ([], [one])


def test_a_time_or_trigger_as_long_as_a_text_is_refused() -> None:
    with pytest.raises(InputError, match="when I mention"):
        add(b"", "deploy", "when I mention " + "x" * 300, NOW)
