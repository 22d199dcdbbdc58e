// Anybody's compaction and anybody's summary, looked at without a guard and without a model. All logic is in the engine.

import { engine, fault, json, snake, withStored, type Stored } from "./engine.js";
import { record, ruleText, take, text as textArgument } from "./input.js";
import type { AuditReport as Report, ClaimFinding, DecisionFinding, Difference, DriftReport, Fate, IdentifierFinding, Rule, Session, SessionReport } from "./wire.js";

/** Messages of any shape, a request with `messages` and perhaps `system` (a window too), or a text. */
export type Side = readonly unknown[] | { readonly messages: readonly unknown[]; readonly system?: unknown } | string;

/** What a compaction did. `String(report)` is a text to be read, `toJson()` the stored form. */
export type AuditReport = Report & Stored;

/**
 * The fate of each rule in a text, in the order of the rules. `preserved` and `paraphrased` are certificates; `unverifiable`
 * and all other kinds are none.
 */
export function audit(rules: readonly (string | Rule)[], text: string): Fate[] {
  return ask("audit", { rules: ruleTexts("rules", rules), text: textArgument("text", text) });
}

/**
 * What a compaction, whoever made it, did to everything that must come through it. The sides need not be of one shape. Without
 * `rules`, those of `before` count: what the operator and the user said in their own words and the published pattern finds.
 */
export function auditCompaction(before: Side, after: Side, rules?: readonly (string | Rule)[] | null): AuditReport {
  const given = rules === undefined || rules === null ? null : ruleTexts("rules", rules);
  const [report, text] = ask<[Report, string]>("audit_compaction", { before: side(before), after: side(after), rules: given });
  const stored = withStored(report, () => JSON.stringify(snake(report, new Set())));
  return Object.defineProperty(stored, "toString", { value: () => text });
}

/**
 * A file of messages: a list or a request of any shape, messages as LangChain and the AI SDK store them, items of OpenAI Responses, and
 * the session files of Claude Code and Codex with the compactions that stand in them; JSON, or JSON a line.
 */
export function readSession(text: string): Session {
  return ask("read_session", { text: textArgument("text", text) });
}

/**
 * What the compactions of a session file did to its rules: each rule with the round it died in. `rules` are as for `auditCompaction`;
 * `String(rounds[0].report)` is a text to be read.
 */
export function auditSession(text: string, rules?: readonly (string | Rule)[] | null): SessionReport & Stored {
  const given = rules === undefined || rules === null ? null : ruleTexts("rules", rules);
  const [report, texts] = ask<[SessionReport, string[]]>("audit_session", { text: textArgument("text", text), rules: given });
  report.rounds.forEach(({ report: round }, i) => Object.defineProperty(round, "toString", { value: () => texts[i] }));
  return withStored(report, () => JSON.stringify(snake(report, new Set())));
}

/**
 * The identifiers, numbers and dates of a summary that were changed or invented, and those of `required` it does not have. `source`
 * is a text, or events as for `checkAuthority`.
 */
export function checkIdentifiers(source: Side, summary: string, options: { required?: readonly string[] } = {}): IdentifierFinding[] {
  const required = ruleTexts("required", record("options", options)["required"] ?? []);
  return ask("check_identifiers", { source: side(source), summary: textArgument("summary", summary), required });
}

/**
 * The decisions of the events that a summary does not tell with their polarity and their reason. Events are as for `checkAuthority`,
 * or decisions: objects with `polarity`, `topic` (or `what`) and `reason` (or `why`).
 */
export function checkDecisions(events: Side, summary: string): DecisionFinding[] {
  return ask("check_decisions", { events: side(events), summary: textArgument("summary", summary) });
}

/**
 * The sentences of a summary that claim an approval, a waiver, a rule, an identity or a deed that nobody with the authority said. Events
 * are messages of any shape, a request, a text, or objects with `text` and `trust` or `source`; without either they are the agent's.
 */
export function checkAuthority(events: Side, summary: string): ClaimFinding[] {
  return ask("check_authority", { events: side(events), summary: textArgument("summary", summary) });
}

/**
 * What is left of the identifiers and decisions of the events in the memory after each round, and whether it becomes thinner. Events
 * are as for `checkDecisions`; without `required` identifiers those count that a summary must carry.
 */
export function checkDrift(events: Side, rounds: readonly string[], options: { required?: readonly string[] } = {}): DriftReport {
  const required = ruleTexts("required", record("options", options)["required"] ?? []);
  return ask("check_drift", { events: side(events), rounds: ruleTexts("rounds", rounds), required });
}

/** What only one of two summaries of a span has: identifiers, decisions with their polarity, rules. Wording does not count. */
export function checkIdempotence(first: string, second: string): Difference[] {
  return ask("check_idempotence", { first: textArgument("first", first), second: textArgument("second", second) });
}

function ask<T>(name: string, args: Record<string, unknown>): T {
  const taken = Object.entries(args).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(take(value).copy)}`);
  return json(() => engine().audited(name, `{${taken.join(",")}}`));
}

/** What of a side is looked at: of a request its messages and its system slot. */
function side(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given ?? null;
  const { messages, system, system_prompt } = record("messages", given);
  return { messages, system: system ?? system_prompt };
}

function ruleTexts(name: string, given: unknown): string[] {
  if (!Array.isArray(given)) throw fault("invalid_argument", `\`${name}\` must be a list of texts`);
  return Array.from(given as unknown[], (item, i) => ruleText(`${name}[${i}]`, typeof item === "object" && item !== null ? (item as Rule).text : item));
}
