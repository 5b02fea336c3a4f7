"""The home over HTTP: thin routes over the engine, behind a gate. FastAPI is imported only to serve."""

TOKEN = "ARK_TOKEN"  # noqa: S105 - its name, in the environment or among the home's keys
