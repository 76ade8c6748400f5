"""Reminders from the outside: understood or refused, shown in two sessions, listed until done."""

import contextlib
import shutil
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mind.documents.merge.units import together
from mind.documents.reminders.writing import add
from mind.domain.errors import DateNotUnderstood
from mind.memory.memory import Memory
from mind.storage.project import Project
from mind.text.dates import moment, rhythm
from tests.conftest import Clock, Run

# regex, which dateparser uses, asks for the locale's encoding when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:UTF-8 Mode affects:EncodingWarning")

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)


def due(memory: Memory, session: str) -> list[str]:
    assert isinstance(memory.clock, Clock)
    memory.clock.forward(minutes=1)
    return [one.told for one in memory.recall(session_id=session, event="startup").due]


def write(memory: Memory, text: str) -> None:
    memory.project.reminders.write_text(text, encoding="utf-8")


# --- shown --------------------------------------------------------------------------------


def test_a_next_session_reminder_is_shown_in_two_sessions_and_listed_until_it_is_done(
    memory: Memory, clock: Clock
) -> None:
    memory.recall(session_id="a")
    one = memory.remind("look at the import", "next session")
    assert due(memory, "b") == ["look at the import"]
    before = memory.project.reminders.read_bytes()
    assert memory.recall(session_id="b", event="compact").due  # within the session it stays
    clock.forward(hours=1)
    assert due(memory, "c") == ["look at the import (shown before on 2026-11-20)"]
    clock.forward(hours=1)
    assert due(memory, "d") == []
    assert [(left.id, left.shown) for left in memory.reminders()] == [(one.id, date(2026, 11, 20))]
    assert memory.status().reminders_pending == 1
    assert memory.project.reminders.read_bytes() == before
    memory.reminder_done(one.id)
    assert memory.reminders() == []


def test_two_sessions_at_once_are_both_shown_a_reminder(memory: Memory) -> None:
    write(memory, "- [ ] renew it | due: 2026-11-19\n")
    assert due(memory, "a") == ["renew it"]
    assert due(memory, "b") == ["renew it (shown before on 2026-11-20)"]
    assert [one.text for one in memory.recall(session_id="a").due] == ["renew it"]
    assert due(memory, "c") == []


def test_a_reminder_with_another_time_is_shown_anew(memory: Memory, clock: Clock) -> None:
    write(memory, "- [ ] renew it | due: 2026-11-19 ^r1a2b3c4\n")
    for session in "ab":
        due(memory, session)
    assert due(memory, "c") == []
    write(memory, "- [ ] renew it | due: 2026-11-21 ^r1a2b3c4\n")
    clock.forward(days=1)
    assert due(memory, "d") == ["renew it"]


def test_what_was_shown_is_no_part_of_the_tracked_files(
    memory: Memory, git: Callable[..., str]
) -> None:
    write(memory, "- [ ] renew it | due: tomorrow\n- [ ] call | due: next session\n")
    git("add", "--all")
    git("commit", "--quiet", "-m", "begin")
    for session in "abc":
        due(memory, session)
    memory.reminders()
    assert git("status", "--short") == ""
    assert memory.project.reminder_marks.exists()


def test_a_list_of_an_earlier_version_of_what_git_ignores_is_completed(memory: Memory) -> None:
    ignored = memory.project.folder / ".gitignore"
    text = ignored.read_text("utf-8")
    ignored.write_text(text.replace("reminders.json\n", ""), "utf-8")
    write(memory, "- [ ] renew it | due: 2026-11-19\n")
    due(memory, "a")
    assert ignored.read_text("utf-8").splitlines()[-1] == "reminders.json"


@pytest.mark.parametrize("broken", ["{", "[]", '{"reminders": {"r": [], "q": {"shown": [1, []]}}}'])
def test_damaged_notes_on_what_was_shown_only_show_it_again(memory: Memory, broken: str) -> None:
    write(memory, "- [ ] renew it | due: 2026-11-19\n")
    memory.project.reminder_marks.write_text(broken, encoding="utf-8")
    assert due(memory, "a") == ["renew it"]


def test_notes_on_reminders_that_are_gone_are_dropped(memory: Memory) -> None:
    write(memory, "- [ ] renew it | due: 2026-11-19 ^r1a2b3c4\n")
    due(memory, "a")
    write(memory, "- [ ] call | due: 2026-11-19 ^r5d6e7f8\n")
    due(memory, "b")
    assert "r1a2b3c4" not in memory.project.reminder_marks.read_text("utf-8")


# --- what comes back ----------------------------------------------------------------------


def test_a_recurring_reminder_comes_back_after_it_was_done(memory: Memory, clock: Clock) -> None:
    one = memory.remind("look at the build", "every monday")
    assert one.due == datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
    assert due(memory, "a") == []
    clock.forward(days=3)  # Monday
    assert due(memory, "b") == ["look at the build"]
    again = memory.reminder_done(one.id)
    assert (again.done, again.due) == (None, datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
    assert due(memory, "c") == []
    clock.forward(days=8)
    assert due(memory, "d") == ["look at the build"]
    assert memory.reminder_done(one.id).last == date(2026, 12, 1)
    text = memory.project.reminders.read_text("utf-8")
    assert text.count("completed:") == text.count("look at the build") == 1


def test_a_recurring_reminder_that_nobody_does_comes_back_twice_each_time(
    memory: Memory, clock: Clock
) -> None:
    memory.remind("look at the build", "every day at 9")
    told = []
    for day in range(3):
        clock.forward(days=1)
        told.append([len(due(memory, f"{day}-{session}")) for session in range(3)])
    assert told == [[1, 1, 0]] * 3


def test_a_dismissed_reminder_does_not_come_back(memory: Memory, clock: Clock) -> None:
    one = memory.remind("look at the build", "every monday")
    memory.reminder_done(one.id, dismiss=True)
    clock.forward(days=4)
    assert due(memory, "b") == []
    assert memory.reminders() == []
    assert "- [-] look at the build" in memory.project.reminders.read_text("utf-8")


def test_an_item_without_a_box_comes_back_too(memory: Memory, clock: Clock) -> None:
    write(memory, "- water the plants | due: every friday\n")
    assert due(memory, "a") == ["water the plants"]
    memory.reminder_done(memory.reminders()[0].id)
    assert due(memory, "b") == []
    clock.forward(days=7)
    assert due(memory, "c") == ["water the plants"]


def test_of_two_days_on_which_it_was_done_the_later_one_is_merged() -> None:
    line = "- [{}] look | due: every monday | created: 2026-11-01{} ^r1a2b3c4"
    days = ("", " | completed: 2026-11-16", " | completed: 2026-11-23")
    base, ours, theirs = (line.format(" ", day).encode() for day in days)
    assert together(base, ours, theirs, reminder=True) == theirs
    assert together(base, theirs, ours, reminder=True) == theirs


# --- written by hand ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("- [ ] a | due: tomorrow", 1),
        ("- [ ] a | due: in 3 days", 3),
        ("- [ ] a | due: monday", 3),
        ("- [ ] a | due: 24 November", 4),
        ("- [ ] a | due: mañana", 1),
        ("* [ ] a | due: morgen um 9 Uhr", 1),
        ("- a | due: завтра", 1),
        ("- [ ] a | due: every monday", 3),
    ],
)
def test_a_time_written_by_hand_fires(memory: Memory, clock: Clock, line: str, days: int) -> None:
    write(memory, f"{line}\n")
    assert due(memory, "a") == []
    clock.forward(days=days - 1)
    assert due(memory, "b") == []
    clock.forward(days=1)
    assert due(memory, "c") == ["a"]
    assert memory.project.reminders.read_text("utf-8") == f"{line}\n"


def test_a_time_written_by_hand_counts_from_the_first_reading_in_any_process(
    project: Project, clock: Clock
) -> None:
    project.reminders.write_text("- [ ] a | due: tomorrow\n", encoding="utf-8")
    for days in (0, 1, 1):
        clock.forward(days=days)
        shutil.rmtree(project.cache)
        with contextlib.closing(Memory(project, clock=clock)) as memory:
            (one,) = memory.reminders()
            assert one.due == datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
    project.reminders.write_text("- [ ] a | due: in 2 days\n", encoding="utf-8")
    with contextlib.closing(Memory(project, clock=clock)) as memory:
        assert memory.reminders()[0].due == datetime(2026, 11, 24, 9, 0, tzinfo=UTC)


def test_in_a_clone_it_counts_from_the_commit_that_added_the_line(
    memory: Memory, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(memory, "- [ ] a | due: tomorrow\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-11-10T12:00:00+00:00")
    git("add", "--all")
    git("commit", "--quiet", "-m", "begin")
    with memory.project.reminders.open("a", encoding="utf-8") as file:
        file.write("- [ ] b | due: tomorrow\n")
    first, second = memory.reminders()
    assert (first.due, second.due) == (
        datetime(2026, 11, 11, 9, 0, tzinfo=UTC),
        datetime(2026, 11, 21, 9, 0, tzinfo=UTC),
    )


def test_below_a_day_it_counts_from_that_day(memory: Memory) -> None:
    write(memory, "# Mine\n\n## 2026-11-16\n\n- [ ] a | due: tomorrow\n\n## Later\n\n- [ ] b\n")
    first, second = memory.reminders()
    assert first.due == datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
    assert (second.due, second.created) == (None, None)


def test_a_time_that_is_not_understood_is_said_wherever_reminders_are(
    here: Project, mind: Run
) -> None:
    here.reminders.write_text("- [ ] a | due: soonish\n", encoding="utf-8")
    assert 'its time "soonish" is not understood' in Memory(here).recall().due[0].told
    assert 'time not understood: "soonish"' in mind("reminders")[1]
    assert "soonish" in mind("doctor")[1]


# --- understood or refused ----------------------------------------------------------------


def test_the_time_in_the_text_is_used(here: Project, mind: Run) -> None:
    said = mind("remind", "call", "the", "bank", "tomorrow", "at", "5pm")[1]
    assert "call the bank" in said
    assert "17:00" in said
    assert "next session" not in said
    assert "call the bank | due: " in here.reminders.read_text("utf-8")


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        ("call the bank tomorrow at 5pm", "call the bank", "2026-11-19 17:00"),
        ("tomorrow at 5pm: call the bank", "call the bank", "2026-11-19 17:00"),
        ("check the nightly first thing tomorrow", "check the nightly", "2026-11-19 09:00"),
        ("first thing tomorrow morning call Bob", "call Bob", "2026-11-19 09:00"),
        ("fix the first thing", "fix the first thing", ""),
        # deadlines
        ("abgeben bis spätestens Freitag", "abgeben", "2026-11-20 09:00"),
        ("envoyer le devis d'ici la fin du mois", "envoyer le devis", "2026-11-30 17:00"),
        ("к концу месяца дописать отчёт", "дописать отчёт", "2026-11-30 17:00"),
        ("今月末までにレポートを提出", "レポートを提出", "2026-11-30 17:00"),
        ("к понедельнику дописать отчёт", "дописать отчёт", "2026-11-23 09:00"),
        ("tra un'oretta riavviare il server", "riavviare il server", "2026-11-18 11:30"),
        # what asks for a reminder
        ("remind me to renew the cert tomorrow", "renew the cert", "2026-11-19 09:00"),
        ("Remind me tomorrow to renew the cert", "renew the cert", "2026-11-19 09:00"),
        ("remind me to renew the cert", "renew the cert", ""),
        ("don't forget to call Bob tomorrow", "call Bob", "2026-11-19 09:00"),
        ("no olvides revisar los logs mañana", "revisar los logs", "2026-11-19 09:00"),
        ("не забудь завтра проверить сборку", "проверить сборку", "2026-11-19 09:00"),
        ("fazer deploy no cluster amanhã", "fazer deploy no cluster", "2026-11-19 09:00"),
        ("ask Ana when we start the next session", "ask Ana", ""),
        ("明天下午三点检查日志", "检查日志", "2026-11-19 15:00"),
        ("后天早上十点一刻发版", "发版", "2026-11-20 10:15"),
        (
            "tomorrow check why the build does not pass",
            "check why the build does not pass",
            "2026-11-19 09:00",
        ),
        ("morgen nur die Logs prüfen", "nur die Logs prüfen", "2026-11-19 09:00"),
        ("am Montag stelle ich das Design vor", "stelle ich das Design vor", "2026-11-23 09:00"),
        ("book the room in advance tomorrow", "book the room in advance", "2026-11-19 09:00"),
        ("明天快一点提交", "快一点提交", "2026-11-19 09:00"),
        ("总结三点建议", "总结三点建议", ""),
        ("erinnere mich morgen daran, die Logs zu lesen", "die Logs zu lesen", "2026-11-19 09:00"),
        ("rappelle-moi demain d’appeler Anne", "appeler Anne", "2026-11-19 09:00"),
        ("напомни завтра проверить сборку", "проверить сборку", "2026-11-19 09:00"),
        ("提醒我明天检查日志", "检查日志", "2026-11-19 09:00"),
        ("remind me tomorrow an invoice must go", "an invoice must go", "2026-11-19 09:00"),
        ("remind me-too feature tomorrow", "remind me-too feature", "2026-11-19 09:00"),
        # names that look like times
        ("tomorrow renew monday.com", "renew monday.com", "2026-11-19 09:00"),
        ("金曜日の17時に週報を書く", "週報を書く", "2026-11-20 17:00"),
        ("amanhã de manhã cedo revisar", "revisar", "2026-11-19 09:00"),
        ("明日朝一番にログを見る", "ログを見る", "2026-11-19 09:00"),
        ("明日もう一度確認する", "もう一度確認する", "2026-11-19 09:00"),
        ("call 4711 in 3 days", "call 4711", "2026-11-21 09:00"),
        ("llamar al banco mañana a las 17:00", "llamar al banco", "2026-11-19 17:00"),
        ("die Bank anrufen morgen um 17 Uhr", "die Bank anrufen", "2026-11-19 17:00"),
        ("appeler la banque demain à 17h", "appeler la banque", "2026-11-19 17:00"),
        ("明天下午5点给银行打电话", "给银行打电话", "2026-11-19 17:00"),
        ("check the version again", "check the version again", ""),
        ("send the minutes", "send the minutes", ""),
        ("ask Bob about the second server", "ask Bob about the second server", ""),
        ("fix the Friday report layout", "fix the Friday report layout", ""),
        ("call the 3rd-party vendor", "call the 3rd-party vendor", ""),
        ("look at three files", "look at three files", ""),
        ("read the weekly report by Ana", "read the weekly report by Ana", ""),
        ("den zweiten Server neu starten", "den zweiten Server neu starten", ""),
        ("mettre à jour le quatrième module", "mettre à jour le quatrième module", ""),
        ("dividir el módulo en tres partes", "dividir el módulo en tres partes", ""),
        ("comparar as duas versões", "comparar as duas versões", ""),
        ("проверить каждый файл", "проверить каждый файл", ""),
        ("two reviews tomorrow", "two reviews", "2026-11-19 09:00"),
        ("review PR 12 tomorrow", "review PR 12", "2026-11-19 09:00"),
        ("tomorrow a second look at it", "a second look at it", "2026-11-19 09:00"),
        ("call Bob in two and a half hours", "call Bob", "2026-11-18 13:00"),
        ("call Bob in 1.5 hours", "call Bob", "2026-11-18 12:00"),
        ("in zweieinhalb Stunden Bob anrufen", "Bob anrufen", "2026-11-18 13:00"),
        ("позвонить Анне через час", "позвонить Анне", "2026-11-18 11:30"),
        ("к концу недели отправить отчёт", "отправить отчёт", "2026-11-20 17:00"),
        ("оплатить счёт 5 числа", "оплатить счёт", "2026-12-05 09:00"),
        # half a unit more
        ("dentro de dos horas y media mirar los logs", "mirar los logs", "2026-11-18 13:00"),
        ("rappeler Anne dans une heure et demie", "rappeler Anne", "2026-11-18 12:00"),
        ("daqui a duas horas e meia ver os logs", "ver os logs", "2026-11-18 13:00"),
        ("in an hour and a half look at it", "look at it", "2026-11-18 12:00"),
        ("через два с половиной часа проверить", "проверить", "2026-11-18 13:00"),
        ("1時間半後にログを見る", "ログを見る", "2026-11-18 12:00"),
        # the words beside the time stay with the text they belong to
        ("am 24. Dezember den Cronjob abschalten", "den Cronjob abschalten", "2026-12-24 09:00"),
        ("übermorgen die Logs ansehen", "die Logs ansehen", "2026-11-20 09:00"),
        ("le 24 décembre la sauvegarde à lancer", "la sauvegarde à lancer", "2026-12-24 09:00"),
        ("el viernes las claves rotar", "las claves rotar", "2026-11-20 09:00"),
        ("amanhã o relatório", "o relatório", "2026-11-19 09:00"),
        ("в понедельник в офисе спросить Анну", "в офисе спросить Анну", "2026-11-23 09:00"),
        ("明日の午後5時にレポートを送る", "レポートを送る", "2026-11-19 17:00"),
        ("来週は休みの予定を確認する", "休みの予定を確認する", "2026-11-23 09:00"),
        ("3日後にサーバーを再起動する", "サーバーを再起動する", "2026-11-21 09:00"),
        ("明天在办公室问Anna", "在办公室问Anna", "2026-11-19 09:00"),
        ("tomorrow in the office ask Ann", "in the office ask Ann", "2026-11-19 09:00"),
        ("turn the feature on tomorrow", "turn the feature on", "2026-11-19 09:00"),
        ("log in on monday", "log in", "2026-11-23 09:00"),
        ("turn it on at 5pm", "turn it on", "2026-11-18 17:00"),
        ("turn the lights on at noon on friday", "turn the lights on", "2026-11-20 12:00"),
        ("carry on by friday", "carry on", "2026-11-20 09:00"),
        ("明天下午5点开会", "开会", "2026-11-19 17:00"),
        ("明天下午3点钟开会", "开会", "2026-11-19 15:00"),
        ("月末に証明書を更新する", "証明書を更新する", "2026-11-30 17:00"),
        ("明日までに報告書を出す", "報告書を出す", "2026-11-19 09:00"),
        ("morgen zur Post gehen", "zur Post gehen", "2026-11-19 09:00"),
        ("tomorrow - call Bob", "call Bob", "2026-11-19 09:00"),
        ("call Bob – tomorrow", "call Bob", "2026-11-19 09:00"),
        ("chiamare Anna domani alle 17", "chiamare Anna", "2026-11-19 17:00"),
        ("tra dieci giorni togliere il flag", "togliere il flag", "2026-11-28 09:00"),
        ("rinnovare il certificato il 1° marzo", "rinnovare il certificato", "2027-03-01 09:00"),
        ("il 24 dicembre la chiamata", "la chiamata", "2026-12-24 09:00"),
        ("domani a Roma chiamare Anna", "a Roma chiamare Anna", "2026-11-19 09:00"),
        ("dividere il modulo in tre parti", "dividere il modulo in tre parti", ""),
        ("nella prossima sessione vedere la build", "vedere la build", ""),
        ("下次会话时重新跑迁移脚本", "重新跑迁移脚本", ""),
        ("下次会话的时候检查日志", "检查日志", ""),
        ("次回のセッションでは認証を直す", "認証を直す", ""),
        ("next time, check the build", "check the build", ""),
        ("review 24/7 monitoring docs", "review 24/7 monitoring docs", ""),
        ("copy a/03/04 to the bucket", "copy a/03/04 to the bucket", ""),
        ("compare pages 3/4 in the pdf", "compare pages 3/4 in the pdf", ""),
    ],
)
def test_a_text_is_divided_from_its_time(message: str, text: str, expected: str) -> None:
    _, one = add(b"", message, "", WEDNESDAY)
    assert one.text == text
    assert (one.due.strftime("%Y-%m-%d %H:%M") if one.due else "") == expected
    assert one.next_session is not bool(expected)


CASES = tomllib.loads((Path(__file__).parent / "reminder_cases.toml").read_text(encoding="utf-8"))
FRIDAY = datetime(2026, 11, 20, 16, tzinfo=ZoneInfo("Europe/Madrid"))


def reminded(message: str, when: str) -> datetime | None:
    """When a reminder is due; None if it is refused."""
    try:
        _, one = add(b"", message, when, FRIDAY)
    except DateNotUnderstood:
        return None
    assert one.due, f"{message!r} is shown in the next session"
    return one.due


@pytest.mark.parametrize("language", CASES)
def test_what_strangers_write_is_right_or_refused(language: str) -> None:
    message, refused = CASES[language]["message"], 0
    for when, meant, at in CASES[language]["times"]:
        first, _, last = meant.partition("..")
        for said in (reminded(message, when), reminded(f"{message} {when}", "")):
            if said is None:
                refused += 1
            else:
                assert first <= said.date().isoformat() <= (last or f"{first}~"), when
                assert at in ("", said.strftime("%H:%M")), when
    assert refused <= 2


def test_a_text_that_ends_with_something_recurring_is_recurring() -> None:
    for when in (
        "every monday",
        "every other day",
        "on Fridays",
        "every monday and thursday at 10",
    ):
        _, one = add(b"", f"water the plants {when}", "", WEDNESDAY)
        assert (one.text, one.every) == ("water the plants", when)


@pytest.mark.parametrize(
    "message",
    [
        "call the bank tomorrow around five",
        "the monday report tomorrow",
        "call the bank the day before friday at 5pm",
        "call the bank at 5",
        "ask for keys when I mention auth",
        "meet on friday the 13th",
        "vérifier les sauvegardes dans quinze jours",
        "revisar los logs de hoy en ocho días",
        # the word beside the cut belongs to the time
        "check the queue every second Friday",
        "check the queue every other Tuesday",
        "Backup prüfen jeden zweiten Freitag",
        "чистить кэш каждый второй вторник",
        "limpar de quinze em quinze dias",
        "call Bob the 3rd of next month",
        "Friday week send the minutes",
        "Freitag 13 Bob anrufen",
        "the Friday report layout is broken",
        "finir la doc d'ici vendredi",
        "payer le loyer le 5 de chaque mois",
        # an hour in words
        "call Bob at five",
        "at five call Bob",
        "call Bob at a quarter to five tomorrow",
        "übermorgen um halb neun den Build prüfen",
        "ins Standup um Viertel vor drei",
        "reiniciar às quatro e um quarto da tarde",
        "позвонить в 5 завтра",
        # a day by its number
        "pay on the 15th",
        "am 22. die Rechnung bezahlen",
        "payer le loyer le 5",
        "pagar el día 5",
        "pagar no dia 5",
        # what no rule reads
        "check the queue every few days",
        "jeden dritten Tag den Cache leeren",
        "write to the team the week after next",
        "Bob anrufen übernächsten Montag",
        "dans trois quarts d'heure sortir le gâteau",
        "prune the images every tenth day",
        "the day before the release freeze the branch",
        "antes de que acabe el mes pagar la cuota",
        "an Heiligabend den Server abschalten",
        # a half, a number or a word that belongs to the time
        "dentro de un mes y medio borrar la rama vieja",
        "dans un mois et demi supprimer la branche",
        "le 29 février 2027 renouveler le nom de domaine",
        "on 29 February 2027 renew the domain",
        "二月三十号续费域名",
        "十二月三号重启测试服务器",
        "daqui a um mês e meio apagar o branch",
        "in a year and a half renew the domain",
        "через неделю с половиной написать",
        "in dreieinhalb Wochen prüfen",
        "一个半月后删除旧分支",
        "1か月半後にブランチを消す",
        "tomorrow in two rooms hang the posters",
        "hoy y mañana revisar los logs",
        "from monday on water the plants",
        "明日からテストを始める",
        "明天下午5点前发报告",
        "demain à 15h et le rapport",
        "tomorrow at 5pm or later call Bob",
        "tomorrow at 5pm CET call Bob",
        "by friday at the latest send it",
        "before friday send it",
        "check the nightly first thing monday",
        "nicht deployen bis Freitag",
        "do not deploy until monday",
        "do not deploy until the end of the month",
        "Am 15. Dezember läuft das Zertifikat ab, vorher erneuern",
        "el 15 de diciembre vence el certificado, renovarlo antes",
        "12月15号证书到期，提前续费",
        "Pakete aktualisieren, und zwar übermorgen Vormittag",
        "am Freitag nicht deployen",
        "den Branch löschen, sobald er gemerged ist, spätestens aber am Sonntagabend",
        "non fare il deploy fino a mercoledì",
        "не выкатывать релиз раньше понедельника",
        "deployen erst am Montag",
        "déployer seulement lundi",
        "desplegar solo el lunes",
        "明天早上九点多开会",
        "今天下午一点点地改进文档",
        "明天上午十点名",
        "no dia 5 pagar a fatura",
        "next time I open this project, delete the debug prints",
        "do not merge before the end of the month",
        "nicht deployen bis Ende der Woche",
        "não fazer deploy até o fim do mês",
        "Urlaub vom 1. bis 5. Dezember",
        "review the commit by April",
        "by march prepare the release",
        "remind me that tomorrow is a holiday",
        "deploy monday.then test",
        "来週末に掃除",
        "before the beginning of march send it",
        "remind me tomorrow",
        "am Freitag spätestens abgeben",
        "明日15時ごろに確認する",
        "明日中にレポートを出す",
        "明天下午3点左右开会",
        # a short clock, and a time at the other end
        "relire la branche cet aprem vers 16h",
        "avisar a Ana sobre las 9h30",
        "demain 14h appeler Anne",
        "appeler Anne 14h demain",
        "el último día del mes enviar la factura a Domingo",
        "o último dia do mês fechar o caixa",
        # about when
        "tidy the flags sometime next week",
        "irgendwann nächste Woche aufräumen",
        # what has no date
        "after the release, delete the branch",
        "at the next deploy clear the cache",
        "beim nächsten Deploy den Cache leeren",
        "au prochain déploiement, purger le cache",
        "dopo pranzo chiamare Anna",
        "tomorrow after lunch call Bob",
        "mi-janvier faire le plan",
        # what the time may belong to
        "明日の会議の資料を準備する",
        "明日で締め切り、提出する",
        "明日の朝イチでサーバーを確認する",
        "明日を確認する",
        "明天的会议准备材料",
        "send the report of friday",
        "la facture de demain",
        "die Rechnung vom Freitag",
        "перенести встречу на завтра",
        # a day and a month in digits
        "on 03/04 send the tax form",
        "send the tax form on 03/04",
        "03/04 send the tax form",
        "by 05/06 file the report",
        "on 03-04 send the tax form",
        "le 03/04 envoyer le formulaire",
        "entregar el informe el 05/06",
        "am 3.12 die Rechnung zahlen",
        "vor dem 5.6 den Bericht abgeben",
        "dopodomani alle tre e mezza del pomeriggio chiamare Anna",
        "il lunedì controllare i backup",
        "il primo marzo rinnovare il certificato",
        "on the first of march renew it",
        "preparare il rapporto per domani",
        "prepare the report for tomorrow",
        "die Folien vorbereiten für Freitag",
        # a condition that no word meets
        "next time we deploy, check the health endpoint",
        "next time Bob ships, tell him about the flag",
        "run the slow tests next time we touch billing",
        "if I mention auth, login or sso, say that it moved",
        "wenn das Deployment läuft, die Logs ansehen",
        "la prochaine fois qu'on déploie, prévenir l'équipe",
        "la próxima vez que despleguemos, avisar al equipo",
        "下次发布时，通知团队",
        "デプロイするとき、ログを確認",
    ],
)
def test_a_text_with_a_time_that_is_not_clear_is_refused(message: str) -> None:
    with pytest.raises(DateNotUnderstood, match="--when"):
        add(b"", message, "", WEDNESDAY)


@pytest.mark.parametrize(
    ("message", "trigger", "text"),
    [
        ("next time we work on the parser, check the corpus", "parser", "check the corpus"),
        ("next time I mention the parser, say it is slow", "parser", "say it is slow"),
        ("when I mention rate limiting, remind me of it", "rate limiting", "remind me of it"),
        ("whenever the cache comes up: say it is old", "cache", "say it is old"),
        ("wenn wir am Parser arbeiten, den Korpus prüfen", "Parser", "den Korpus prüfen"),
        ("das nächste Mal, wenn wir über Kafka reden, fragen", "Kafka", "fragen"),
        ("la prochaine fois qu'on parle du cache, relire", "cache", "relire"),
        ("la próxima vez que mencione el límite, avisar", "límite", "avisar"),
        ("na próxima vez que falarmos da fila, lembrar", "fila", "lembrar"),
        ("в следующий раз, когда мы говорим о кэше, сказать", "кэше", "сказать"),
        ("下次提到缓存时，说明它是旧的", "缓存", "说明它是旧的"),
        ("quando lavoriamo su auth, ricordare la scadenza", "auth", "ricordare la scadenza"),
        ("la prossima volta che parliamo dell’API, dirlo", "API", "dirlo"),
        ("レート制限の話が出たら、ヘッダーを見る", "レート制限", "ヘッダーを見る"),
        ("次回パーサーを触るとき、確認する", "パーサー", "確認する"),
    ],
)
def test_a_text_that_begins_with_a_condition_waits_for_its_words(
    message: str, trigger: str, text: str
) -> None:
    _, one = add(b"", message, "", WEDNESDAY)
    assert (one.trigger, one.text, one.next_session) == ((trigger,), text, False)


@pytest.mark.parametrize("day", range(7))
def test_the_end_of_the_week_is_never_now(day: int) -> None:
    now = WEDNESDAY + timedelta(days=day)
    found = moment("eow", now)
    assert found is None or found - now > timedelta(hours=1)


@pytest.mark.parametrize(
    "when",
    [
        "next friday", "nächsten Freitag", "vendredi prochain", "в следующую пятницу",
        "next weekend", "this wednesday", "tomorrow at 3:30", "tomorrow at 5", "at 9:30",
        "tomorrow at midnight", "a las 12 de la noche", "nachts um 2", "2 at night",
        "晚上12点", "明天3点", "dans quinze jours", "через день", "завтра в 5",
        "cette semaine", "на этой неделе", "no mañana", "не завтра", "本周一",
        "every hour", "every 30 minutes", "every tomorrow", "jeden zweiten Montag",
        "every 30 february", "every 45th", "every end of the week", "every month on monday",
        "every week on the 5th", "every monday or friday", "every monday and",
        "every monday friday",
    ],
)  # fmt: skip
def test_what_can_mean_two_times_or_none_to_come_is_refused(when: str) -> None:
    with pytest.raises(DateNotUnderstood):
        add(b"", "a", when, WEDNESDAY)


@pytest.mark.parametrize(
    ("when", "first", "second"),
    [
        ("every monday", "11-23 09:00", "11-30 09:00"),
        ("every day at 8am", "11-19 08:00", "11-20 08:00"),
        ("every first of the month", "12-01 09:00", "01-01 09:00"),
        ("every 2 weeks", "12-02 09:00", "12-16 09:00"),
        ("every weekday at noon", "11-18 12:00", "11-19 12:00"),
        ("the 31st of each month", "12-31 09:00", "01-31 09:00"),
        ("every last day of the month", "11-30 17:00", "12-31 17:00"),
        ("every 20 december", "12-20 09:00", "12-20 09:00"),
        ("cada lunes", "11-23 09:00", "11-30 09:00"),
        ("jeden Freitag um 15 Uhr", "11-20 15:00", "11-27 15:00"),
        ("tous les lundis", "11-23 09:00", "11-30 09:00"),
        ("toda segunda", "11-23 09:00", "11-30 09:00"),
        ("каждый понедельник", "11-23 09:00", "11-30 09:00"),
        ("每月1号", "12-01 09:00", "01-01 09:00"),
        ("jeden zweiten Tag", "11-20 09:00", "11-22 09:00"),
        ("every 2nd day", "11-20 09:00", "11-22 09:00"),
        ("毎週金曜日の午後3時", "11-20 15:00", "11-27 15:00"),
        ("毎月末", "11-30 17:00", "12-31 17:00"),
        ("ogni lunedì alle 10", "11-23 10:00", "11-30 10:00"),
        ("ogni lunedì e giovedì", "11-19 09:00", "11-23 09:00"),
        ("every monday, wednesday and friday at 9", "11-20 09:00", "11-23 09:00"),
        ("jeden Montag und Dienstag", "11-23 09:00", "11-24 09:00"),
        ("毎週月曜日と木曜日に", "11-19 09:00", "11-23 09:00"),
        ("ogni tre mesi", "02-18 09:00", "05-18 09:00"),
        ("ogni primo del mese", "12-01 09:00", "01-01 09:00"),
    ],
)
def test_what_recurs_is_understood_in_nine_languages(when: str, first: str, second: str) -> None:
    found = rhythm(when)
    assert found is not None
    one = found.next(WEDNESDAY, WEDNESDAY)
    assert one.strftime("%m-%d %H:%M") == first
    assert found.next(WEDNESDAY, one).strftime("%m-%d %H:%M") == second
    assert found.latest(WEDNESDAY, WEDNESDAY) is None
    assert found.latest(WEDNESDAY, one + timedelta(minutes=1)) == one
