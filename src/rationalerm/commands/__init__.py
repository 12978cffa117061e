"""One command a file: `add` declares its words, `run` calls the orchestrator and prints. Heavy imports stay inside `run`."""
