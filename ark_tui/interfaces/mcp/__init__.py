"""The MCP server of a home for assistants. The SDK is imported only to serve."""
