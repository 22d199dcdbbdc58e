// To be replaced by the output of tests/types/generate.py, which makes this file from the JSON Schemas of the Rust types.
// Until then written by hand: the same names, fields in camelCase.

/** Who speaks; the order of authority is operator, user, agent, external. */
export type Trust = "operator" | "user" | "agent" | "external";
/** A provider's message format. */
export type Shape = "openai" | "anthropic";
/** Where a rule stands. */
export type Status = "declared" | "promoted" | "overflow" | "superseded" | "revoked" | "rejected";
/** What a decision came to. */
export type Polarity = "accepted" | "rejected" | "deferred";
/** A compaction the host asks for without a trigger; `overflow` = the provider refused the request as too long. */
export type Asked = "requested" | "overflow";
/** A semantic seam. */
export type BoundaryName =
  | "none"
  | "task_completed"
  | "tool_phase_change"
  | "subgoal_closed"
  | "plan_revised"
  | "turn_closed"
  | "cache_cold";
/** First and last seq of a span, both included. */
export type SeqSpan = [number, number];

/** A guard's policy. Sizes are tokens; what is left out is derived from the window. */
export interface Policy {
  windowTokens: number;
  qualityFraction?: number;
  softFloorFraction?: number;
  maxToolResultTokens?: number | null;
  pinnedTokens?: number | null;
  promotedTokens?: number;
  promotedMaxTokens?: number;
  heldTokens?: number | null;
  summaryTokens?: number | null;
  taskStateTokens?: number | null;
  segmentsTokens?: number | null;
  tailTokens?: number | null;
  summarizerWindowTokens?: number | null;
  imageTokens?: number;
  deadCallEvents?: number;
  minFreedFraction?: number;
  testedRounds?: number;
  onDegraded?: "continue" | "refuse";
  trustedSources?: Record<string, Trust>;
  pattern?: string | null;
  enabled?: boolean;
}

/** One rule. */
export interface Rule {
  fingerprint: string;
  digest: string;
  text: string;
  status: Status;
  trust: Trust;
  sources: string[];
  turn: number;
  seqs: number[];
  principal: string | null;
  scope: string | null;
  inherited: boolean;
  pinned: boolean;
  replacedBy: string | null;
  reason: string | null;
  lookalikeOf: string | null;
}

/** A rule-shaped external text: shown as data, without authority. */
export interface Held {
  fingerprint: string;
  digest: string;
  text: string;
  source: string;
  turn: number;
  seq: number;
  count: number;
  restricts: boolean;
}

/** Something that waits for a reviewer. */
export interface Review {
  handle: string;
  kind: string;
  text: string;
  source: string;
  trust: Trust;
  turn: number;
}

/** One line of the registry's audit trail. */
export interface Change {
  action: string;
  fingerprint: string;
  by: string;
  source: string;
  turn: number;
}

/** What `setRules` changed, by fingerprint. */
export interface RulesDiff {
  declared: string[];
  kept: string[];
  revoked: string[];
}

/** What `observe` found. */
export interface Observed {
  seq: number;
  flags: string[];
  promoted: string[];
  held: number;
  tokens: number;
}

/** What `sync` found. */
export interface Synced {
  appended: number;
  edited: number;
  removed: number;
  firstDivergence: number | null;
  seqs: number[];
  observed: Observed[];
}

/** Whether to compact now, and why. */
export interface Verdict {
  compact: boolean;
  reason: string;
  used: number;
  threshold: number;
}

/** One span to summarize. `prompt` is ready to send. */
export interface Request {
  id: string;
  span: SeqSpan;
  text: string;
  prompt: string;
  budgetTokens: number;
}

/** What a compaction will do. */
export interface Plan {
  version: number;
  id: string;
  reason: string;
  cut: number;
  head: number;
  kept: number[];
  segments: Planned[];
  requests: Request[];
  needs: SeqSpan[];
  rules: string[];
  items: Record<string, number>;
  shortened: SeqSpan[];
  tailOverBudget: boolean;
  base: { chain: string; ledger: string; policy: string };
}

/** One segment of a plan. */
export interface Planned {
  from: number;
  to: number;
  level: number;
  how: "reuse" | "summarize" | "extract" | "line" | "foreign";
  requests: string[];
  budgetTokens: number;
  remade: boolean;
}

/** Something a check found, and what was done about it. */
export interface Finding {
  kind: string;
  about: string;
  repair: string;
}

/** A condition somebody should look at. */
export interface Alarm {
  kind: string;
  severity: string;
  detail: string;
}

/** The record of one decision: sizes, ids, digests, findings; never any text. */
export interface Receipt {
  round: number;
  outcome: "continue" | "rendered" | "compacted" | "nothing_to_do" | "invariant_lost";
  reason: string;
  method: "none" | "model" | "extractive" | "mixed";
  messagesIn: number;
  messagesOut: number;
  tokensIn: number;
  tokensOut: number;
  turnIndex: number;
  rules: { declared: number; promoted: number; held: number; overflow: number };
  pinnedDigest: string;
  stablePrefixTokens: number;
  segments: { new: number; reused: number; remade: number };
  covered: SeqSpan[];
  shortened: SeqSpan[];
  items: Record<string, number>;
  findings: Finding[];
  degraded: SeqSpan[];
  undeclared: Record<string, number>;
  alarms: Alarm[];
}

/** An accepted summary of one span. */
export interface SegmentView {
  id: string;
  span: SeqSpan;
  turns: [number, number];
  level: number;
  text: string;
  tokens: number;
  trust: Trust;
  origin: "model" | "extractive" | "mixed" | "line" | "foreign";
  degraded: boolean;
}

/** Where an event's text is. */
export type Presence = "here" | "paged_out" | "source_removed" | "forgotten";

/** One original event. `text` is null where it is not here. */
export interface Recalled {
  seq: number;
  role: string;
  trust: Trust;
  source: string;
  turn: number;
  text: string | null;
  presence: Presence;
}

/** Goal, plan, decisions and open questions. */
export interface TaskState {
  goal: { text: string; trust: Trust } | null;
  plan: { text: string; trust: Trust }[];
  decisions: { what: string; why: string; polarity: Polarity; trust: Trust; turn: number }[];
  questions: { id: string; text: string; trust: Trust }[];
  opened: number;
}

/** How a restored guard and the given messages fit together. */
export interface RestoreVerdict {
  outcome: "attached" | "detached" | "shorter" | "edited" | "rebuilt";
  flags: string[];
  seqs: number[];
}
