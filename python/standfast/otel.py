"""Receipts as OpenTelemetry spans and metrics. Kinds, counts and places only: no text, no rule's name, no digest.

    from standfast.langchain import Standfast
    from standfast.otel import telemetry

    told = telemetry()
    mw = Standfast(rules="AGENTS.md", on_receipt=told.on_receipt, on_refusal=told.refused)

Without OpenTelemetry (`pip install standfast[otel]`) nothing is told and nothing fails.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from standfast.errors import InvariantLost, StandfastError
from standfast.records import Receipt

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

NAME = "standfast"
SPAN = "context.compact"


class Telemetry:
    """Tells what was decided. Made by `telemetry`; safe to use from several threads."""

    def __init__(self, tracer: Tracer | None, meter: Meter | None, own: Mapping[str, str], key: bytes | None) -> None:
        self._tracer = tracer
        self._own = dict(own)
        self._key = key
        if meter is not None:
            self._decisions = meter.create_counter("compact.decisions", description="decisions by outcome, reason and method")
            self._alarms = meter.create_counter("compact.alarms", description="what a person should know, by kind and severity")
            self._findings = meter.create_counter("compact.findings", description="what the checks found, by kind and repair")
            self._tokens = meter.create_histogram("compact.tokens", unit="{token}", description="estimated tokens of the window")

    def on_receipt(self, receipt: Receipt) -> None:
        """One span for a decision, with its alarms and findings as events. For `on_receipt=` of a middleware."""
        if self._tracer is None:
            return
        span = self._tracer.start_span(SPAN, attributes={**self._own, **attributes(receipt), **self._names(receipt)})
        for alarm in receipt.alarms:
            span.add_event("compact.alarm", {"compact.alarm.kind": alarm.kind, "compact.alarm.severity": alarm.severity})
            self._alarms.add(1, {"kind": alarm.kind, "severity": alarm.severity})
        for finding in receipt.findings:
            about = {"kind": finding.kind, "repair": finding.repair}
            event = {f"compact.finding.{name}": value for name, value in about.items()}
            span.add_event("compact.finding", {**event, "compact.finding.count": finding.count})
            self._findings.add(finding.count, about)
        if receipt.outcome == "invariant_lost":
            _failed(span, receipt.outcome)
        span.end()
        self._decisions.add(1, {"outcome": receipt.outcome, "reason": receipt.reason, "method": receipt.method})
        self._tokens.record(receipt.tokens_in, {"when": "before"})
        self._tokens.record(receipt.tokens_out, {"when": "after"})

    def refused(self, error: StandfastError) -> None:
        """A compaction that was refused. For `on_refusal=` of a middleware, which goes on as if "continue" was given."""
        if self._tracer is None:
            return
        lost = isinstance(error, InvariantLost)
        outcome = "invariant_lost" if lost else "refused"
        span = self._tracer.start_span(SPAN, attributes={**self._own, "compact.outcome": outcome, "error.type": error.code})
        _failed(span, outcome if lost else type(error).__name__)
        span.end()
        self._decisions.add(1, {"outcome": outcome, "reason": error.code, "method": "none"})

    def _names(self, receipt: Receipt) -> dict[str, str]:
        """With a key: the same block of rules has the same name, which says nothing to who has no key."""
        if self._key is None or not receipt.pinned_digest:
            return {}
        return {"compact.pinned": hmac.new(self._key, receipt.pinned_digest.encode(), hashlib.sha256).hexdigest()[:16]}


def telemetry(
    *,
    tracer: Tracer | None = None,
    meter: Meter | None = None,
    conversation_id: str | None = None,
    telemetry_key: str | bytes | None = None,
) -> Telemetry:
    """Spans named `context.compact`, counters of compactions, alarms and findings, and the sizes before and after.

    `tracer` and `meter`: else OpenTelemetry's own. `conversation_id` is sent as `gen_ai.conversation.id`. With `telemetry_key` spans
    carry `compact.pinned`, an HMAC that shows whether two conversations have the same rules; without one they do not.
    """
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return Telemetry(None, None, {}, None)
    own = {} if conversation_id is None else {"gen_ai.conversation.id": conversation_id}
    key = telemetry_key.encode() if isinstance(telemetry_key, str) else telemetry_key
    return Telemetry(tracer or trace.get_tracer(NAME), meter or metrics.get_meter(NAME), own, key)


def attributes(receipt: Receipt) -> dict[str, str | int]:
    """What a span says of a receipt."""
    return {
        "compact.outcome": receipt.outcome,
        "compact.reason": receipt.reason,
        "compact.method": receipt.method,
        "compact.round": receipt.round,
        "compact.turn_index": receipt.turn_index,
        "compact.messages_in": receipt.messages_in,
        "compact.messages_out": receipt.messages_out,
        "compact.tokens_in": receipt.tokens_in,
        "compact.tokens_out": receipt.tokens_out,
        "compact.stable_prefix_tokens": receipt.stable_prefix_tokens,
        "compact.rules.declared": receipt.rules.declared,
        "compact.rules.promoted": receipt.rules.promoted,
        "compact.rules.held": receipt.rules.held,
        "compact.rules.overflow": receipt.rules.overflow,
        "compact.segments.new": receipt.segments.new,
        "compact.segments.reused": receipt.segments.reused,
        "compact.segments.remade": receipt.segments.remade,
        "compact.spans.covered": len(receipt.covered),
        "compact.spans.shortened": len(receipt.shortened),
        "compact.spans.degraded": len(receipt.degraded),
        "compact.undeclared": sum(receipt.undeclared.values()),
    }


def _failed(span: Span, message: str) -> Any:
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR, message))
