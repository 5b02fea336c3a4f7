"""The home for assistants, over MCP on stdin and stdout. The SDK is loaded when it is served."""
