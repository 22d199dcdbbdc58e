// Receipts as OpenTelemetry spans and metrics. Kinds, counts and places only: no text, no rule's name, no digest.

import { SpanKind, SpanStatusCode, metrics, trace, type Attributes, type Meter, type Tracer } from "@opentelemetry/api";
import type { Receipt, StandfastError } from "standfast";

export interface TelemetryOptions {
  tracer?: Tracer;
  meter?: Meter;
  /** The conversation's name, as `gen_ai.conversation.id`. Not set where it is not given. */
  conversationId?: string;
}

export interface Telemetry {
  /** For `onReceipt`. */
  onReceipt(receipt: Receipt): void;
  /** Records a compaction that was refused; for `onRefusal`, beside what the host does there. */
  refused(error: StandfastError): void;
}

const NAME = "standfast";

/** Spans named `context.compact`, counters of compactions, alarms and rule-shaped texts, and the sizes before and after. */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const tracer = options.tracer ?? trace.getTracer(NAME);
  const meter = options.meter ?? metrics.getMeter(NAME);
  const own: Attributes = options.conversationId === undefined ? {} : { "gen_ai.conversation.id": options.conversationId };
  const decisions = meter.createCounter("compact.decisions", { description: "decisions by outcome, reason and method" });
  const alarms = meter.createCounter("compact.alarms", { description: "what a person should know, by kind and severity" });
  const findings = meter.createCounter("compact.findings", { description: "what the checks found, by kind and repair" });
  const tokens = meter.createHistogram("compact.tokens", { description: "estimated tokens of the window", unit: "{token}" });
  return {
    onReceipt(receipt) {
      const span = tracer.startSpan("context.compact", { kind: SpanKind.INTERNAL, attributes: { ...own, ...attributes(receipt) } });
      for (const { kind, severity } of receipt.alarms) {
        span.addEvent("compact.alarm", { "compact.alarm.kind": kind, "compact.alarm.severity": severity });
        alarms.add(1, { kind, severity });
      }
      for (const { kind, repair, count } of receipt.findings) {
        span.addEvent("compact.finding", { "compact.finding.kind": kind, "compact.finding.repair": repair, "compact.finding.count": count });
        findings.add(count, { kind, repair });
      }
      if (receipt.outcome === "invariant_lost") span.setStatus({ code: SpanStatusCode.ERROR, message: receipt.outcome });
      span.end();
      decisions.add(1, { outcome: receipt.outcome, reason: receipt.reason, method: receipt.method });
      tokens.record(receipt.tokensIn, { when: "before" });
      tokens.record(receipt.tokensOut, { when: "after" });
    },
    refused({ code, name }) {
      const span = tracer.startSpan("context.compact", { kind: SpanKind.INTERNAL, attributes: { ...own, "compact.outcome": "refused", "error.type": code } });
      span.setStatus({ code: SpanStatusCode.ERROR, message: name });
      span.end();
      decisions.add(1, { outcome: "refused", reason: code, method: "none" });
    },
  };
}

function attributes(receipt: Receipt): Attributes {
  const { rules, segments } = receipt;
  return {
    "compact.outcome": receipt.outcome,
    "compact.reason": receipt.reason,
    "compact.method": receipt.method,
    "compact.round": receipt.round,
    "compact.turn_index": receipt.turnIndex,
    "compact.messages_in": receipt.messagesIn,
    "compact.messages_out": receipt.messagesOut,
    "compact.tokens_in": receipt.tokensIn,
    "compact.tokens_out": receipt.tokensOut,
    "compact.stable_prefix_tokens": receipt.stablePrefixTokens,
    "compact.rules.declared": rules.declared,
    "compact.rules.promoted": rules.promoted,
    "compact.rules.held": rules.held,
    "compact.rules.overflow": rules.overflow,
    "compact.segments.new": segments.new,
    "compact.segments.reused": segments.reused,
    "compact.segments.remade": segments.remade,
    "compact.spans.covered": receipt.covered.length,
    "compact.spans.shortened": receipt.shortened.length,
    "compact.spans.degraded": receipt.degraded.length,
    "compact.undeclared": Object.values(receipt.undeclared).reduce((sum, count) => sum + count, 0),
  };
}
