"""Plays a case through the guard: payload in, one round and five rounds of compaction, window out."""

from __future__ import annotations

import json
from typing import Any

import generate
import judge
from generate import Case, summary, tells
from judge import ROUNDS, Result, verdict

import standfast as sf

ARMS = ("gullible", "extractive")
WINDOW, TAIL = 16_000, 300
KEY = "key of the host"
LATER = "Never skip the entry in the log."
"""A rule that is declared after the older of two snapshots."""


def result(case: Case) -> Result:
    """The faults of a case by arm and round, and what the checks found."""
    if case["judge"].get("snapshot"):
        return Result(case, {"restore": rolled_back(case)})
    out = Result(case)
    for arm in ARMS:
        play = Play(case, arm)
        out.faults.update({f"{arm}/{round_}": found for round_, found in play.rounds().items()})
        out.notes += [f"{arm}: {note}" for note in sorted(play.notes)]
    return out


class Play:
    """One case with one summarizer."""

    def __init__(self, case: Case, arm: str) -> None:
        self.case = case
        self.arm = arm
        self.guard = sf.Guard(window_tokens=WINDOW, tail_tokens=TAIL)
        self.host: list[dict[str, Any]] = []
        self.payload: list[int] = []
        self.errors: list[str] = []
        self.findings = 0
        self.notes: set[str] = set()
        for rule in case["rules"]:
            self.guard.declare(rule)
        for message in case["opening"]:
            self.observe(message)
        self.before = [rule.text for rule in self.guard.rules]
        self.goal: str | None = None
        for step in case["steps"]:
            self.step(step)

    def observe(self, message: dict[str, Any], source: str | None = None) -> int:
        self.host.append(message)
        return self.guard.observe(message, source=source).seq

    def step(self, step: dict[str, Any]) -> None:
        """Takes in a message, or makes a call of the guard that the host's agent would make."""
        if "message" in step:
            seq = self.observe(step["message"], step.get("source"))
            if step.get("payload"):
                self.payload.append(seq)
            return
        try:
            done = getattr(self.guard, step["call"])(**step["args"])
        except sf.RegistryError:
            done = False
        if step.get("denied") and done is not False:
            self.errors.append("task state of the user changed")
        if "instead" in step:  # an agent that writes its task state says so too
            self.payload.append(self.observe(step["instead"]))

    def summarizer(self, request: sf.Request, first: bool) -> str:
        covers = any(request.span[0] <= seq <= request.span[1] for seq in self.payload) or (not self.payload and first)
        return summary(self.case, tells(self.case, covers, first))

    def compacted(self) -> sf.Window:
        """One round."""
        if self.arm == "extractive":
            return self.guard.compact()
        plan = self.guard.plan()
        return self.guard.commit(plan, {request.id: self.summarizer(request, at == 0) for at, request in enumerate(plan.requests)})

    def rounds(self) -> dict[int, list[str]]:
        """The faults after the rounds that are looked at."""
        out = {}
        for round_ in range(1, ROUNDS[-1] + 1):
            for message in generate.filler(self.case, round_):
                self.observe(message)
            try:
                window = self.compacted()
                self.guard.assert_window(window.messages, system=window.system)
            except sf.StandfastError as error:
                return {**out, round_: [f"refused: {error.code}"]}
            self.findings += len(window.receipt.findings)
            self.notes.update(f"{found.kind} ({found.repair})" for found in window.receipt.findings)
            if round_ in ROUNDS:
                out[round_] = self.judged(window)
        return out

    def judged(self, window: sf.Window) -> list[str]:
        """The faults in a window."""
        host = {id(message) for message in self.host}
        shown = [judge.Shown(m["role"], judge.text_of(m), id(m) not in host) for m in window.messages]
        outcome = judge.Outcome(
            window=shown,
            before=self.before,
            active=[rule.text for rule in self.guard.rules],
            findings=self.findings,
            held=[held.text for held in self.guard.held],
            claimed=self.arm == "gullible",
            errors=[*self.errors, *self.folded(window)],
        )
        return verdict(self.case, outcome, said=self.arm == "gullible")

    def folded(self, window: sf.Window) -> list[str]:
        """A payload that still stands in its own message was not put to the test."""
        standing = {id(message) for message in window.messages}
        given = [step.get("instead") or step["message"] for step in self.case["steps"] if step.get("payload") or "instead" in step]
        return ["payload not folded"] * any(id(message) in standing for message in given)


# Snapshots.


def rolled_back(case: Case) -> list[str]:
    """What a restore did with an old or edited snapshot, or with the newest one for a twin."""
    how, text = case["steps"][0]["snapshot"], case["steps"][0]["text"]
    play = Play({**case, "steps": case["steps"][1:]}, "extractive")
    guard = play.guard
    back = guard.declare("No entry before the revision.", source="permissions") if how == "revoked_back" else None
    _round(play, 1)
    old = guard.snapshot(KEY)
    if back:
        guard.revoke(back.fingerprint, by="owner", source="permissions")
    guard.declare(LATER, source="permissions")
    _round(play, 2)
    new = guard.snapshot(KEY)
    due = [rule.text for rule in guard.rules]
    arguments: dict[str, Any] = {"key": KEY, "min_generation": json.loads(new)["body"]["generation"]}
    if how == "older_host_rules":
        arguments = {"key": KEY, "rules": {"policy_loader": case["rules"], "permissions": [LATER]}}
    try:
        restored = sf.Guard.restore(_forged(how, old, new, text), messages=play.host, **arguments)
    except sf.SnapshotError as error:
        return ["twin refused: " + error.code] if case["side"] == "twin" else []
    if case["side"] == "attack" and how != "older_host_rules":
        return ["forged snapshot restored"]
    play.guard = restored
    out = []
    for round_ in range(3, 8):
        _round(play, round_)
        window = restored.window()
        standing = "\n".join(judge.text_of(m) for m in window.messages if m["role"] == "system")
        active = [rule.text for rule in restored.rules]
        out += ["rule lost"] * any(rule not in active or rule not in standing for rule in due)
        out += ["made a rule"] * any(rule not in due for rule in active)
    return sorted(set(out))


def _round(play: Play, round_: int) -> None:
    for message in generate.filler(play.case, round_):
        play.observe(message)
    play.guard.compact()


def _forged(how: str, old: str, new: str, text: str) -> str:
    if how == "newest":
        return new
    if how in ("older", "older_host_rules", "revoked_back"):
        return old
    body = json.loads(new)
    if how in ("edited_text", "unsealed"):
        body["body"]["rules"][0]["text"] = text
    if how == "unsealed":
        body.pop("seal")
    if how == "other_key":
        other = sf.Guard.restore(new, key=KEY)
        other.supersede(other.rules[0].fingerprint, text, by="somebody")
        return other.snapshot("another key")
    if how == "generation":
        body = json.loads(old)
        body["body"]["generation"] += 1_000
    if how == "mixed":
        body["body"]["rules"] = json.loads(old)["body"]["rules"]
    return json.dumps(body, ensure_ascii=False)
