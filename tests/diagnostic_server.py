"""`mind serve` with the diagnostic tools, prompts and resources of the MCP conformance suite.

The suite asks a server for what its own example server has. Mind has none of that, so here it
stands behind Mind's own gate, tokens, limits and endpoint in place of the tools: what is tested is
the way through them. Answers are streams where a tool tells of its progress, which none of Mind's
does.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError

from mind.server.http import Serving, run
from mind.server.mcp.streamable import Endpoint

Context = ServerRequestContext[Any, Any]
Called = types.CallToolResult | types.InputRequiredResult
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # noqa: E501 - a picture
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
_TEXT = {"type": "string"}
_WITH_HEADER = {
    "type": "object",
    "properties": {"region": {**_TEXT, "x-mcp-header": "Region"}, "query": _TEXT},
    "required": ["region"],
}


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def embedded(uri: str) -> types.EmbeddedResource:
    shown = types.TextResourceContents(uri=uri, mime_type="text/plain", text="embedded")
    return types.EmbeddedResource(type="resource", resource=shown)


IMAGE = types.ImageContent(type="image", data=PIXEL, mime_type="image/png")
CONTENTS: Mapping[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource")],
    "test_multiple_content_types": [text("text"), IMAGE, embedded("test://mixed")],
    "test_logging_tool": [text("nothing is logged unless that is asked for")],
    "test_x_mcp_header": [text("the headers are right")],
}


def elicited(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    wanted = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    params = types.ElicitRequestFormParams(message=message, requested_schema=wanted)
    return types.ElicitRequest(params=params)


def sampled(words: str, most: int) -> types.CreateMessageRequest:
    asked = types.SamplingMessage(role="user", content=text(words))
    params = types.CreateMessageRequestParams(messages=[asked], max_tokens=most)
    return types.CreateMessageRequest(params=params)


NAME = elicited("What is your name?", "name")
ROOTS = types.ListRootsRequest()
ASKED: Mapping[str, tuple[dict[str, Any], str]] = {
    "elicitation": ({"user_name": NAME}, ""),
    "sampling": ({"capital_question": sampled("What is the capital of France?", 100)}, ""),
    "list_roots": ({"client_roots": ROOTS}, ""),
    "request_state": ({"confirm": elicited("Please confirm", "ok", "boolean")}, "asked"),
    "tampered_state": ({"confirm": elicited("Please confirm", "ok", "boolean")}, "asked"),
    "multiple_inputs": (
        {
            "user_name": NAME,
            "greeting": sampled("Generate a greeting", 50),
            "client_roots": ROOTS,
        },
        "asked",
    ),
    "multi_round": ({"step1": elicited("Step 1: What is your name?", "name")}, "1"),
    "capabilities": ({"user_name": NAME, "greeting": sampled("Greet", 50)}, ""),
}
"""What each tool for several rounds asks at first, and the state that it wants back."""
_ROUNDS = "test_input_required_result_"
_OTHERS = (
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_error_handling",
    "test_missing_capability",
    "test_streaming_elicitation",
)
TOOLS = [*CONTENTS, *_OTHERS, *(_ROUNDS + name for name in ASKED)]


async def listed(_context: Context, _params: object) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[types.Tool(name=name, description=name, input_schema=schema(name)) for name in TOOLS]
    )


def schema(name: str) -> dict[str, Any]:
    return _WITH_HEADER if name == "test_x_mcp_header" else {"type": "object"}


def declared(context: Context) -> Mapping[str, object]:
    known = context.session.client_capabilities
    return known.model_dump(by_alias=True, exclude_none=True) if known else {}


async def progressed(context: Context) -> None:
    for part in (0, 50, 100):
        await context.session.report_progress(part, 100, f"{part} of 100")


async def logged(context: Context) -> None:
    for part in ("started", "processing", "completed"):
        await context.session.send_log_message(
            "info", f"Tool execution {part}", related_request_id=context.request_id
        )


NOTIFYING = {"test_tool_with_progress": progressed, "test_tool_with_logging": logged}


async def called(context: Context, params: types.CallToolRequestParams) -> Called:
    if params.name in CONTENTS:
        return types.CallToolResult(content=CONTENTS[params.name])
    if params.name == "test_error_handling":
        said = "This tool intentionally returns an error for testing"
        return types.CallToolResult(content=[text(said)], is_error=True)
    if params.name in NOTIFYING:
        await NOTIFYING[params.name](context)
        return types.CallToolResult(content=[text("done")])
    return asking(context, params)


def asking(context: Context, params: types.CallToolRequestParams) -> Called:
    """The answer of a tool that needs something of the client."""
    if params.name == "test_missing_capability" and "sampling" not in declared(context):
        needed = {"requiredCapabilities": {"sampling": dict[str, str]()}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", needed)
    if params.name == "test_streaming_elicitation":
        return asked_at_first(context, params, {"user_name": NAME}, "")
    if params.name.removeprefix(_ROUNDS) in ASKED:
        return asked_at_first(context, params, *ASKED[params.name.removeprefix(_ROUNDS)])
    raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}")


def asked_at_first(
    context: Context, params: types.CallToolRequestParams, wanted: Mapping[str, Any], state: str
) -> Called:
    """What is still to be asked, or that it is known."""
    given = params.input_responses or {}
    if params.request_state == "1" and "step1" in given:
        return types.InputRequiredResult(
            input_requests={"step2": elicited("Step 2: What is your favorite color?", "color")},
            request_state="2",
        )
    if params.request_state == "2" and "step2" in given:
        return types.CallToolResult(content=[text("both steps are done")])
    known = set(given) if params.request_state == state or not state else set()
    missing = {key: one for key, one in wanted.items() if key not in known}
    kinds = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}
    may = declared(context)
    if params.name == _ROUNDS + "capabilities":
        missing = {k: one for k, one in missing.items() if kinds.get(one.method, "roots") in may}
    if missing and params.name != _ROUNDS + "elicitation":
        return types.InputRequiredResult(input_requests=missing, request_state=state or None)
    answer = given.get("user_name")
    if "user_name" in wanted and not _is_named(answer) and len(wanted) == 1:
        return types.InputRequiredResult(input_requests=dict(wanted))
    shown = {key: one.model_dump(mode="json") for key, one in given.items()}
    return types.CallToolResult(content=[text(f"state-ok Hello, {shown}!")])


def _is_named(answer: object) -> bool:
    """Whether it is an answer as was asked for."""
    content = answer.content if isinstance(answer, types.ElicitResult) else None
    return isinstance((content or {}).get("name"), str)


PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


async def prompts(_context: Context, _params: object) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
            )
            for name, arguments in PROMPTS.items()
        ]
    )


async def prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt" and not params.input_responses:
        wanted = elicited("What context should the prompt use?", "context")
        return types.InputRequiredResult(input_requests={"user_context": wanted})
    if params.name not in PROMPTS:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}")
    said = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
    shown: list[Any] = [text(said if given else "This is a simple prompt for testing.")]
    if "resourceUri" in given:
        shown = [embedded(given["resourceUri"]), text("Please process the embedded resource.")]
    if params.name.endswith("image"):
        shown = [IMAGE, text("Please analyze the image above.")]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in shown]
    )


async def resources(_context: Context, _params: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri="test://static-text", name="text", mime_type="text/plain"),
            types.Resource(uri="test://static-binary", name="binary", mime_type="image/png"),
        ]
    )


async def templates(_context: Context, _params: object) -> types.ListResourceTemplatesResult:
    one = types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="data", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[one])


async def resource(
    _context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    shown: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        shown = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    elif uri == "test://static-text":
        said = "This is the content of the static text resource."
        shown = types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    elif uri.startswith("test://template/"):
        said = f'{{"id": "{uri.split("/")[3]}", "templateTest": true}}'
        shown = types.TextResourceContents(uri=uri, mime_type="application/json", text=said)
    else:
        raise MCPError(types.INVALID_PARAMS, "there is no such resource", {"uri": uri})
    return types.ReadResourceResult(contents=[shown])


async def noted(_context: Context, _params: object) -> types.EmptyResult:
    return types.EmptyResult()


async def completed(_context: Context, _params: object) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2))


class Diagnostic(Endpoint):
    """The endpoint with another server behind it."""

    def __init__(self, most: int = 1_048_576) -> None:
        server: Server[Any] = Server(
            "diagnostic",
            version="1",
            on_list_tools=listed,
            on_call_tool=called,
            on_list_prompts=prompts,
            on_get_prompt=prompt,
            on_list_resources=resources,
            on_list_resource_templates=templates,
            on_read_resource=resource,
            on_completion=completed,
            on_set_logging_level=noted,
            on_subscribe_resource=noted,
            on_unsubscribe_resource=noted,
            on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
        )
        sealed = RequestStateSecurity.ephemeral()
        server.middleware.append(RequestStateBoundary(sealed, default_audience="diagnostic"))
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, max_request_body_size=most
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--rate", type=float)
    given = parser.parse_args()
    serving = Serving(port=given.port, projects=(given.project,), rate=given.rate)
    run(serving, lambda _toolsets: Diagnostic())
