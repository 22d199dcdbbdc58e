"""Five compactions with the summaries of a real, small model: SmolLM2-135M-Instruct, 4 bits, on this machine.

    python bench/real_summarizer.py                       replays the recorded summaries and shows what was lost and kept
    python bench/real_summarizer.py --record              asks the model itself, and records (about half an hour on one busy core)

The model is not needed to replay. To record: what `python/examples/smollm2.py` needs. Both ways to compact get the same model and the same
instructions about what to keep; what is longer than its input is cut at the beginning, as LangChain's `trim_tokens_to_summarize` does.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from arms import tokens_of
from chat_files import read
from survival import DEMO, run, table

BOOK = Path(__file__).resolve().parent / "transcripts" / "smollm2.json"
ASK = "Summarize this conversation for the agent that continues it. Keep every rule, decision, name and number word for word."


class Recorded:
    """The recorded summaries of one transcript, in the order in which they were asked for; then from the first on again."""

    def __init__(self, summaries):
        self._summaries = summaries
        self.asked = dict.fromkeys(summaries, 0)

    def __call__(self, arm, asked, budget):
        known = self._summaries[arm]
        summary = known[self.asked[arm] % len(known)]
        self.asked[arm] += 1
        return summary


class Recording:
    """The model itself, as the example has it."""

    def __init__(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "examples"))
        from smollm2 import HEAD, TAIL, SmolLM2

        self._model, self._most = SmolLM2(), HEAD + TAIL
        self.summaries = {"usual": [], "standfast": []}

    def __call__(self, arm, asked, budget):
        ours = arm == "standfast"
        summary = self._model(Asked(asked, budget)) if ours else self._model.answer(f"{ASK}\n\n{asked[-self._most :]}")
        self.summaries[arm].append(summary)
        print(f"{arm} {len(self.summaries[arm])}: {len(summary)} characters", file=sys.stderr, flush=True)
        return summary


class Asked(NamedTuple):
    """What the model reads of a request."""

    prompt: str
    budget_tokens: int


def played(script, summarizer, rounds=5):
    """A transcript through five rounds; the rows of `survival.run`."""
    return run(script, script.window_tokens, summarizer, rounds)


def replayed(rounds=5):
    """Every transcript with its recorded summaries."""
    book = json.loads(BOOK.read_text(encoding="utf-8"))["summaries"]
    for path in DEMO:
        script = read(path)
        yield script, played(script, Recorded(book[script.name]), rounds), book[script.name]


def record():
    """Asks the model about every transcript, and writes the fixture."""
    book = {}
    for path in DEMO:
        script = read(path)
        recording = Recording()
        played(script, recording)
        book[script.name] = recording.summaries
        about = "Summaries of the demo transcripts by SmolLM2-135M-Instruct Q4_1, temperature 0; made by bench/real_summarizer.py"
        BOOK.write_text(json.dumps({"about": about, "summaries": book}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="ask the model, and record what it says")
    given = parser.parse_args()
    if given.record:
        record()
    usual = ours = due = 0
    for script, rows, _ in replayed():
        tokens = tokens_of(script.system, script.messages)
        shown = {"transcript": script.name, "messages": len(script.messages), "tokens": tokens, "window_tokens": script.window_tokens}
        print(table({**shown, "summarizer": "recorded", "rounds": rows}))
        due += rows[-1]["rules"]
        usual += rows[-1]["usual"]["verbatim"]
        ours += rows[-1]["standfast"]["verbatim"]
    print(f"\nAfter the last round the usual way has {usual} of {due} rules word for word, standfast {ours} of {due}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
