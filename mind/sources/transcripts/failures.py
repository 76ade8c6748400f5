"""What failed: whether a command did, which line of its output tells, and which command it was."""

import re

_TOLD_FAILED = re.compile(
    r"^(?:Traceback \(most recent call last\)|FAILED\b|=+ .*\b\d+ (?:failed|errors?)\b|--- FAIL|"
    r"error(?:\[E\d+\])?: |.*: error TS\d+: |BUILD FAILED|npm ERR!|make: \*\*\*|FAIL\b|"
    r".*\b[1-9]\d* (?:failed|failing)\b|Tests:\s+[1-9]\d* failed|panic: )",
    re.MULTILINE,
)
_CHECKS = re.compile(
    r"\b(?:pytest|test|tests|build|check|lint|tsc|typecheck|cargo|go|make|mvn|mvnw|gradle|gradlew|"
    r"npm|pnpm|yarn|bun|tox|nox|jest|vitest|mypy|ruff|eslint|phpunit|rspec|dotnet|ctest|cmake|"
    r"bazel|"
    r"swift|xcodebuild|terraform|ansible|docker|python3?|node|deno|uv|poetry|ruby|php|mix|sbt)\b"
)
_LOOKS = re.compile(
    r"^(?:cat|ls|grep|rg|find|git|head|tail|sed|awk|echo|cd|pwd|which|wc|file|tree|stat|test|\[|"
    r"sleep|ps|kill|env|printenv|diff|jq|mkdir|rm|cp|mv|touch|chmod|type|command|man)\b"
)
_AROUND = re.compile(
    r"^(?:cd [^&;|]+(?:&&|;)\s*)+|\s*2>&1|\s*\|\s*(?:tail|head|tee|cat|less)\b[^|]*$"
)
_EXIT = re.compile(r"^(?:Error: )?Exit code \d+\n?")
_NOISE = re.compile(
    r"\b(?:command not found|No such file or directory|not recognized as|permission denied|"
    r"SyntaxError|IndentationError|TabError|unexpected token|unterminated|"
    r"InputValidationError|tool_use_error|timed out after|ECONNREFUSED|Could not resolve host|"
    r"NameError: name|is declared but|(?:is )?(?:defined|assigned|declared) but never used|"
    r"unused (?:variable|import|parameter)\w*|no-unused-\w+)\b|^usage: ",
    re.IGNORECASE | re.MULTILINE,
)
_SALIENT = tuple(
    re.compile(row, re.MULTILINE)
    for row in (
        r"^(?:FAILED|ERROR) +[\w./-]+(?:::[\w\[\]./-]+)+.*$",
        r"^--- FAIL: .*$",
        r"^error(?:\[E\d+\]): .*$",
        r"^.*\berror TS\d+: .*$",
        r"^(?:E\s+)?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Violation)\b(?:[: ].*)?$",
        r"^\[ERROR\] .*:\d+.*$",
        r"^\s*(?:●|✕|×|✗) .*$",
        r"^panic: .*$",
        r"^(?:.*: )?(?:fatal |CMake )?(?:ERROR|Error|error|FATAL|FAIL|Fatal)\b[^\n]{0,60}: ?\S.*$",
        r"^.*\b(?:npm ERR!|make: \*\*\*) .*$",
    )
)
_PLACE = re.compile(
    r"^.*?\(\d+,\d+\): (?=error )|^E\s+|^\[ERROR\]\s+(?:Failures: )?|^(?:●|✕|×|✗)\s+"
)
_BLUR = re.compile(
    r"\b0x[0-9a-f]{6,}\b|\bpid \d+\b|\s+in [\d.]+s\b|\s*\([\d.]+ ?m?s\)", re.IGNORECASE
)
_LONGEST = 140


def failed(command: str, output: str, *, marked: bool) -> bool:
    """Whether a command failed; a pipe hides the exit code of what is before it."""
    if marked:
        return True
    return (
        _CHECKS.search(command) is not None
        and not looks(command)
        and bool(_TOLD_FAILED.search(output))
    )


def looks(command: str) -> bool:
    """Whether a command only looks around or moves files, so that its failure teaches nothing."""
    return _LOOKS.match(essence(command)) is not None


def essence(command: str) -> str:
    """A command without what does not change what it checks: folder, paging, redirection."""
    before = ""
    command = " ".join(command.split())
    while command != before:
        before, command = command, _AROUND.sub("", command).strip()
    return command


def salient(output: str) -> str:
    """The line that names what failed; "" if none does, or if it was but a slip."""
    text = _EXIT.sub("", output)
    for pattern in _SALIENT:
        found = pattern.search(text)
        if found is not None:
            line = _BLUR.sub("", _PLACE.sub("", found[0].strip())).strip()
            return "" if _NOISE.search(line) else line[:_LONGEST]
    return ""
