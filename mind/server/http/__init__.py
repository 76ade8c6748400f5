"""The HTTP service: routes parse, call `Memory`, and answer JSON; beside them MCP and a page.

Importing this package imports neither Starlette nor uvicorn.
"""

from mind.server.http.serving import Serving, run

__all__ = ["Serving", "run"]
