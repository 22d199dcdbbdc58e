"""A long session of a coding agent, made from a seed: user messages, tool calls with their results, replies, decisions.

About one turn in nine settles something. One decision is the one that is followed: sharded writes are rejected because of
cross-region latency, early on, and spoken of again a few times without being taken back.
"""

import json
import random

SYSTEM = (
    "You are a coding agent in the repository tidegate, which stores the readings of harbor gauges in three regions. "
    "You work through tools, keep commits small and say which ideas you dropped."
)
RULES = ("Never run a migration on the primary in Rotterdam without Mirela's approval.", "Do not log the raw key of a gauge.")
REJECTED = "On the write path I measured the pair in staging. Rejected sharded writes because of cross-region latency."
REJECTED_TURN = 11
ASKED_AGAIN = "Remind me, what about sharded writes? Two people asked today."
TOLD_AGAIN = "We rejected sharded writes because of cross-region latency, and nothing in the numbers has changed since."
ASKED_EVERY = 45

PARTS = [
    "ingest",
    "replay",
    "retention",
    "gauge_index",
    "backfill",
    "alerting",
    "export",
    "tide_model",
    "clock_skew",
    "quota",
    "checkpoint",
    "compactor",
]
PLACES = ["writer", "reader", "planner", "cache", "batch", "session", "store", "queue", "window", "cursor"]
VERBS = ["loses", "doubles", "misorders", "miscounts", "truncates", "repeats", "rereads"]
THINGS = ["late readings", "empty batches", "old leases", "short rows", "negative levels", "stale cursors", "split frames"]
OPTIONS = (
    ("a second cache in front of the reader", "the hit rate was under two percent", "rejected"),
    ("batches of 512 rows", "they fit into one page of the log", "accepted"),
    ("sharded reads", "each region has its own replica", "accepted"),
    ("a nightly vacuum", "it holds a lock for minutes", "rejected"),
    ("the move to the new driver", "its pool is not released yet", "deferred"),
    ("a bloom filter on the gauge index", "the index fits into memory as it is", "rejected"),
    ("monotonic clocks for leases", "the wall clock jumped twice in March", "accepted"),
    ("zstd for the export", "the readers in Lisbon cannot decode it", "rejected"),
    ("a separate pool for backfills", "backfills starved the writer", "accepted"),
    ("the rewrite of the planner", "two tickets on it are still open", "deferred"),
)
SAID = {"accepted": "We chose {} because {}.", "rejected": "Rejected {} because {}.", "deferred": "Postponed {} because {}."}


class Session:
    """Turns of one session, each a list of OpenAI chat messages. `scale` makes tool results longer or shorter."""

    def __init__(self, seed=1, scale=1.0):
        self.rng, self.scale, self.calls, self.turn = random.Random(seed), scale, 0, 0

    def opening(self):
        return [{"role": "system", "content": SYSTEM}]

    def next_turn(self):
        self.turn += 1
        part, place = self.rng.choice(PARTS), self.rng.choice(PLACES)
        path, ticket = f"tidegate/{part}/{place}.py", f"TG-{1_000 + self.turn * 7}"
        asked = self._asked(part, place, ticket)
        looked = self._calls(("grep", {"pattern": f"def {place}_", "path": f"tidegate/{part}"}), ("read_file", {"path": path}))
        results = [self._result(looked, 0, self._grep(part, place)), self._result(looked, 1, self._code(part, place))]
        edit = self._calls(("edit_file", {"path": path, "ticket": ticket, "text": self._code(part, place, 15)}))
        run = self._calls(("run_tests", {"path": f"tests/{part}"}))
        return [
            {"role": "user", "content": asked},
            looked,
            *results,
            edit,
            self._result(edit, 0, f"edited {path}: {self.rng.randint(4, 40)} lines"),
            run,
            self._result(run, 0, self._log(part, place)),
            {"role": "assistant", "content": self._told(part, place, ticket)},
        ]

    def _asked(self, part, place, ticket):
        if self._again():
            return ASKED_AGAIN
        verb, thing = self.rng.choice(VERBS), self.rng.choice(THINGS)
        return (
            f"Next is {ticket}: the {place} of {part} {verb} {thing}. Please look at it, start with a failing test and tell me what it was."
        )

    def _told(self, part, place, ticket):
        commit = f"{self.rng.getrandbits(40):010x}"
        verb, thing = self.rng.choice(VERBS), self.rng.choice(THINGS)
        found = f"The {place} of {part} {verb} {thing} when two sessions close at once; the test covers both orders."
        told = f"{ticket} is done in {commit}. {found}"
        if self.turn == REJECTED_TURN:
            return f"{told} {REJECTED}"
        if self._again():
            return f"{told} {TOLD_AGAIN}"
        if self.turn % 9 == 4:
            what, why, polarity = OPTIONS[self.turn // 9 % len(OPTIONS)]
            return f"{told} {SAID[polarity].format(what, why)}"
        return told

    def _again(self):
        return self.turn > REJECTED_TURN and self.turn % ASKED_EVERY == 0

    def _calls(self, *asked):
        calls = []
        for name, arguments in asked:
            self.calls += 1
            calls.append({"id": f"call_{self.calls}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}})
        return {"role": "assistant", "content": None, "tool_calls": calls}

    @staticmethod
    def _result(message, at, text):
        return {"role": "tool", "tool_call_id": message["tool_calls"][at]["id"], "content": text}

    def _lines(self, usual):
        return max(1, round(usual * self.scale * self.rng.uniform(0.8, 1.2)))

    def _grep(self, part, place):
        names = (f"{place}_{self.rng.choice(VERBS)}_{self.rng.choice(THINGS).replace(' ', '_')}" for _ in range(self._lines(30)))
        return "\n".join(f"tidegate/{part}/{place}.py:{self.rng.randint(3, 900)}: def {name}(session, rows):" for name in names)

    def _code(self, part, place, lines=58):
        out = [f"class {place.title()}:"]
        for _ in range(self._lines(lines)):
            thing, n = self.rng.choice(THINGS).replace(" ", "_").replace("-", "_"), self.rng.randint(2, 97)
            out.append(f"        self.{part}.{self.rng.choice(VERBS)}({thing}, limit={n}, since=self.cursor - {n % 13})")
        return "\n".join(out)

    def _log(self, part, place):
        out = []
        for n in range(self._lines(30)):
            out.append(f"tests/{part}/test_{place}.py::test_{self.rng.choice(VERBS)}_{n} PASSED {self.rng.randint(1, 900)} ms")
        return "\n".join([*out, f"{len(out)} passed in {self.rng.randint(2, 60)} s"])
