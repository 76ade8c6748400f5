"""Queries that mean to break a search, and a memory that holds some of these very strings."""

import random

WORDS = ("login", "Postgres", "parseDate", "src/auth.py", "数据库", "café", "логин", "--verbose")
"""Each is answered best by one entry of :data:`PLAIN`."""

PLAIN = (
    "problem: login fails when the clock is skewed",
    "decided: Postgres for the ledger, as SQLite locks under load",
    "learned: parseDate takes ISO weeks only with a leading year",
    "gotcha: src/auth.py reads the token twice, the second time from the cookie",
    "learned: 选择了数据库连接池 with ten connections",
    "decided: the café list is sorted by Swedish rules",
    "problem: логин не работает после обновления",
    "learned: --verbose prints secrets of the deploy step",
    "decided: retries back off twice as long each time",
    "fixed: the migration deadlock on the sessions table",
    "learned: 100% of the requests with a_b in their path are cached",
    "gotcha: C++ and C# builds share one cache folder -> set CACHE_DIR",
    "rejected: Redis for sessions - one more server to run",
    "learned: the tokenizer cuts text off after 256 tokens",
    "decided: pnpm over npm, for its store",
    "problem: the invoice export broke on Tuesday",
    "learned: Windows reserves NUL, CON and AUX as names of files",
)

_AROUND = (
    '"{}"', "'{}'", '"{}', '{}"', '""{}""', "'{}", "`{}`", "{}*", "*{}", "{}^", "^{}", "^ {}",
    "{}:", ":{}", "-{}", "- {}", "+{}", "({})", "(({}", "{}))", ")({}", "{{{}}}", "[{}]", "<{}>",
    "{};", "{}\0", "\0{}", "%{}%", "{}%", "\\{}", "{}\\", "/{}/", "~{}", "!{}", "{}?", "{}...",
    "|{}|", "&{}&", "={}", "@{}", "#{}", "${}", "{}\n", "\n{}", "\r\n{}\r\n", "\t{}\t", "\x1b{}",
    "\x7f{}", "\u200b{}", "\ufeff{}", "\u202e{}\u202c", "😀{}😀", "🏳️‍🌈 {}", "\ud800{}", "{}\udfff",
    "{}\u2028", "«{}»", "“{}”", "‘{}’", "„{}“", "（{}）", "、{}。", "¿{}?", "{}--", "/*{}*/",
    "--\n{}", "\u0085{}", "\U0010ffff{}", "\ue000{}", '{}" "', '"*" {}', "{} ***", "({} )()",
    "?:{}", "\0\1\2{}",
)  # fmt: skip
"""Nothing here is a word: what stands in the braces is all that is asked for."""

_OPERATORS = (
    "{} AND", "AND {}", "{} OR", "OR {}", "NOT {}", "{} NOT", "{} AND NOT", "AND OR NOT {}",
    "(NOT {})", "{} AND ()", "NOT (NOT {})", "{} OR OR OR", '"AND" {}', "AND AND {}", "and {} or",
)  # fmt: skip
"""Words of FTS that every text has: they count for nothing."""

_WORDY = (
    "NEAR({})", "NEAR/2 {}", "NEAR({} x, 5)", "{} NEAR {}", "terms:{}", "terms : {}", "-terms:{}",
    "{{terms text}}:{}", "words MATCH '{}'", "rowid:{}", "rank:{}", "{} AND nosuchword",
    "nosuchword OR {}", "{} NOT nosuchword", "entry.{}", "{}'; DROP TABLE entry; --",
    "{}' OR '1'='1", '{}" OR 1=1 --', "{}'); DELETE FROM words; --", "{} UNION SELECT * FROM meta",
    "{}' UNION SELECT name, sql FROM sqlite_master --", "1; ATTACH DATABASE 'x' AS y; {}",
    "INSERT INTO words(words) VALUES('delete-all') {}", "PRAGMA writable_schema=ON; {}",
    "{}\\x27 OR 1=1", "load_extension('{}')", "highlight(words, 0, '<', '>') {}", "bm25({})",
)  # fmt: skip
"""Their words are words like any other; their signs are nothing."""

ALONE = (
    '"', '""', '"""', "'", "''", "`", "*", "**", "^", ":", "::", "-", "--", "+", "(", ")", "()",
    ")(", "{", "}", "{}", "[]", "][", "<>", "%", "%%", "_", "__", "\\", "\\\\", "/", "//", "|",
    "&", "~", "!", "?", "??", "=", "@", "#", "$", ".", "..", "...", ",", ";", "\0", "\0\0\0",
    "\x01", "\x08", "\x1b[31m", "\x7f", "\ufeff", "\u200b", "\u200d", "\u202e", "\u2066\u2069",
    "\ud800", "\udfff", "\udc80\udcff", "\U0010ffff", "\ufffe", "\ufffd", "\ue000", "\u0301",
    "\u0301" * 50, "😀", "👨‍👩‍👧‍👦", "🇸🇪", "🏳️‍🌈", "ﷺ", "ﬁ", "ǅ", "ß", "İ", "ı", "Ⅷ", "①", "²", "½",
    "𝔘𝔫𝔦", "数", "数据", "数据库数据库", "データベース", "데이터베이스", "한", "ｶﾞ", "ㄱ", "𠮷",
    "שלום", "שָׁלוֹם", "مرحبا", "سَلَام", "हिन्दी", "ไทย",
    "Z" + "\u0351\u036b\u0334\u0326" * 9 + "A\u0327\u0315",
    "e\u0301", "ö̲̃",
    "AND", "OR", "NOT", "NEAR", "NEAR()", "NEAR(", "NEAR(a b)", "NEAR(a b, 2)", "NEAR/3",
    "a AND", "AND a", "a OR", "a NOT b", "NOT NOT", "AND OR NOT NEAR", "(a AND", "a) OR (b",
    '"a b', 'a "b c" d', '"a" "b', '"a""b"', "a*b*c", "^a ^b", "a:b:c", "terms:", ":terms",
    "terms:*", "{terms}:", "-terms:a", "words:words", "rank", "rowid", "docid", "MATCH", "GLOB",
    "REGEXP", "LIKE '%'", "NULL", "null", "None", "nil", "undefined", "NaN", "inf", "-inf", "true",
    "0", "-1", "1e308", "1e999", "0x0", "9" * 400, "3.14", "1,000", "1_000", "-9223372036854775809",
    "18446744073709551616", "٣٤٥", "the", "the of and", "what is it", "und die der", "y que en",
    "don't", "it's", "'s", "’s", "o'clock'", "a'b'c'd", "rock'n'roll", "x" * 64, "x" * 65,
    "%s", "%d%n%x", "%(name)s", "{0}", "{query}", "{0.__class__}", "${HOME}", "$(id)", "`id`",
    "; ls", "| cat /etc/passwd", "&& true", "../../etc/passwd", "..\\..\\boot.ini", "C:\\NUL",
    "file:///etc/passwd", "file:x?mode=ro", "http://[::1]:80/?a=b#c", "//commits", ":memory:",
    '{"query": "x"}', '{"a": [1, {"b": null}]}', "[]", "[[[[[[[[", '{"', "{'a': 1}", "key: value",
    "---\n- a\n", "<!-- MIND:CONTEXT -->", "<!-- MIND:END -->", "<script>alert(1)</script>",
    "&lt;&#0;", "]]>", "<?xml?>", "<!DOCTYPE x>", "```\nx\n```", "# heading", "- decided: x",
    "[[link]]", "![x](y)", "| a | b |", "\\N{NULL}", "\\u0000", "\\x00", "\\0", "%00", "%c0%80",
    "(a+)+$", "(?P<x>", "[a-", "a{1,99999}", "(?i)x", "\\b\\w+\\b", ".*", "^$", "(((((((((",
    "a|b|", "\\", "(?#", "[[:alpha:]]", "*" * 1_000, '"' * 1_001, "(" * 5_000, "NOT " * 2_000,
    "a OR " * 3_000, "-" * 100_000, "x" * 100_000, "é" * 100_000, "数" * 100_000, "\0" * 100_000,
    "😀" * 50_000, "\u0301" * 100_000, "ﷺ" * 5_000, "a " * 50_000, '" OR "' * 10_000, "_" * 100_000,
    "'" * 100_000, "a'" * 50_000, "aA" * 50_000, "a_" * 50_000, "\n" * 5_000 + "x",
    "'; DROP TABLE entry; --", "1' OR '1'='1", "admin'--", "') OR ('1'='1", "1; SELECT 1",
    "' UNION SELECT * FROM sqlite_master --", "x'; PRAGMA user_version=99; --", "/**/SELECT/**/1",
    "SELECT/**/load_extension('x')", "VACUUM", "BEGIN IMMEDIATE", "ROLLBACK", "INSERT OR REPLACE",
    "words MATCH 'x'", "e.shown = 0", "1=1", "?1", ":name", "@name", "$name", "?", "x'00'", "X'",
    "\x1b]0;title\x07", "\x9b31m", "a\x00b", "a\rb", "a\vb\fc", "\x1c\x1d\x1e", "a\u2028b\u2029c",
    "kind:", "kind:x", "kind:decision", 'kind:"', "type:decision,", "since:", "since:x", 'since:"',
    "since:9999-12-31", "until:0001-01-01", "before:0000-00-00", "on:2026-02-30", "after:v9.9.9",
    'since:"99999999999 days ago"', "tag:#", "tag:,,", "status:", "order:newest", "order:x", "id:^",
    "id:x,y", "id:'; DROP TABLE entry", "section:%", 'section:"" x', "KIND:DECISION since:today x",
    "in 99999999999999999999 days", "last 0 weeks", "9999999 years ago", "in March 0000", "Q9 2026",
    "between 2026 and 1", "before v999.999.999", "the year 10000", "31.02.2026", "-1 days ago",
    "--", "--help", "-h", "--explain", "-n", "-n0", "--limit=0", "=cmd|' /C calc'!A0", "@SUM(1)",
)  # fmt: skip


def around(word: str) -> list[str]:
    """``word`` with signs and FTS words around it that must not mean anything."""
    return [one.format(word) for one in (*_AROUND, *_OPERATORS)]


def wordy(word: str) -> list[str]:
    """``word`` inside an expression that has words of its own."""
    return [one.format(*[word] * one.count("{}")) for one in _WORDY]


def many_words() -> list[str]:
    """Queries of very many words, the same on every run."""
    pick = random.Random(3)  # noqa: S311 - makes queries, no secrets
    letters = "abcdefghij"
    words = ["".join(pick.choices(letters, k=pick.randrange(1, 9))) for _ in range(20_000)]
    return [" ".join(words[:count]) for count in (33, 200, 1_000, 20_000)]


def queries() -> list[str]:
    """Every hostile query, each once."""
    made = [*ALONE, *around("login"), *wordy("login"), *many_words()]
    made += [one.format("数据库") for one in _OPERATORS]
    return [one for one in dict.fromkeys(made) if one.strip()]


def memory() -> bytes:
    """A MEMORY.md whose entries hold the words, and many of the hostile strings as they are."""
    lines = [f"- {line}" for line in PLAIN]
    for number, text in enumerate(ALONE):
        if len(text) <= 200 and "\n" not in text:
            lines.append(f"- learned: case {number} saw {text}")
    lines.append("- learned: a very long word " + "x" * 100_000)
    text = "# Memory\n\n## 2026-11-20\n\n" + "\n".join(lines) + "\n"
    return text.encode("utf-8", "surrogatepass")
