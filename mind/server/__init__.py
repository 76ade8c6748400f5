"""The adapters that serve: MCP and HTTP."""
