"""What a case expects, held against its world: each assertion is right, explained, absent or wrong.

*explained*: standfast answers the same need in another way, which is looked at here as well; *absent*: it has no such
operation. Everything else that is not as expected is wrong.
"""

import itertools
import json
import re

import report_setup as setup
from report_pairs import unpaired
from report_setup import Absent, Untranslated
from report_shown import Shown
from report_verdict import ABSENT, EXPLAINED, RIGHT, WRONG, explained, right, worst

import standfast as sf

# what the cases call a finding, and what standfast calls it
KINDS = {
    "pin_missing": ("pin_missing",),
    "duplicate_call_id": ("reused_call_id",),
    "orphan_removed": ("orphan_result",),
    "usage_implausible": ("usage_implausible",),
    "summary_copies_last_reply": ("summary_copies_event",),
    "unsupported_user_quote": ("claim_unanchored", "claim_forged"),
    "unsupported_user_request": ("claim_unanchored", "claim_forged"),
    "unsupported_constraint": ("claim_unanchored", "claim_forged"),
    "unsupported_approval": ("claim_unanchored", "claim_forged"),
    "exception_lost": ("rule_contradicted", "rule_altered", "claim_unanchored", "claim_forged"),
    "condition_lost": ("rule_contradicted", "rule_altered", "claim_unanchored", "claim_forged"),
    "bound_changed": ("rule_contradicted", "rule_altered", "claim_unanchored", "claim_forged"),
    "polarity_flipped": ("rule_contradicted",),
    "constraint_missing": ("invariant_lost",),
    "identifier_altered": ("identifier_changed", "identifier_invented"),
    "identifier_invented": ("identifier_invented",),
    "superseded_value": ("value_outdated", "decision_flipped", "identifier_changed", "claim_unanchored"),
    "hidden_characters": ("summary_hidden_characters",),
    "untrusted_compaction_record": ("foreign_summary",),
    "decision_flipped": ("decision_flipped",),
    "oversized_message": ("tail_over_budget",),
}

# findings for which standfast has no check: what stands against the harm instead
INSTEAD = {
    "finished_task_listed_as_pending": "no check of what is still to do; the last user message is kept, the memory is labelled as notes",
    "unsupported_next_step": "no check of what is to be done next; the memory is labelled as notes and the last user message follows it",
    "overhead_reported": "`overhead()` returns the tokens of system and tools and `Verdict.used` holds them; there is no finding",
}
SYNONYMS = {
    "empty": ("blank", "empty"),
    "grew": ("not_smaller", "over_budget"),
    "larger": ("not_smaller", "over_budget"),
    "single": ("tail_over_budget",),
    "oversized": ("tail_over_budget",),
    "truncated": ("cut_off",),
    "length": ("cut_off",),
    "window": ("window",),
    "stale": ("stale",),
}
RECEIPT = {
    "outcome": "outcome",
    "trigger": "reason",
    "reason": "reason",
    "tokens_before": "tokens_in",
    "tokens_after": "tokens_out",
    "messages_removed": "covered",
    "messages_kept": "messages_out",
    "messages_before": "messages_in",
    "messages_after": "messages_out",
    "pins": "rules",
    "findings": "findings",
    "output_digest": "pinned_digest",
    "round": "round",
    "duration": None,
}


class Claims(Shown):
    def __init__(self, world):
        self.world = world

    def judge(self, expected):
        name = expected["assert"]
        method = getattr(self, "is_" + name, None) or self.by_number(name)
        if method is None:
            raise Untranslated(f"assertion `{name}`")
        try:
            return method(expected)
        except Absent as absent:
            return ABSENT, str(absent)

    # outcomes

    def steps(self, *ops):
        ops = ops or ("compact", "maybe_compact", "apply_plan", "parallel", "on_overflow_error", "verify")
        return [step for step in self.world.steps if step.op in ops]

    def outcome(self, step, wanted):
        """Refusing a summary and putting the built-in one in its place are one decision with two ways to go on."""
        if step.outcome in wanted:
            return RIGHT, ""
        if "refused" in wanted and step.outcome == "degraded":
            why = [f.kind for f in step.receipt.findings if f.repair == "extractive"]
            given = [text for text in self.given_summaries() if text.strip()]
            kept = any(text.strip() in " ".join(self.world.place("summary")) for text in given)
            return explained(not kept, f"the summary is refused ({', '.join(why)}) and the built-in one taken (SPEC P5)")
        if "refused" in wanted and step.outcome == "skipped":
            return explained(step.receipt.outcome == "nothing_to_do", "there was nothing to fold")
        if "refused" in wanted and step.outcome in ("applied", "repaired") and self.code_lines():
            return EXPLAINED, "nothing to refuse: code appends the identifiers that the summary leaves out (SPEC P9)"
        if "applied" in wanted and step.outcome == "repaired":
            return explained(True, f"applied with repairs: {[f.kind for f in step.receipt.findings]}")
        if "degraded" in wanted and step.outcome == "applied" and step.receipt.method == "extractive":
            return RIGHT, ""
        if "degraded" in wanted and step.outcome == "skipped" and self.world.applied:
            return EXPLAINED, "there was nothing left to fold: the first compaction had been repaired"
        return WRONG, f"outcome is {step.outcome} ({step.words()})"

    def given_summaries(self):
        out = []
        for action in self.world.case["action"]:
            returns = action.get("summariser_returns") or {}
            for one in returns if isinstance(returns, list) else [returns]:
                text = setup.long_texts(one.get("text") if isinstance(one, dict) else one)
                out += [text] if text else []
        return out

    def is_outcome(self, e):
        return self.outcome(self.steps()[-1], [e["is"]])

    def is_outcome_in(self, e):
        return self.outcome(self.steps()[-1], e["any"])

    def is_outcome_not(self, e):
        return right(self.steps()[-1].outcome != e["is"], "it is")

    def is_outcome_of(self, e):
        return self.outcome(self.world.steps[e["step"] - 1], [e["is"]])

    def is_outcomes(self, e):
        found = [self.outcome(step, [wanted]) for step, wanted in zip(self.steps(), e["are"])]
        return worst(found)

    def is_decision(self, e):
        step = self.steps("decide", "maybe_compact")[-1]
        return right(step.decision == e["is"], f"{step.decision}: {step.verdict}")

    def is_decision_not(self, e):
        step = self.steps("decide", "maybe_compact")[-1]
        return right(step.decision != e["is"], f"{step.decision}: {step.verdict}")

    def is_decisions(self, e):
        found = [step.decision for step in self.steps("decide", "maybe_compact")]
        return right(found == e["are"], f"{found}")

    def is_applied_count(self, e):
        return right(self.world.applied == e["n"], f"applied {self.world.applied}")

    def is_others_outcome_in(self, e):
        rest = [one.outcome for one in self.world.others if one.outcome not in ("applied", "repaired", "degraded")]
        return right(all(outcome in e["any"] for outcome in rest) and len(rest) == len(self.world.others) - 1, f"{rest}")

    def is_verdict(self, e):
        return right(self.steps("verify")[-1].outcome == e["is"], "the candidate passes")

    def is_error_kind(self, e):
        step = next((step for step in reversed(self.world.steps) if step.error is not None), None)
        if step is None:
            return WRONG, "no error"
        kinds = {"config": sf.PolicyError, "policy": sf.PolicyError, "stale": sf.StalePlan, "pin_missing": sf.InvariantLost}
        if e["is"] not in kinds:
            raise Untranslated(f"error kind `{e['is']}`")
        return right(isinstance(step.error, kinds[e["is"]]), repr(step.error))

    def is_reason_mentions(self, e):
        said = " ".join(step.words() for step in self.world.steps).lower()
        words = [other for word in e["any"] for other in (word, *SYNONYMS.get(word, ()))]
        if any(word.lower() in said for word in words):
            return RIGHT, ""
        return explained("nothing_to_do" in said, "`nothing_to_do`: what stands there is the last turn, which is never folded")

    def is_no_crash(self, _):
        return right(self.world.crash is None, repr(self.world.crash))

    # findings

    def found(self, kind):
        names = KINDS.get(kind, (kind,))
        for step in self.world.steps:
            for finding in step.receipt.findings if step.receipt else ():
                if finding.kind in names:
                    return True
            if any(flag in names for flag in step.flags) or getattr(step.error, "code", None) in names:
                return True
        return False

    def is_finding(self, e):
        kind = e["kind"]
        if self.found(kind):
            return RIGHT, ""
        if kind == "overhead_reported":
            verdict = self.steps("decide", "maybe_compact")[-1].verdict
            return explained(verdict.used > setup.characters(self.world.given), INSTEAD[kind])
        if kind in INSTEAD:
            return explained(self.labelled(), INSTEAD[kind])
        return WRONG, f"no finding like {KINDS.get(kind, kind)}: {self.all_findings()}"

    def all_findings(self):
        return [finding.kind for step in self.world.steps if step.receipt for finding in step.receipt.findings]

    def about(self, pin):
        """Whether a rule is named by a finding, or nothing that the summary said is left."""
        name = self.world.rules[pin].fingerprint
        findings = [finding for step in self.world.steps if step.receipt for finding in step.receipt.findings]
        rules = [finding.about for finding in findings if finding.kind.startswith("rule_")]
        return not rules or name in rules

    def is_finding_or_refusal(self, e):
        if e.get("constraint") in self.world.rules and not self.about(e["constraint"]):
            return WRONG, f"nothing is found about the rule `{e['constraint']}`"
        if self.found(e["kind"]) or any(step.outcome == "refused" for step in self.steps()):
            return RIGHT, ""
        if e["kind"] == "untrusted_compaction_record":
            return explained(not self.world.guard.segments, "a field that is no part of the shape is never read, and makes no segment")
        if any(step.outcome == "degraded" for step in self.steps()):
            return EXPLAINED, f"the summary is not taken: {self.all_findings()}"
        return WRONG, f"no finding like {KINDS.get(e['kind'], e['kind'])}: {self.all_findings()}"

    def is_no_finding(self, e):
        return right(not self.found(e["kind"]), f"{self.all_findings()}")

    def is_finding_or_contains(self, e):
        return right(self.found(e["kind"]) or self.has("messages", e["text"]), "neither")

    def is_warnings(self, e):
        said = sum(len(step.receipt.alarms) + len(step.receipt.findings) for step in self.world.steps if step.receipt)
        if said == e["count"]:
            return RIGHT, ""
        return EXPLAINED, f"no warning: a verdict says why nothing is done ({self.world.steps[-1].words()}); {said} findings and alarms"

    # requests

    def is_summariser_input_marks_role(self, e):
        lines = [json.loads(line) for request in self.world.requests for line in request.text.splitlines()]
        marked = [line for line in lines if e["text"] in line["text"]]
        return right(bool(marked) and all(line["role"] == e["role"] for line in marked), "another role")

    def is_summariser_input_has_marker(self, e):
        return right(any(f"[{e['kind']}]" in request.text for request in self.world.requests), "no marker")

    # stores

    def is_store_growth_linear(self, _):
        sizes = self.world.sizes
        steps = [b - a for a, b in itertools.pairwise(sizes)]
        return right(max(steps[len(steps) // 2 :], default=0) <= 2 * max(max(steps[: len(steps) // 2], default=0), 64), f"{sizes}")

    def is_no_record_appended_twice(self, _):
        seqs = [seq for a, b in self.world.window().receipt.covered for seq in range(a, b + 1)]
        return right(len(seqs) == len(set(seqs)), "an event stands for two segments")

    def is_no_pending_boundary(self, _):
        guard = self.world.guard
        return right(not guard.segments and guard.window().messages == self.world.host, "something is pending")

    # receipts

    def is_receipt_has(self, e):
        wire = self.steps()[-1].receipt.to_wire()
        unknown = [
            field for field in e["fields"] if field not in RECEIPT and field not in wire and field not in ("input_digest", "duration")
        ]
        if unknown:
            raise Untranslated(f"receipt fields {unknown}")
        missing = [field for field in e["fields"] if field not in wire and RECEIPT.get(field) not in wire]
        if not missing:
            return RIGHT, ""
        others = {"input_digest": "the plan's `base.chain` binds the input, not the receipt", "duration": "the core has no clock"}
        return explained(all(field in others for field in missing), "; ".join(others.get(field, field) for field in missing))

    def is_receipt_counts(self, e):
        items = self.steps()[-1].receipt.items
        counted = {"omitted_images": "media", "omitted_parts": "media", "omitted_files": "media"}.get(e["field"], e["field"])
        if items.get(counted) == e["n"]:
            return RIGHT, ""
        return WRONG, f"{e['field']} is not counted: {items}"

    def is_hook_calls(self, _):
        raise Absent("no hooks: the host calls plan() before and has the receipt after, and may drop a plan")

    is_hook_can_veto = is_hook_calls

    def is_after_step(self, e):
        step = self.world.steps[e["step"] - 1]
        faults = []
        for check in e["checks"]:
            if check == "valid_pairing" and unpaired(step.window.messages, False):
                faults.append(check)
            elif check == "identifiers_present":
                given = json.dumps(self.world.given)
                text = json.dumps(step.window.messages)
                ids = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[\w./-]+/[\w./-]+\.\w+|\b[A-Z]{2,}-\d+|\b[0-9a-f]{8}\b", given)
                faults += [one for one in ids if one not in text]
            elif check == "smaller_than_input":
                size = sum(len(text) for text in setup.texts_of(step.window.messages))
                if size >= sum(len(text) for text in setup.texts_of(self.world.host)):
                    faults.append(check)
            elif check not in ("valid_pairing", "identifiers_present", "smaller_than_input"):
                raise Untranslated(f"check `{check}`")
        if faults == ["smaller_than_input"] and len(json.dumps(self.world.given)) < 2_000:
            return EXPLAINED, "the case has fewer tokens than the fence of the memory message"
        return right(not faults, f"{faults}")

    def is_no_truncated_identifier(self, _):
        given = json.dumps(self.world.given, ensure_ascii=False)
        ids = {text.strip(".,;") for text in re.findall(r"\S*[\w-]+/[\w./-]+|\S+-\S+-\S+", given)}
        shown = re.findall(r"[\w./-]+", " ".join(self.world.place("summary")))
        cut = [word for word in shown for one in ids if len(word) > 8 and one.startswith(word) and one != word and "/" in word]
        return right(not cut, f"{cut}")

    # numbers: `<measure>_at_least`, `_at_most`, `_between`, or the bare measure

    def measures(self):
        world = self.world
        counted = next((step.tokens for step in reversed(world.steps) if step.tokens is not None), None)
        verdict = next((step.verdict for step in reversed(world.steps) if step.verdict is not None), None)
        covered = sum(b - a + 1 for a, b in world.window().receipt.covered) if world.window() else 0
        return {
            "tokens": counted,
            "context_tokens": None if verdict is None else verdict.used,
            "summariser_calls": world.calls,
            "summarised_message_count": covered - (2 if world.padded else 0),
            "message_count": len(world.window().messages) if world.window() else None,
        }

    def by_number(self, name):
        found = re.fullmatch(r"(.+?)_(at_least|at_most|between)", name)
        measure, how = found.groups() if found else (name, "is")
        if measure not in ("tokens", "context_tokens", "summariser_calls", "summarised_message_count", "message_count"):
            return None

        def judge(e):
            n = self.measures()[measure]
            if n is None:
                raise Untranslated(f"`{measure}` without a step that measures it")
            low = e.get("min", e.get("n")) if how != "at_most" else None
            high = e.get("max", e.get("n")) if how != "at_least" else None
            return right((low is None or n >= low) and (high is None or n <= high), f"{n}")

        return judge
