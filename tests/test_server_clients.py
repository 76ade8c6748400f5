"""What real clients pass on to a model: the policy, the tools, answers and errors as they are."""

import json
from pathlib import Path

import pytest

from mind.server.mcp.tools import INSTRUCTIONS
from mind.storage.project import Project
from tests.test_real_clients import (
    CLAUDE,
    Model,
    claude,
    enabled,
    environment,
    inspect,
    model,
    use,
)

__all__ = ["enabled", "model"]  # fixtures

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not CLAUDE.exists(), reason="npm could not install the clients here"),
]


def test_the_model_has_the_policy_and_knows_the_tools_in_its_first_turn(
    project: Project, enabled: Path, model: str
) -> None:
    Model.turns = [
        [use(1, "mind_log", message="x", type="mood")],
        [{"type": "text", "text": "all done"}],
    ]
    said = claude(
        project, environment(enabled, model), "-p", "work", "--allowedTools", "mcp__mind__mind_log"
    )
    assert "all done" in said
    first = Model.asked[0]
    told = json.dumps(first, ensure_ascii=False)
    assert {"mcp__mind__mind_recall", "mcp__mind__mind_log"} <= {
        tool["name"] for tool in first["tools"]
    }
    for tool in inspect(project, enabled, "--method", "tools/list")["tools"]:
        assert f"mcp__mind__{tool['name']}" in told  # the others by name, to be looked up
    for line in INSTRUCTIONS.splitlines():
        assert json.dumps(line, ensure_ascii=False)[1:-1] in told
    results = [
        block
        for message in Model.asked[-1]["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert results[0]["is_error"]
    assert "Use one of: decision" in json.dumps(results[0])


def test_the_inspector_finds_what_it_logged_and_shows_errors(project: Project, home: Path) -> None:
    call = ["--method", "tools/call", "--tool-name"]
    inspect(project, home, *call, "mind_log", "--tool-arg", "message=seen twice", "type=decision")
    found = inspect(project, home, *call, "mind_search", "--tool-arg", "query=twice", "limit=5")
    text = found["content"][0]["text"]
    assert text.startswith("1 of 1 hits, lexical only.")
    assert "decision" in text
    assert "structuredContent" not in found
