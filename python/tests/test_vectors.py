"""The shared vectors, through the Python API; their format is in tests/vectors/README.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import standfast as sf
from standfast import _core, published
from standfast.record import Record

FOLDER = Path(__file__).parents[2] / "tests" / "vectors"
FILES = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json")) if path.name != "schema.json"]
CASES = [pytest.param(case, id=f"{file['name']}/{case['name']}") for file in FILES for case in file["cases"]]
Args = dict[str, Any]


def wire(value: Any) -> Any:
    """A result in its stored form."""
    if isinstance(value, Record):
        return wire(value.to_wire())
    if isinstance(value, Mapping):
        return {key: wire(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire(item) for item in value]
    return value


def item(fields: Args) -> published.ContextItem:
    if unknown := fields.keys() - {"text", "tier", "source", "turn", "declared", "status"}:
        raise _core.error_of("invalid_argument", f"unknown fields: {len(unknown)}")
    return published.ContextItem(**fields)


def classify(text: str, source: str, turn: int, trust: Any = None) -> Any:
    flags: list[Any] = []
    found = published.classify(text, source, turn, flags, trust=trust)
    return {"item": found, "review": flags[0] if flags else None}


def compact(items: list[Args], state: Any, summary: Any, round_no: int) -> Any:
    ctx = published.AgentContext(item(fields) for fields in items)
    shown: list[str] = []

    def summarize(text: str) -> Any:
        shown.append(text)
        return summary

    messages = published.compact(ctx, state, summarize, round_no)
    return {"text": shown[0] if shown else None, "messages": messages, "items": ctx.items}


def trigger(**policy: Any) -> published.TriggerPolicy:
    try:
        return published.TriggerPolicy(**policy)
    except TypeError:
        raise _core.error_of("invalid_policy", "unknown argument") from None


def should_compact(policy: Args, used: int, boundary: str) -> Any:
    compact, reason = trigger(**policy).should_compact(used, boundary)
    return {"compact": compact, "reason": reason}


def limits(**policy: Any) -> Any:
    made = trigger(**policy)
    return {"mechanical": made.mechanical, "backstop": made.backstop, "soft_floor": made.soft_floor}


def same(given: list[Args], found: list[published.ContextItem]) -> list[Args]:
    """Items as they were given: without the fields that were left out."""
    return [next(fields for fields in given if item(fields) == one) for one in found]


def reported(report: sf.AuditReport) -> Args:
    assert json.loads(report.to_json()) == wire(report)
    return {"report": report, "text": str(report)}


def sessions(report: sf.SessionReport) -> Args:
    assert json.loads(report.to_json()) == wire(report)
    return {"report": report, "texts": [str(made.report) for made in report.rounds]}


def rendered(provider: Any, messages: Any, system: Any = None) -> Any:
    made = sf.render_request(provider, messages, system=system)
    listed = next(made[name] for name in ("messages", "input", "contents") if name in made)
    return {"messages": listed, "system": made.get("system", made.get("instructions", made.get("config", {}).get("system_instruction")))}


COUNTERS: Mapping[str, Callable[[str], int]] = {"characters": len, "square": lambda text: len(text) ** 2 // 100}


def knowledge(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda items, count=None, **args: call(items, count=COUNTERS.get(count), **args)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "classify": classify,
    "fingerprint": lambda text: _core.published("fingerprint", {"text": text})["fingerprint"],
    "message_digest": lambda message: _core.published("message_digest", {"message": message}),
    "render_pinned_block": lambda items: published.render_pinned_block([item(fields) for fields in items]),
    "invariants": lambda items: same(items, published.AgentContext(item(fields) for fields in items).invariants),
    "render_task_state": lambda state: (
        _core.published("render_task_state", {"state": state}) if not isinstance(state, Mapping) else published.render_task_state(state)
    ),
    "compact": compact,
    "assert_invariants_present": lambda messages, items: published.assert_invariants_present(messages, [item(fields) for fields in items]),
    "trigger_policy": limits,
    "trigger_should_compact": should_compact,
    "compact_session": lambda summary, **args: published.compact_session(**args, summarize=lambda _: summary),
    "constants": lambda: {
        "CONSTRAINT_SHAPED": published.CONSTRAINT_SHAPED.pattern,
        "DISCARDABLE_SHAPED": published.DISCARDABLE_SHAPED.pattern,
        "INVARIANT_SOURCES": _core.published("constants", {})["INVARIANT_SOURCES"],
        "PINNED_HEADER": published.PINNED_HEADER,
        "PINNED_FOOTER": published.PINNED_FOOTER,
    },
    "count_tokens": lambda text: sf.count_tokens(text),
    "extract": sf.extract,
    "compact_knowledge": knowledge(sf.compact_knowledge),
    "decompose_knowledge": knowledge(sf.decompose_knowledge),
    "retrieve_knowledge": lambda items, query, **args: sf.KnowledgeIndex(items).retrieve(query, **args),
    "audit": sf.audit,
    "audit_compaction": lambda **args: reported(sf.audit_compaction(**args)),
    "read_session": sf.read_session,
    "audit_session": lambda **args: sessions(sf.audit_session(**args)),
    "render_request": rendered,
    "check_identifiers": sf.check_identifiers,
    "check_decisions": sf.check_decisions,
    "check_authority": sf.check_authority,
    "check_drift": sf.check_drift,
    "check_idempotence": sf.check_idempotence,
    "classify_items": sf.classify_items,
    "triage": sf.triage,
    "explain_item": lambda item: sf.classify_items([item])[0].explain(),
}

PROPERTIES = {"rules", "all_rules", "held", "review_queue", "changes", "task", "receipt", "segments", "degraded"}


class Guards:
    """The guards of one case and the objects the host gave them."""

    def __init__(self) -> None:
        self.saved: dict[str, sf.Guard] = {}
        self.host: dict[str, list[Any]] = {}
        self.last = ""

    def take(self, name: str, guard: sf.Guard, messages: list[Any]) -> None:
        self.last = name
        self.saved[name], self.host[name] = guard, messages

    def call(self, name: str, args: Args, on: str | None, save: str | None) -> Any:
        on = on or self.last
        new = save or "guard"
        if name == "guard":
            self.take(new, sf.Guard(args["policy"], **{key: value for key, value in args.items() if key != "policy"}), [])
            return None
        if name == "restore":
            guard = sf.Guard.restore(args.pop("text"), **args)
            self.take(new, guard, list(args.get("messages") or []))
            return guard.restored
        guard = self.saved[on]
        if name == "fork":
            self.take(new, guard.fork(**args), [])
            return None
        if name in PROPERTIES:
            return getattr(guard, name)
        if "message" in args:
            self.host[on].append(args["message"])
        if "messages" in args and name in ("observe_all", "sync"):
            self.host[on].extend(args["messages"])
        if name == "sync":
            synced = guard.sync(**args)
            return {key: getattr(synced, key) for key in ("appended", "edited", "removed", "first_divergence")}
        if name == "page_in":
            return guard.page_in(dict(args["messages"]))
        if name == "plan":
            return guard.plan(**args)
        if name == "commit":
            return self.window(on, guard.commit(args["plan"], dict(args["summaries"])))
        if name == "compact":
            summary = args["summary"]
            summarizer = None if summary is None else lambda _: summary
            return self.window(on, guard.compact(summarizer, asked=args.get("asked")))
        result = getattr(guard, name)(**args)
        return self.window(on, result) if isinstance(result, sf.Window) else result

    def window(self, on: str, window: sf.Window) -> Any:
        given = {id(message) for message in self.host[on]}
        for message in window.messages:
            same = [one for one in self.host[on] if one == message]
            assert not same or id(message) in given, "a host message was copied"
        return {"messages": window.messages, "system": window.system, "pinned": window.pinned, "receipt": window.receipt}


def filled_in(value: Any, saved: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"$ref"}:
            name, *path = value["$ref"].split(".")
            found = saved[name]
            if path:
                found = wire(found)
                for part in path:
                    found = found[int(part)] if isinstance(found, list) else found[part]
            return found
        return {key: filled_in(item, saved) for key, item in value.items()}
    return [filled_in(item, saved) for item in value] if isinstance(value, list) else value


def contains(whole: Any, part: Any) -> bool:
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], item) for key, item in part.items())
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return type(whole) is type(part) and bool(whole == part)


def has(value: Any, text: str) -> bool:
    """Whether a text of a result, at any depth, has `text` in it."""
    if isinstance(value, str):
        return text in value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(has(item, text) for item in items)


def run(guards: Guards, step: Args, args: Args) -> Any:
    """A function as long as there is no guard, else a method of the guard."""
    if step["call"] in FUNCTIONS and not guards.saved:
        return FUNCTIONS[step["call"]](**args)
    return guards.call(step["call"], args, step.get("on"), step.get("save"))


@pytest.mark.parametrize("case", CASES)
def test_vector(case: Any) -> None:
    guards, saved = Guards(), {}
    for step in case["steps"]:
        args = filled_in(step.get("args", {}), saved)
        if "error" in step:
            with pytest.raises(sf.StandfastError) as caught:
                run(guards, step, args)
            assert caught.value.code == step["error"]
            assert contains(wire(caught.value.details), step.get("details", {}))
            continue
        result = run(guards, step, args)
        if "save" in step:
            saved[step["save"]] = result
        if "returns" in step:
            assert wire(result) == step["returns"]
        if "matches" in step:
            assert contains(wire(result), step["matches"]), wire(result)
        assert all(has(wire(result), text) for text in step.get("has", ())), wire(result)
        assert not any(has(wire(result), text) for text in step.get("lacks", ())), wire(result)


def test_vectors_are_of_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    for file in FILES:
        jsonschema.validate(file, schema)
