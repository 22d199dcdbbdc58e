import { auditCompaction, checkDecisions, type AuditReport, type RuleFate } from "standfast";
import { broken } from "./testing-error.js";
import { note, noted } from "./testing-report.js";

/** What a compaction gives: messages, or a request with its system slot. */
export type Compacted = readonly object[] | { readonly messages: readonly object[]; readonly system?: unknown };
/** Any compaction. */
export type Compaction = (messages: readonly object[], round: number) => Compacted | Promise<Compacted>;

export interface RoundsOptions {
  /** The transcript. Each round adds ten messages of small talk. */
  messages: readonly object[];
  rules: readonly string[];
  rounds?: number;
  /** The least share of rules that must be alive after each round. Default 1. */
  threshold?: number;
  /** Shares of an earlier run by round: less than that fails too. */
  baseline?: readonly number[];
  /** The compaction reads the whole list each time and does not rewrite it. */
  overlay?: boolean;
  /** What the report calls it. */
  name?: string;
}

export interface Round {
  readonly round: number;
  readonly alive: number;
  readonly lost: readonly string[];
  readonly report: AuditReport;
}

/** Round by round: which rules were alive. */
export interface Survival {
  readonly rounds: readonly Round[];
  /** The first round that lost a rule; null where none did. */
  readonly cliff: number | null;
}

/** Ten messages of small talk, in a shape that all providers share. */
export function filler(round: number): { role: string; content: string }[] {
  return Array.from({ length: 10 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: i % 2 === 0 ? `What came in with delivery ${round}.${i}?` : `Delivery ${round}.${i}: two boxes of paper, one of envelopes, nothing else. The list is filed.`,
  }));
}

/** A compaction that keeps the last messages and one useless sentence: what a bad summarizer leaves. */
export function destructive(keep = 4): Compaction {
  return (messages) => {
    if (messages.length <= keep + 1) return messages;
    let from = messages.length - keep;
    while (from < messages.length && (messages[from] as { role?: string }).role === "tool") from++;
    return [{ role: "user", content: "Summary of the conversation so far: work went on." }, ...messages.slice(from)];
  };
}

/** Compacts `rounds` times, and throws `rules_lost` where a rule did not come through. */
export async function assertRulesSurvive(compact: Compaction, options: RoundsOptions): Promise<Survival> {
  const { rules, threshold = 1, baseline = [], name = "rules" } = options;
  const rounds: Round[] = [];
  const originals = texts(options.messages);
  for await (const { round, before, after } of run(compact, options)) {
    const report = auditCompaction(before, after, rules);
    const lost = report.fates.filter((fate) => !fate.kept && !quoted(fate, originals)).map(({ rule }) => rule);
    rounds.push({ round, alive: rules.length === 0 ? 1 : 1 - lost.length / rules.length, lost, report });
  }
  const cliff = rounds.find(({ lost }) => lost.length > 0)?.round ?? null;
  const failed = rounds.find(({ alive }, i) => alive < Math.max(threshold, baseline[i] ?? 0));
  note("survival", name, failed === undefined, { alive: rounds.map(({ alive }) => alive) }, cliff);
  if (failed !== undefined) {
    throw broken("rules_lost", `round ${failed.round}: ${failed.lost.length} of ${rules.length} rules lost: ${failed.lost.join(" · ")}`, { round: failed.round, alive: failed.alive });
  }
  return { rounds, cliff };
}

/** Throws `prefix_changed` where the beginning of the request is not, byte for byte, that of the round before. */
export function assertByteStable(compact: Compaction, options: Omit<RoundsOptions, "rules">): Promise<void> {
  return noted("structure", options.name ?? "bytes", () => stable(compact, options));
}

async function stable(compact: Compaction, options: Omit<RoundsOptions, "rules">): Promise<void> {
  let known: string | undefined;
  for await (const { round, after } of run(compact, options)) {
    const now = beginning(after);
    if (known !== undefined && now !== known) throw broken("prefix_changed", `round ${round}: the system prompt is not what it was`, { round });
    known = now;
  }
}

/** Throws `decision_lost` where a decision is not told with its polarity and its reason any more. */
export function assertTaskStateSurvives(compact: Compaction, options: TaskStateOptions): Promise<void> {
  return noted("structure", options.name ?? "task state", () => decided(compact, options));
}

export type TaskStateOptions = Omit<RoundsOptions, "rules"> & { decisions: readonly { what: string; why: string; polarity?: string }[] };

async function decided(compact: Compaction, options: TaskStateOptions): Promise<void> {
  const decisions = options.decisions.map((decision) => ({ polarity: "accepted", ...decision }));
  for await (const { round, after } of run(compact, options)) {
    const lost = checkDecisions(decisions, texts(after));
    if (lost.length > 0) throw broken("decision_lost", `round ${round}: ${lost.length} of ${options.decisions.length} decisions are not told as they were made`, { round });
  }
}

/** Throws `went_out` where a request without a rule is not stopped. `send` is what calls the model, with a request stripped of the rules. */
export function assertFailsClosed(send: () => unknown, { name = "fails closed" }: { name?: string } = {}): Promise<unknown> {
  return noted("structure", name, () => stopped(send));
}

async function stopped(send: () => unknown): Promise<unknown> {
  try {
    await send();
  } catch (error) {
    return error;
  }
  throw broken("went_out", "a request without its rules went out", {});
}

async function* run(compact: Compaction, { messages, rounds = 5, overlay = false }: Omit<RoundsOptions, "rules">): AsyncGenerator<{ round: number; before: readonly object[]; after: Compacted }> {
  let list = [...messages];
  for (let round = 1; round <= rounds; round++) {
    const after = await compact(list, round);
    yield { round, before: messages, after };
    list = [...(overlay ? list : messagesOf(after)), ...filler(round)];
  }
}

/** Before a quotation in a memory message. */
const LABEL = /^\(\w+, turn \d+\) /;

/** Whether a rule stands, and what is told against it is only quoted from the transcript: that is nobody's doing. */
function quoted({ detail, evidence }: RuleFate, originals: string): boolean {
  const said = evidence.replace(LABEL, "");
  return detail === "contradicted_elsewhere" && said !== "" && originals.includes(said);
}

function messagesOf(after: Compacted): readonly object[] {
  return Array.isArray(after) ? (after as readonly object[]) : (after as { messages: readonly object[] }).messages;
}

function systemOf(after: Compacted): unknown {
  return Array.isArray(after) ? undefined : (after as { system?: unknown }).system;
}

function beginning(after: Compacted): string {
  const messages = messagesOf(after) as readonly { role?: string }[];
  const end = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return JSON.stringify([systemOf(after), messages.slice(0, end < 0 ? messages.length : end)]);
}

/** All texts of a request. */
export function texts(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(texts).filter((text) => text !== "").join("\n");
}
