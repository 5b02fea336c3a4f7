"""The home over HTTP: thin routes over the engine, behind a gate. FastAPI is loaded when it is served."""

TOKEN = "ARK_TOKEN"  # noqa: S105 - its name, in the environment or among the home's keys
