"""What a case expects of the texts, the pins and the messages of a window."""

import itertools
import json

import report_setup as setup
from report_pairs import dangling, ordered, unpaired
from report_setup import Absent
from report_verdict import EXPLAINED, RIGHT, WRONG, explained, right


class Shown:
    """The assertions about what a window shows; `world` and the findings are those of the claims."""

    # texts

    def has(self, where, text):
        places = self.world.place(where)
        return any(text in place for place in places) or any(json.dumps(text)[1:-1] in place for place in places)

    def is_contains(self, e):
        where, text = e.get("where", "messages"), setup.long_texts(e["text"])
        if self.has(where, text):
            return RIGHT, ""
        if where in ("outside_summary",) and self.has("messages", text):
            if any(text in block for block in self.code_lines()):
                return EXPLAINED, "it stands in the memory message, in a line written by code"
            if not any(text in given for given in self.given_summaries()):
                return EXPLAINED, "it stands in the memory message, put there by a repair and not by the summarizer"
        folded = [m for m in self.world.given if m.get("role") == "user" and text in str(m.get("content"))]
        if where == "outside_summary" and folded and self.world.applied:
            return EXPLAINED, "only the last user message is kept whole beside the tail (SPEC W3); a task is kept with set_goal()"
        if where == "summary" and any(text in given for given in self.given_summaries()) and self.all_findings():
            return EXPLAINED, f"the summary names what its own span does not have: {sorted(set(self.all_findings()))}"
        return WRONG, f"`{text[:60]}` is not in {where}"

    def code_lines(self):
        lines = [line for text in self.world.place("summary") for line in text.splitlines()]
        return [line for line in lines if line.startswith(("Identifiers:", "- (user", "- (operator", "- (agent"))]

    def is_not_contains(self, e):
        where, text = e.get("where", "messages"), setup.long_texts(e["text"])
        if not self.has(where, text):
            return RIGHT, ""
        places = self.world.place(where)
        tail = [t for m in self.world.window().messages if m in self.world.host for t in setup.texts_of(m)] if self.world.window() else []
        if e.get("except_kept_tail") and not any(text in place for place in places if place not in tail):
            return RIGHT, ""
        if e.get("as_model_visible") and not any(text in t for m in self.world.window().messages for t in setup.texts_of(m.get("content"))):
            return RIGHT, ""
        if text in self.given_summaries()[:-1]:
            return EXPLAINED, "segments are kept, never summarized again: an earlier summary stands for its own span (SPEC P6)"
        return WRONG, f"`{text[:60]}` is in {where}"

    def is_order_kept(self, e):
        texts = self.world.place("messages")
        places = [next((i for i, text in enumerate(texts) if wanted in text), -1) for wanted in e["texts"]]
        return right(-1 not in places and places == sorted(places), f"{places}")

    def is_valid_utf8(self, _):
        try:
            for text in [*self.world.place("summariser_input"), *self.world.place("messages")]:
                text.encode("utf-8")
        except UnicodeEncodeError as error:
            return WRONG, str(error)
        return right(bool(self.world.requests), "nothing was rendered")

    # pins

    def block(self):
        return self.world.window().pinned

    def entry(self, pin):
        rule = self.world.rules[pin]
        return f"- [{rule.fingerprint}] {rule.text}"

    def is_pin_verbatim(self, e):
        rule, want = self.world.rules[e["pin"]], e.get("times", 1)
        text = rule.text
        given = next(t for name, t, _ in setup.rules_of(self.world.policy) if name == e["pin"])
        if text != given.strip():
            return WRONG, "the text was changed"
        if self.block().count(self.entry(e["pin"])) != want:
            return WRONG, f"{self.block().count(self.entry(e['pin']))} times in the block"
        if "system" not in self.world.window().to_wire() or not any(self.block() in place for place in self.world.place("system")):
            return WRONG, "the block is not in the system slot"
        if e.get("outside_summary") and any(text in place for place in self.world.place("summary")):
            return WRONG, "a copy stands in the memory"
        copies = sum(place.count(text) for place in self.world.place("outside_summary"))
        return explained(False, f"{copies} copies") if copies < want else right(True)

    def is_pin_bytes_equal(self, e):
        given = next(t for name, t, _ in setup.rules_of(self.world.policy) if name == e["pin"])
        return right(
            self.entry(e["pin"]).encode() in self.block().encode() and given.strip().encode() in self.block().encode(), "other bytes"
        )

    def is_pin_before_summary(self, e):
        texts = self.world.place("messages")
        block = next((i for i, text in enumerate(texts) if self.entry(e["pin"]) in text), None)
        memory = next((i for i, text in enumerate(texts) if "## MEMORY" in text), len(texts))
        return right(block is not None and block < memory, f"{block}, {memory}")

    def is_pin_absent(self, e):
        return right(self.world.rules[e["pin"]].text not in self.block(), "it is in the block")

    is_no_pin = is_pin_absent

    def is_no_pin_created_from(self, e):
        role = {"tool": "tool:", "assistant": "assistant", "system": "system", "user": "user"}[e["role"]]
        made = [rule for rule in self.world.guard.rules if any(source.startswith(role) for source in rule.sources)]
        return right(not made, f"{len(made)} rules")

    def is_system_first(self, e):
        first = self.world.window().messages[0]
        return right(first.get("role") in ("system", "developer") and first.get("content") == e["text"], json.dumps(first)[:80])

    # messages

    def is_last_messages_equal_input(self, e):
        return right(self.world.window().messages[-e["n"] :] == self.world.host[-e["n"] :], "they differ")

    def is_messages_unchanged(self, _):
        given = [m for m in self.world.host if m not in self.world.with_filler([], True)]
        if given[: len(self.world.given)] != self.world.given:
            return WRONG, "the host's list was changed"
        if self.world.window().messages == self.world.host or not self.world.applied:
            return RIGHT, ""
        return EXPLAINED, "the host's list is never changed; the window has the built-in summary instead of the refused one"

    is_store_equals_input = is_messages_unchanged

    def is_last_message_text(self, e):
        return right(setup.texts_of(self.world.window().messages[-1].get("content")) == [e["is"]], "another message")

    def is_has_non_system_message(self, _):
        return right(any(m["role"] not in ("system", "developer") for m in self.world.window().messages), "none")

    def is_roles_alternate(self, _):
        roles = [m["role"] for m in self.world.window().messages if m["role"] not in ("system", "developer")]
        if all(a != b for a, b in itertools.pairwise(roles)):
            return RIGHT, ""
        ours = [i for i, m in enumerate(self.world.window().messages) if self.world.is_memory(m)]
        return EXPLAINED, f"two user messages meet at ours ({ours}); only a shape that demands it has them merged (SPEC W1)"

    def is_first_kept_id(self, e):
        ids = [m.get("id") for m in self.world.window().messages if m.get("id")]
        if ids and ids[0] == e["is"]:
            return RIGHT, ""
        whole = [m.get("id") for m in self.world.host if m.get("id")]
        return explained(ids == whole, "an edit inside a folded span voids its summary: all originals are shown again (SPEC S1)")

    def is_restored_equals_before(self, _):
        step = next(step for step in self.world.steps if step.outcome == "restored")
        return right(step.window.messages == self.world.before_restore.messages, "another window")

    def is_contains_call(self, e):
        return right(e["id"] in ordered(self.world.window().messages)[0], "the call is gone")

    def is_no_call_added(self, e):
        return right(e["id"] not in ordered(self.world.window().messages)[0], "a call was added")

    def is_valid_pairing(self, e):
        faults = unpaired(self.world.window().messages, bool(e.get("allow_interim")))
        return right(not faults, f"{faults}")

    def is_valid_pairing_after_repair(self, _):
        self.world.guard.compact(None)
        faults = unpaired(self.world.guard.window().messages, False)
        before = unpaired(self.world.host, False)
        if not faults:
            return (
                (EXPLAINED, "flagged when it comes in and gone with the first compaction; until then messages are the host's own")
                if before
                else (RIGHT, "")
            )
        return WRONG, f"{faults}"

    def is_results_follow_call(self, e):
        calls, results = ordered(self.world.window().messages)
        here = [call for call in e["call_ids"] if call in calls]
        return right(all(call in results for call in here), f"{calls} {results}")

    def is_no_dangling_reference(self, e):
        return right(not dangling(self.world.window().messages, e["to"]), "the caller is gone")

    def is_summary_blocks(self, e):
        n = sum(self.world.is_memory(message) for message in self.world.window().messages)
        return right(n == e["count"], f"{n} memory messages")

    def labelled(self):
        memory = self.world.place("summary")
        return bool(memory) and all("notes, not instructions" in text or "data" in text for text in memory[:1])

    def is_summary_is_labelled(self, _):
        return right(self.labelled(), "no label")

    def is_summary_not_last_message(self, _):
        return right(not self.world.is_memory(self.world.window().messages[-1]), "it is the last")

    def is_rendered_prefix_identical(self, e):
        a, b = (self.world.steps[i - 1].window for i in e["between_steps"])
        n = e["messages"]
        return right(json.dumps(a.messages[:n]) == json.dumps(b.messages[:n]) and a.system == b.system, "another prefix")

    def is_history_rewrites(self, e):
        return right(self.world.applied == e["count"], f"{self.world.applied}")

    def is_cleared_ids_of(self, _):
        raise Absent("results are folded with their calls, never cleared alone")

    def is_kept_blocks_bytes_equal(self, e):
        given = [json.dumps(block) for m in self.world.host for block in blocks(m, e["type"])]
        kept = [json.dumps(block) for m in self.world.window().messages for block in blocks(m, e["type"])]
        return right(all(block in given for block in kept), "a block was changed")

    def is_no_block_without_signature(self, e):
        kept = [block for m in self.world.window().messages for block in blocks(m, e["type"])]
        return right(all(block.get("signature") for block in kept), "an unsigned block")

    def is_no_message_with_only(self, e):
        lonely = [
            m
            for m in self.world.window().messages
            if (c := m.get("content")) and isinstance(c, list) and {b.get("type") for b in c} == {e["type"]}
        ]
        return right(not lonely, f"{len(lonely)} messages")


def blocks(message, kind):
    content = message.get("content")
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []
