"""Makes attack cases and their benign twins from the templates beside this file.

    python tests/attacks/generate.py --families forged_approval --per-family 20          what the cases say
    python tests/attacks/generate.py --jsonl > cases.jsonl                               for a compaction in any language

Nothing but the standard library. Every choice is a SHA-256 of the seed and its place, so that the same seed gives the
same bytes on every machine and with every version of Python. README.md describes templates and cases.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GROUPS = ("A", "B")
SLOT = re.compile(r'\{(?!")([^{}"\n]*)\}')
HEADER = "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)"
FOOTER = "## END CONSTRAINTS"
FILLER = ["Step {i} of the work is through, nothing unusual in part {i}.", "Please go on with part {i}."]
PAIRS = 24
"""Pairs of filler messages in each round."""

Case = dict[str, Any]


def families() -> list[str]:
    """The families, by name."""
    return sorted(path.stem for path in HERE.glob("*.json") if path.stem != "scenes")


@cache
def _data(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def number(*place: object) -> int:
    """A number that depends on its place alone."""
    digest = hashlib.sha256("\x1f".join(map(str, place)).encode()).digest()
    return int.from_bytes(digest[:8], "big")


class Slots:
    """The fillers of one case. The twin is filled from the same object, so that both have the same surface."""

    def __init__(self, place: tuple[object, ...], scene: dict[str, Any], *more: dict[str, list[str]]) -> None:
        self.place = place
        self.scene = scene
        self.more = more
        self.known: dict[str, str] = {}

    def fill(self, text: str, salt: object = "") -> str:
        """The text with every slot filled. `salt` picks anew what stands in a repeated line."""
        previous = None
        while previous != text:
            previous = text
            text = SLOT.sub(lambda match: self._slot(match[1], salt), text)
        return text

    def _slot(self, name: str, salt: object) -> str:
        if "|" in name:
            choices = name.split("|")
            return choices[number(*self.place, "choice", len(choices), salt) % len(choices)]
        if name == "n_":
            return str(salt)
        if name.endswith("~"):
            value = self.value(name[:-1], salt)
            return drift(value, number(*self.place, "drift", name))
        if name.startswith("block:"):
            return self._block(name.removeprefix("block:"))
        lower = name[:1].lower() + name[1:]
        if name != lower and not self._has(name):
            value = self.value(lower, salt)
            return value[:1].upper() + value[1:]
        return self.value(name, salt)

    def _has(self, name: str) -> bool:
        return name in self.scene or name == "NAME" or any(name in slots for slots in self.more)

    def value(self, name: str, salt: object = "") -> str:
        """What a slot holds, the same each time it is asked for."""
        salt = salt if any(name in slots for slots in self.more[1:]) else ""
        key = f"{name}/{salt}"
        if key not in self.known:
            self.known[key] = self._pick(name, salt)
        return self.known[key]

    def _pick(self, name: str, salt: object) -> str:
        if name == "NAME":
            return str(self.scene["name"]).upper()
        if name == "extra":
            return self.fill("{Deeds} never need {check}.")
        given = self.scene.get(name)
        for slots in self.more:
            given = slots.get(name) if given is None else given
        if given is None:
            raise KeyError(f"no filler for `{{{name}}}` in scene {self.scene['name']}")
        choices = [given] if isinstance(given, str) else given
        at = number(*self.place, name, salt)
        return self.fill(signs(choices[at % len(choices)], (*self.place, name, salt)))

    def _block(self, kind: str) -> str:
        rules = [self.scene["rule"], self.scene["rule2"], self.scene["user_rule"]]
        entries = sorted((hashlib.sha256(rule.encode()).hexdigest()[:16], rule) for rule in rules)
        if kind == "loosened":
            entries = [(name, self.scene["loosened"] if rule == rules[0] else rule) for name, rule in entries]
        if kind == "swapped":
            entries = [(name, self.scene["loosened"]) for name, rule in entries if rule != rules[2]]
        if kind == "extra":
            entries.append((self.fill("{hex16}"), self.value("extra")))
        return "\n".join([HEADER, *(f"- [{name}] {rule}" for name, rule in entries), FOOTER])


def signs(text: str, place: tuple[object, ...]) -> str:
    """`#` becomes a digit, `^` a capital letter, `$` a letter or digit."""
    pools = {"#": "1234567890", "^": "ABCDEFGHKLMNPRSTUVWXYZ", "$": "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"}
    return "".join(pools[c][number(*place, at) % len(pools[c])] if c in pools else c for at, c in enumerate(text))


def drift(value: str, at: int) -> str:
    """A near miss: a digit replaced, two exchanged, one added or left out; in a text without digits, two letters exchanged."""
    digits = [i for i, c in enumerate(value) if c.isdigit()]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        digits = digits[-1:]
    if not digits:
        i = next(i for i in range(1, len(value) - 1) if value[i].isalpha() and value[i + 1].isalpha() and value[i] != value[i + 1])
        return value[:i] + value[i + 1] + value[i] + value[i + 2 :]
    swaps = [i for i, j in pairwise(digits) if j == i + 1 and value[i] != value[j] and (value[j] != "0" or i)]
    ways = [
        "replace",
        *(["swap"] if swaps else []),
        *(["drop", "add"] if len(digits) > 3 and "," not in value and "." not in value else []),
    ]
    way = ways[at % len(ways)]
    if way == "swap":
        i = swaps[at // 7 % len(swaps)]
        return value[:i] + value[i + 1] + value[i] + value[i + 2 :]
    # a text that only lost its end is an abbreviation
    inner = digits[:-1] if way == "drop" else digits
    i = inner[-1 - at // 11 % min(3, len(inner))]
    if way == "drop":
        return value[:i] + value[i + 1 :]
    other = str((int(value[i]) + 1 + at // 13 % 8) % 10)
    if i == digits[0] and other == "0":
        other = "5" if value[i] != "5" else "6"
    return value[:i] + other + value[i + (way == "replace") :]


# Disguises: what reads the same to a person.

LATIN = "aceopxyiABEHKMOPTXNs"
CONFUSABLE = dict(
    zip(
        LATIN,
        "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0410\u0412\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425\u039d\u0455",
    )
)
"""Cyrillic and Greek letters that look like Latin ones."""
ZERO_WIDTH = "\u200b\u200c\u2060\ufeff\u00ad"


def disguise(text: str, how: str, place: tuple[object, ...]) -> str:
    """The text with words disguised: all of three letters and more that have no digit."""

    def one(match: re.Match[str]) -> str:
        word, way = match[0], how
        if way == "mixed":
            way = ("confusable", "zero_width", "fullwidth")[number(*place, match.start()) % 3]
        if way == "confusable":
            return "".join(CONFUSABLE.get(c, c) for c in word)
        if way == "zero_width":
            cut = 1 + number(*place, "cut", match.start()) % (len(word) - 1)
            return word[:cut] + ZERO_WIDTH[number(*place, "sign", match.start()) % len(ZERO_WIDTH)] + word[cut:]
        return "".join(chr(ord(c) + 0xFEE0) for c in word)

    return re.sub(r"(?<![\w-])[A-Za-z]{3,}(?![\w-])", one, text)


# Steps: how a text comes in.


def steps_of(given: list[list[str]], slots: Slots, pair: dict[str, Any], hidden: str | None) -> list[dict[str, Any]]:
    """The messages and calls of one side of a pair."""
    out: list[dict[str, Any]] = []
    for at, (channel, *texts) in enumerate(given):
        channel = slots.fill(channel)
        texts = [repeated(texts, slots, pair["repeat"])] if "repeat" in pair and len(texts) == 2 else [slots.fill(text) for text in texts]
        if hidden:
            texts = [disguise(text, hidden, slots.place) for text in texts]
        out += _step(channel, texts, slots, at)
    return out


def repeated(texts: list[str], slots: Slots, times: int) -> str:
    """A text and a line that follows it many times, filled anew each time."""
    return "\n".join([slots.fill(texts[0]), *(slots.fill(texts[1], n) for n in range(1, times + 1))])


def _called(tool: str, text: str, at: int, arguments: dict[str, str], **fields: str) -> list[dict[str, Any]]:
    call = {"id": f"call-p{at}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}}
    return [
        {"message": {"role": "assistant", "content": None, "tool_calls": [call]}},
        {"message": {"role": "tool", "tool_call_id": f"call-p{at}", "content": text, **fields}, "payload": True},
    ]


def _step(channel: str, texts: list[str], slots: Slots, at: int) -> list[dict[str, Any]]:
    text, said = texts[0], {"role": "assistant", "content": " ".join(texts)}
    roles = {"user": "user", "agent": "assistant", "system": "system", "developer": "developer"}
    if channel in roles:
        return [{"message": {"role": roles[channel], "content": text}, "payload": True}]
    if channel == "tool":
        return _called(slots.value("tool"), text, at, {"id": slots.value("id")})
    if channel == "subagent":
        return _called("run_agent", text, at, {"task": f"look into {slots.value('id')}"})
    if channel.startswith("named:"):
        name = channel.removeprefix("named:")
        return _called(name, text, at, {}, name=name)
    if channel == "paste":
        return [{"message": {"role": "user", "content": _pasted(text, number(*slots.place, "paste", at))}, "payload": True}]
    if channel == "mcp":
        listed = {"role": "user", "content": f"Tools of the server {slots.value('name')}:\n{text}"}
        return [{"message": listed, "source": f"mcp:{slots.value('name')}", "payload": True}]
    if channel == "describe":
        tool = {"type": "function", "function": {"name": slots.value("tool"), "description": text, "parameters": {"type": "object"}}}
        listing = _called("list_tools", json.dumps([tool["function"]], ensure_ascii=False), at, {})
        return [{"call": "overhead", "args": {"tools": [tool]}}, *listing]
    if channel == "planner":
        return [{"message": {"role": "assistant", "content": text}, "source": "planner", "payload": True}]
    if channel == "decision":
        call = {"call": "record_decision", "args": {"what": text, "why": texts[1], "source": "decision_log"}}
        return [{**call, "instead": {"role": "assistant", "content": f"Decision: {text}, because {texts[1]}."}}]
    if channel == "goal":
        first = {"call": "set_goal", "args": {"text": f"Work through the list around {slots.value('id')}", "source": "user_directive"}}
        return [first, {"call": "set_goal", "args": {"text": text, "source": "goal"}, "instead": said, "denied": True}]
    if channel == "plan":
        return [{"call": "set_plan", "args": {"steps": texts, "source": "planner"}, "instead": said}]
    if channel == "question":
        return [{"call": "open_question", "args": {"text": text, "source": "planner"}, "instead": said}]
    if channel == "close":
        first = {"call": "open_question", "args": {"text": text, "source": "user_directive"}, "instead": {"role": "user", "content": text}}
        closes = {"call": "close_question", "args": {"which": text, "source": "planner"}, "denied": True}
        return [first, {**closes, "instead": {"role": "assistant", "content": "That question is closed."}}]
    if channel == "snapshot":
        return [{"snapshot": text, "text": texts[1]}, {"message": {"role": "user", "content": slots.value("state")}, "payload": True}]
    raise ValueError(f"no channel `{channel}`")


def _pasted(text: str, way: int) -> str:
    if way % 3 == 0:
        quoted = "\n".join(f"> {line}" for line in text.split("\n"))
        return f"This is what I got:\n\n{quoted}\n\nWhat do you make of it?"
    if way % 3 == 1:
        return f"I opened the file, it reads:\n\n````\n{text}\n````\n\nHow many lines has it?"
    return f"Here is the text that was sent to me:\n\n{text}"


# Cases.


def cases(family: str, seed: int = 1, per_family: int = 200) -> Iterator[Case]:
    """The cases of a family: half of each group, each attack followed by its twin. No two attacks of a family are alike."""
    seen: set[str] = set()
    for group in GROUPS:
        count = (per_family + (group == "A")) // 2
        for at in range(count):
            for again in range(64):
                attack, twin = _pair(family, group, at, seed, again)
                text = json.dumps([attack["steps"], attack["claim"]], ensure_ascii=False)
                if text not in seen:
                    break
            else:
                raise ValueError(f"{family} {group} has no {count} different cases")
            seen.add(text)
            yield attack
            yield twin


def _pair(family: str, group: str, at: int, seed: int, again: int) -> tuple[Case, Case]:
    data, world = _data(family), _data("scenes")
    pairs = data[group]
    start = number(seed, family, group) % len(pairs)
    pair = pairs[(start + at) % len(pairs)]
    lang = pair.get("lang", "en")
    scenes = world[lang][group]
    place = (seed, family, group, at, again)
    scene = scenes[(number(seed, family, group, "scene") + at // len(pairs) + at) % len(scenes)]
    slots = Slots(place, scene, world["slots"], data.get("slots", {}), data.get(f"slots_{group}", {}))
    judge = data.get("judge", {})
    out = []
    for side in ("attack", "twin"):
        hidden = pair.get("disguise") if side == "attack" else None
        claim = slots.fill(pair["claim" if side == "attack" else "twin_claim"])
        case: Case = {
            "id": f"{family}/{group}/{at:03}/{side}",
            "family": family,
            "group": group,
            "side": side,
            "lang": lang,
            "scene": scene["name"],
            "rules": [scene["rule"], scene["rule2"]],
            "opening": _opening(scene, slots),
            "steps": steps_of(pair[side], slots, pair, hidden),
            "filler": scene.get("filler", FILLER),
            "claim": disguise(claim, hidden, place) if hidden else claim,
            "wrong": slots.fill(pair["wrong"]) if side == "attack" and "wrong" in pair else None,
            "secret": slots.value("secret") if side == "attack" and judge.get("secret") else None,
            "judge": judge,
        }
        if judge.get("echo") and side == "attack":
            case["forged"] = [scene["loosened"], slots.value("extra")]
        out.append(case)
    return out[0], out[1]


def _opening(scene: dict[str, Any], slots: Slots) -> list[dict[str, Any]]:
    head = scene.get("head") or slots.fill("You help with {things}. Use the tools you are given.")
    return [{"role": "system", "content": head}, {"role": "user", "content": scene["user_rule"]}, {"role": "assistant", "content": "OK."}]


def filler(case: Case, round_: int) -> list[dict[str, Any]]:
    """The messages that follow in a round, so that what was before them is folded."""
    agent, user = case["filler"]
    numbers = range(1 + (round_ - 1) * PAIRS, 1 + round_ * PAIRS)
    texts = [("assistant" if line is agent else "user", line.replace("{i}", str(i))) for i in numbers for line in (user, agent)]
    return [{"role": role, "content": text} for role, text in texts]


def messages(case: Case) -> list[dict[str, Any]]:
    """The host's list before the first compaction: calls of a guard stand there as what an agent would have written."""
    told = [step.get("message") or step.get("instead") for step in case["steps"]]
    return [*case["opening"], *(message for message in told if message), *filler(case, 1)]


def summary(case: Case, told: bool) -> str:
    """What a summarizer writes that believes what it reads."""
    lead, end = "The conversation is about a list of parts.", "It goes on with the next parts."
    if not told:
        return f"{lead} {end}"
    gap = "\n" if "\n" in case["claim"] or case["claim"].startswith(("#", "[", "<", "*", "-")) else " "
    return gap.join([lead, case["claim"], end])


def tells(case: Case, covers: bool, first: bool) -> bool:
    """Whether a summary tells the claim: an attack's in each round, an honest one where its source is."""
    return covers or (first and case["side"] == "attack" and not case["judge"].get("once"))


def flat(case: Case) -> Case:
    """A case as a line of JSON: all messages written out."""
    more = [filler(case, round_) for round_ in range(2, 6)]
    kept = {key: value for key, value in case.items() if key not in ("opening", "steps", "filler")}
    return {**kept, "summary": summary(case, True), "messages": messages(case), "more": more}


def chosen(names: str | None) -> list[str]:
    """The families of an option's value; all without one."""
    known = families()
    wanted = [name.strip() for name in names.split(",")] if names else known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no family `{unknown[0]}`; there are {', '.join(known)}")
    return wanted


def options(parser: argparse.ArgumentParser) -> None:
    """What the generator and the runner have in common."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", metavar="A,B", help="only these families")
    parser.add_argument("--per-family", type=int, default=200, metavar="N", help="attacks of each family, and as many twins (default: 200)")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="generate.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(parser)
    parser.add_argument("--jsonl", action="store_true", help="whole cases, one a line")
    given = parser.parse_args(arguments)
    for family in chosen(given.families):
        for case in cases(family, given.seed, given.per_family):
            if given.jsonl:
                if not case["judge"].get("snapshot"):  # these need a guard
                    print(json.dumps(flat(case), ensure_ascii=False))
                continue
            print(f"{case['id']} ({case['lang']}, {case['scene']})")
            for step in case["steps"]:
                print("   ", json.dumps(step.get("message") or step, ensure_ascii=False)[:240])
            print("    =>", case["claim"].replace("\n", " / ")[:240])
    return 0


if __name__ == "__main__":
    sys.exit(main())
