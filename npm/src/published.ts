// The functional core of the published guide: plain functions over plain items, without a guard. All logic is in the
// engine's `published` function; here names change from camelCase to the stored form and back.

import { engine, fault, json, withStored, type Stored } from "./engine.js";
import { list, record, take, text as textArgument, whole } from "./input.js";
import type { Trust } from "./wire.js";

/** Retention of an item. */
export const Tier = { INVARIANT: 0, TASK_STATE: 1, EPISODIC: 2, DISCARDABLE: 3 } as const;
export type Tier = (typeof Tier)[keyof typeof Tier];

/** A semantic seam. Where one is asked for, its name as a string does as well. */
export const Boundary = {
  NONE: "none",
  TASK_COMPLETED: "task_completed",
  TOOL_PHASE_CHANGE: "tool_phase_change",
  SUBGOAL_CLOSED: "subgoal_closed",
  PLAN_REVISED: "plan_revised",
  TASK_DONE: "task_completed",
  PHASE_CHANGE: "tool_phase_change",
  SUBGOAL_DONE: "subgoal_closed",
} as const;
export type Boundary = (typeof Boundary)[keyof typeof Boundary];

// The constants stand here so that they are there before the engine is loaded; the vectors compare them with the engine's.

/** First line of the pinned block. */
export const PINNED_HEADER = "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)";
/** Last line of the pinned block. */
export const PINNED_FOOTER = "## END CONSTRAINTS";
/** Sources whose text is always a rule. */
export const INVARIANT_SOURCES: ReadonlySet<string> = new Set([
  "permissions",
  "policy_loader",
  "patient_record",
  "regulatory_profile",
  "user_directive",
]);
/** What makes a text rule-shaped. The engine's own matcher follows it and knows some exceptions. */
export const CONSTRAINT_SHAPED = /\b(?:never|must\s+not|mustn['’]t|do\s+not|don['’]t|prohibited|forbidden|not\s+permitted|allerg\w*|contraindicat\w*|under\s+no\s+circumstances?|maximum\s+of|no\s+more\s+than|only\s+if|require[sd]?\s+(?:[\w'-]+\s+){0,5}approv(?:al|als|er|ers))\b/iu;
/** What makes a text discardable, at its start. */
export const DISCARDABLE_SHAPED = /^\s*(?:retrying\b|retry\s+#?\d+|transient\b|superseded\s+by\b|connection\s+reset\b|rate[\s-]limited\b)/iu;

/** One text with its tier. `status` is the authority of a T0 item; held text is data and never pinned. */
export interface ContextItem {
  text: string;
  tier: Tier;
  source: string;
  turn: number;
  declared?: boolean;
  status?: "declared" | "promoted" | "held" | null;
}

/** A rule-shaped text that nobody declared, for a person to look at. */
export interface ReviewFlag {
  kind: "undeclared";
  fingerprint: string;
  text: string;
  source: string;
  trust: Trust;
  turn: number;
  cue: string;
}

/** Takes a review flag: a function, or anything with `push`. */
export type ReviewSink = ((flag: ReviewFlag) => unknown) | { push(flag: ReviewFlag): unknown };

export interface ClassifyOptions {
  /** Lowers the trust of a source, and sets it for the names of roles (`user`, `assistant`). */
  trust?: Trust;
}

/** Sorts one text. `reviewSink` is told of rule-shaped text of a source that declares nothing. */
export function classify(text: string, source: string, turn: number, reviewSink?: ReviewSink | null, options: ClassifyOptions = {}): ContextItem {
  const found = ask<{ item: ContextItem; review: ReviewFlag | null }>("classify", { text, source, turn, trust: options.trust ?? null });
  if (reviewSink && found.review) {
    if (typeof reviewSink === "function") reviewSink(found.review);
    else reviewSink.push(found.review);
  }
  return found.item;
}

/** The first 16 hexadecimal digits of the SHA-256 of the trimmed text. */
export function fingerprint(text: string): string {
  return ask<{ fingerprint: string }>("fingerprint", { text: textArgument("text", text) }).fingerprint;
}

/** The items of a run. */
export class AgentContext {
  items: ContextItem[];

  constructor(items: Iterable<ContextItem> = []) {
    this.items = [...items];
  }

  /** The items of a tier, as they come. */
  of(tier: Tier): ContextItem[] {
    return this.items.filter((item) => item.tier === tier);
  }

  /** The T0 items in the order of the pinned block, held ones included. */
  get invariants(): ContextItem[] {
    return ask<number[]>("order", { items: this.items }).map((place) => this.items[place] as ContextItem);
  }
}

/** The pinned block of the declared and promoted T0 items; empty without any. */
export function renderPinnedBlock(items: AgentContext | readonly ContextItem[]): string {
  return ask("render_pinned_block", { items: listed(items) });
}

export interface PublishedDecision {
  what: string;
  why: string;
  polarity?: "accepted" | "rejected" | "deferred";
}

/** The published task state. */
export interface PublishedTaskState {
  goal?: string | null;
  plan?: readonly string[];
  decisions?: readonly (PublishedDecision | readonly [string, string] | readonly [string, string, string])[];
  openQuestions?: readonly string[];
}

/** The task state as text; a guard's task state does as well. */
export function renderTaskState(state: PublishedTaskState): string {
  return ask("render_task_state", { state: taskState(state) });
}

export interface PublishedMessage {
  role: "system" | "user";
  content: string;
}

/**
 * The messages of a compacted context: pinned block and task state as system messages, the summary as a user message.
 *
 * `summarize` is given the texts of the T2 items, one below the other; where it is `null`, or gives `null`, the built-in
 * extractive summary stands. T3 items leave `ctx.items`, T2 items stay in it: the next summary is made from them again, never from this one.
 */
export async function compact(
  ctx: AgentContext,
  state: PublishedTaskState,
  summarize: ((text: string) => string | null | Promise<string | null>) | null,
  roundNo: number,
): Promise<PublishedMessage[]> {
  const items = [...ctx.items];
  const text = toSummarize(items);
  const summary = text === null || summarize === null ? null : await summarize(text);
  return finish(ctx, items, state, summary, roundNo);
}

/** As `compact`, with a summarizer that answers at once. */
export function compactNow(
  ctx: AgentContext,
  state: PublishedTaskState,
  summarize: ((text: string) => string | null) | null,
  roundNo: number,
): PublishedMessage[] {
  const items = [...ctx.items];
  const text = toSummarize(items);
  const summary = text === null || summarize === null ? null : summarize(text);
  return finish(ctx, items, state, summary, roundNo);
}

/** Throws `InvariantLost` unless the pinned block of `items` stands once, byte for byte, in the system messages. */
export function assertInvariantsPresent(messages: readonly unknown[], items: AgentContext | readonly ContextItem[]): void {
  ask("assert_invariants_present", { messages: list("messages", messages), items: listed(items) });
}

export interface TriggerPolicyOptions {
  windowTokens: number;
  pinnedBlockTokens: number;
  summaryBudgetTokens: number;
  maxToolResultTokens: number;
  /** Default 0.6. */
  qualityFraction?: number;
  /** Default 0.3. */
  softFloorFraction?: number;
}

/** When to compact, from sizes alone. */
export class TriggerPolicy {
  /** Beyond this the next request may not fit. */
  readonly mechanical: number;
  /** The smaller of `mechanical` and the window times `qualityFraction`. */
  readonly backstop: number;
  /** No boundary compacts below. */
  readonly softFloor: number;
  readonly #stored: Record<string, number>;

  constructor(options: TriggerPolicyOptions) {
    // What is not known goes along, for the engine to refuse it.
    const { windowTokens, pinnedBlockTokens, summaryBudgetTokens, maxToolResultTokens, qualityFraction, softFloorFraction, ...unknown } = options;
    this.#stored = {
      ...(unknown as Record<string, number>),
      window_tokens: windowTokens,
      pinned_block_tokens: pinnedBlockTokens,
      summary_budget_tokens: summaryBudgetTokens,
      max_tool_result_tokens: maxToolResultTokens,
      quality_fraction: qualityFraction ?? 0.6,
      soft_floor_fraction: softFloorFraction ?? 0.3,
    };
    const limits = ask<{ mechanical: number; backstop: number; soft_floor: number }>("trigger_limits", { policy: this.#stored });
    this.mechanical = limits.mechanical;
    this.backstop = limits.backstop;
    this.softFloor = limits.soft_floor;
  }

  /** Whether to compact now, and why: `boundary:<name>`, `headroom_backstop` or `continue`. */
  shouldCompact(usedTokens: number, boundary: Boundary | string = Boundary.NONE): [compact: boolean, reason: string] {
    const used = whole("usedTokens", usedTokens);
    const answer = ask<{ compact: boolean; reason: string }>("should_compact", { policy: this.#stored, used, boundary });
    return [answer.compact, answer.reason];
  }
}

/** What the summarizer of `compactSession` is given: `prompt` is ready to send. */
export interface SessionRequest {
  text: string;
  prompt: string;
  budgetTokens: number;
  summarySchema: unknown;
  coveredRanges: [start: number, end: number][];
}

/** An event of a session: its text, and its offset where it has a place of its own. */
export type SourceEvent = string | { text: string; offset?: number; role?: string; derivedFromSummary?: boolean; [more: string]: unknown };

export interface SessionSummary {
  summary?: string;
  decisions: unknown[];
  coveredRanges: [start: number, end: number][];
  derivedFromSummary: false;
  tokens: number;
  [more: string]: unknown;
}

/**
 * One checked summary of one span of source events.
 *
 * The prior summary is never shown to the summarizer; its `coveredRanges` and the events must leave no offset out. `summarize` gives a
 * string or an object with `summary` and `decisions`; without one the built-in extractive summary stands. What is unsound is a
 * `CompactionInvariantError` with the code of the first check that failed.
 */
export async function compactSession(
  sourceEvents: readonly SourceEvent[],
  priorSummary: unknown,
  budgetTokens: number,
  summarySchema: unknown,
  summarize: ((request: SessionRequest) => unknown) | null = null,
): Promise<SessionSummary & Stored> {
  const session = {
    source_events: list("sourceEvents", sourceEvents).map((event) => stored(event)),
    prior_summary: stored(priorSummary) ?? null,
    budget_tokens: whole("budgetTokens", budgetTokens),
    summary_schema: summarySchema ?? null,
  };
  const begun = ask<{ text: string; prompt: string; covered_ranges: [number, number][] }>("session_begin", { session });
  const request = { text: begun.text, prompt: begun.prompt, budgetTokens, summarySchema, coveredRanges: begun.covered_ranges };
  const summary = summarize === null ? null : stored(await summarize(request));
  const done = ask<Record<string, unknown>>("session_finish", { session, summary: summary ?? null });
  const { covered_ranges: coveredRanges, derived_from_summary: derivedFromSummary, ...fields } = done;
  return withStored({ ...fields, coveredRanges, derivedFromSummary } as unknown as SessionSummary, JSON.stringify(done));
}

function ask<T>(name: string, args: Record<string, unknown>): T {
  return json(() => engine().published(name, JSON.stringify(take(args).copy)));
}

function listed(items: AgentContext | readonly ContextItem[]): readonly unknown[] {
  return items instanceof AgentContext ? items.items : list("items", items);
}

function toSummarize(items: readonly ContextItem[]): string | null {
  return ask<{ text: string | null }>("compact_begin", { items }).text;
}

function finish(ctx: AgentContext, items: readonly ContextItem[], state: PublishedTaskState, given: unknown, roundNo: number): PublishedMessage[] {
  const summary = given ?? null;
  if (summary !== null && typeof summary !== "string") {
    throw fault("summary_not_text", `the summarizer returned a value of type ${typeof summary}`);
  }
  const round_no = whole("roundNo", roundNo);
  const done = ask<{ messages: PublishedMessage[] }>("compact_finish", { items, state: taskState(state), summary, round_no });
  ctx.items = ctx.items.filter((item) => item.tier !== Tier.DISCARDABLE);
  return done.messages;
}

function taskState(state: PublishedTaskState | null | undefined): Record<string, unknown> {
  const { openQuestions, ...rest } = record("state", state);
  return openQuestions === undefined ? rest : { ...rest, open_questions: openQuestions };
}

const STORED: Readonly<Record<string, string>> = { coveredRanges: "covered_ranges", derivedFromSummary: "derived_from_summary" };

/** An event or a summary with the stored names of our own fields; all others pass as they are. */
function stored(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [STORED[key] ?? key, item as unknown]));
}
