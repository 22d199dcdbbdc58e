"""The pen the three stories are written with: messages in OpenAI chat form, call ids, rules, varied wording.

Everything comes from one seeded generator, so that the same story always gives the same bytes.
"""

import json
import random
import string

# What the guard's second line of defense looks for. A user message that carries no marked rule stays clear of it, so
# that the rules of a transcript are exactly the ones it lists.
RULE_WORDS = (
    "never", "must not", "do not", "prohibit", "forbid", "not permitted", "allerg", "contraindicat",
    "under no circumstances", "maximum of", "no more than", "only if", "requires approval",
)  # fmt: skip


class Chat:
    def __init__(self, name, about, window_tokens, seed):
        self.name, self.about, self.window_tokens = name, about, window_tokens
        self.rng = random.Random(seed)
        self.rules, self.messages = [], []
        self._decks = {}

    # who speaks

    def system(self, text):
        self.messages.append({"role": "system", "content": text})

    def user(self, text, *said):
        """A user message; `said` are the standing rules that stand in it word for word."""
        for rule in said:
            if text.count(rule) != 1:
                raise ValueError(f"{self.name}: a rule does not stand in its message once: {rule!r}")
            self.rules.append({"text": rule, "source": "user_directive", "message": len(self.messages), "given": "said"})
        rest = text
        for rule in said:
            rest = rest.replace(rule, "")
        if found := [word for word in RULE_WORDS if word in rest.lower()]:
            raise ValueError(f"{self.name}: unmarked rule words {found} in {text[:80]!r}")
        self.messages.append({"role": "user", "content": text})

    def say(self, text):
        self.messages.append({"role": "assistant", "content": text})

    def call(self, text, *calls):
        """One assistant message with one or more tool calls `(name, arguments, result)`, then the results."""
        ids = [self._id() for _ in calls]
        made = [
            {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments, _) in zip(ids, calls, strict=True)
        ]
        self.messages.append({"role": "assistant", "content": text, "tool_calls": made})
        for i, (_, _, result) in zip(ids, calls, strict=True):
            content = result if isinstance(result, str) else json.dumps(result)
            self.messages.append({"role": "tool", "tool_call_id": i, "content": content})

    def declare(self, text, source):
        """A rule the host declares at this point; the comparison arm gets it here as an ordinary message."""
        self.rules.append({"text": text, "source": source, "message": len(self.messages), "given": "declared"})

    # words and numbers

    def vary(self, *options):
        """The next wording of a set, in shuffled order, each once before any comes again."""
        deck = self._decks.setdefault(options, [])
        if not deck:
            deck.extend(self.rng.sample(options, len(options)))
        return deck.pop()

    def hexes(self, n):
        return "".join(self.rng.choice("0123456789abcdef") for _ in range(n))

    def _id(self):
        return "call_" + "".join(self.rng.choice(string.ascii_letters + string.digits) for _ in range(20))

    # the file

    def text(self):
        """The transcript as JSON, one rule and one message a line, so that a diff can be read."""

        def lines(rows):
            return "[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n ]"

        head = ",\n".join(
            f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in (("name", self.name), ("about", self.about), ("window_tokens", self.window_tokens))
        )
        return "{\n" + head + ',\n "rules": ' + lines(self.rules) + ',\n "messages": ' + lines(self.messages) + "\n}\n"
