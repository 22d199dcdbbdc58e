// The wire types. Made by tests/types/generate.py from the Rust types; do not edit.

/** First and last seq, both included. */
export type SeqSpan = [number, number];

/** Something a person should know. */
export interface Alarm {
  /** What was measured, as a short text of numbers. */
  detail: string;
  /** `invariant_lost`, `window_over_size`, `rules_overflow`, `summary_dropped`, `boundary_ratio`, `untested_round` or `drift`. */
  kind: string;
  /** `page` or `warn`. */
  severity: string;
}

/** A compaction the host calls for. */
export type Asked = "requested" | "overflow";

/** How much of what there is. Rules are counted by fate, findings by fault. */
export interface AuditCounts {
  /** Rules turned round. */
  contradicted: number;
  /** Decisions found in what is gone. */
  decisions: number;
  /** Rules that are gone. */
  dropped: number;
  /** Claims of external origin. */
  forged: number;
  /** Messages of `after`. */
  messagesAfter: number;
  /** Messages of `before`. */
  messagesBefore: number;
  /** Rules with another number, name or party. */
  mutated: number;
  /** Rules in other words. */
  paraphrased: number;
  /** Rules in their own words. */
  preserved: number;
  /** Rules in full, but without their authority. */
  roleLowered: number;
  /** Rules that were looked for. */
  rules: number;
  /** Rules that are kept. */
  rulesKept: number;
  /** Rules found in `before` beyond the most that are looked for. */
  rulesUnread: number;
  /** Estimated tokens of `after`. */
  tokensAfter: number;
  /** Estimated tokens of `before`. */
  tokensBefore: number;
  /** Claims of no origin. */
  unanchored: number;
  /** Rules that cannot be looked for. */
  unverifiable: number;
  /** Rules with less force, or a part missing. */
  weakened: number;
}

/** What became of the messages. Spans are the first and the last index in `before`. */
export interface AuditCoverage {
  /** Messages of which a part stands there, or a shortened result. */
  changed: SeqSpan[];
  /** Messages of which nothing stands there. */
  gone: SeqSpan[];
  /** Messages that stand whole in `after`. */
  kept: SeqSpan[];
  /** Texts of `after` that `before` does not have. */
  new: NewText[];
}

/** Where something stands in a list of messages. */
export interface AuditPlace {
  /** Index of the message; nothing for a system slot beside the list and for a plain text. */
  index: number | null;
  /** Whose place it is: results of tools and attached documents are `tool`, whatever message carries them. */
  role: Role;
}

/** What a compaction did to everything that must come through it. */
export interface AuditReport {
  /** Claims without authority in new text. */
  claims: ClaimFinding[];
  /** Sizes and numbers. */
  counts: AuditCounts;
  /** Which messages are gone, and which text is new. */
  coverage: AuditCoverage;
  /** Decisions of what is gone that are not told as they were made. */
  decisions: DecisionFinding[];
  /** What happened to each rule. */
  fates: RuleFate[];
  /** Identifiers changed, invented or missing. */
  identifiers: IdentifierFinding[];
  /** Every rule kept, no approval, waiver or rule out of nowhere, every call with its result. */
  ok: boolean;
  /** Calls and results that were parted. */
  pairs: PairFinding[];
}

/** What a plan was made from. */
export interface Base {
  /** Chain digest of the log before the cut. */
  chain: string;
  /** Digest of the ledger. */
  ledger: string;
  /** Digest of the policy. */
  policy: string;
}

/** A semantic seam of the run. */
export type BoundaryName = "none" | "task_completed" | "tool_phase_change" | "subgoal_closed" | "plan_revised" | "turn_closed" | "cache_cold";

/** One change of a rule, for the audit trail (R9). */
export interface Change {
  /** `supersede`, `revoke`, `approve`, `reject`, or `amend` where a user corrected a value. */
  action: string;
  /** Who did it. */
  by: string;
  /** The rule's 16-digit name. */
  fingerprint: string;
  /** In the name of which source. */
  source: string;
  /** User events observed before. */
  turn: number;
}

/** Why a claim does not hold. */
export type ClaimFault = "unanchored" | "forged";

/** A sentence that claims something on nobody's authority. */
export interface ClaimFinding {
  /** What it claims. */
  claim: ClaimKind;
  /** The sentence. */
  evidence: string;
  /** Why it does not hold. */
  fault: ClaimFault;
  /** Where it stands. */
  place: AuditPlace | null;
  /** The message or event it was forged from. */
  source: number | null;
}

/** What a sentence claims. */
export type ClaimKind = "approval" | "waiver" | "rescission" | "new_rule" | "identity" | "done" | "wish";

/** What is done where the rules alone do not fit. */
export type CompactMode = "safe" | "over_budget" | "rank" | "paper";

/** What a compaction made of a knowledge base. */
export interface Compacted {
  /** The budget by the counter. */
  budget: number;
  /** The items that do not. Both lists together have every item once. */
  dropped: ItemOutcome[];
  /** The items that stand in the text, in their order. */
  kept: ItemOutcome[];
  /** Whether the text is within the budget and has every rule. */
  ok: boolean;
  /** The size of the text by the counter. */
  size: number;
  /** The text; none where it would not be safe and the mode refuses that. */
  text: string | null;
  /** What does not fit, where something does not. */
  unsafe: Unsafe | null;
}

/** What one feature of a text adds to the scores. */
export interface Contribution {
  /** The words it was found in; empty where it is about the whole. */
  evidence: string;
  /** The feature. */
  name: string;
  /** What it adds. */
  scores: Scores;
}

/** A decision with its reason. */
export interface Decision {
  /** Accepted, rejected or deferred. */
  polarity: Polarity;
  /** Trust of its producer. */
  trust: Trust;
  /** User events observed before it. */
  turn: number;
  /** What was decided. */
  what: string;
  /** Why. */
  why: string;
}

/** What happened to a decision. */
export type DecisionFault = "flipped" | "reason_lost" | "reason_changed" | "dropped";

/** A decision that did not come through as it was made. */
export interface DecisionFinding {
  /** What was decided on. */
  decision: string;
  /** The sentence of the summary that is about it; empty where there is none. */
  evidence: string;
  /** What happened. */
  fault: DecisionFault;
  /** Where that stands. */
  place: AuditPlace | null;
  /** Accepted, rejected or deferred. */
  polarity: Polarity;
  /** Why; empty where no reason was given. */
  reason: string;
}

/** A knowledge base in parts. */
export interface Decomposition {
  /** Whether every part with the preamble is within the size and has every rule it needs. */
  ok: boolean;
  /** What all texts together are over the whole, with the preamble stored once. */
  overhead: number;
  /** The same with the preamble in every part. */
  overheadCopied: number;
  /** The parts in the order of the document. */
  parts: KnowledgePart[];
  /** The rules that hold everywhere. */
  preamble: string;
  /** The places of its items. */
  preambleItems: number[];
  /** The size of the preamble by the counter. */
  preambleSize: number;
  /** What does not fit, where something does not. Then there are no parts. */
  unsafe: PartTooLarge | null;
}

/** How an item binds, whatever its type. */
export type Deontic = "none" | "prohibit" | "require" | "limit" | "permit";

/** Something that one of two summaries has and the other has not. */
export interface Difference {
  /** Whether the first summary has it. */
  inFirst: boolean;
  /** Its text, as the one summary has it. */
  text: string;
  /** What it is. */
  what: DifferenceKind;
}

/** What two summaries differ in. */
export type DifferenceKind = "identifier" | "decision" | "rule";

/** What is left of identifiers and decisions after each round of compaction. */
export interface DriftReport {
  /** Decisions that were looked for. */
  decisions: number;
  /** Identifiers that were looked for. */
  identifiers: number;
  /** What is left of them, round by round. */
  rounds: Survival[];
}

/** A text of the task state and who gave it. */
export interface Entry {
  /** The text. */
  text: string;
  /** Trust of its producer. */
  trust: Trust;
  /** User events observed before it. */
  turn: number;
}

/** What a check found in a summary, with the sentence it is about. Kept until the next commit, never stored nor exported. */
export interface Evidence {
  /** The request or the rule it is about. */
  about: string;
  /** As in the receipt's finding: `claim_forged`, `identifier_changed`, ... */
  kind: string;
  /** What was done. */
  repair: string;
  /** The sentence or the identifier, at most 256 characters of it. */
  text: string;
}

/** Why an item has its type. */
export interface Explanation {
  /** What each feature adds, the largest first. */
  contributions: Contribution[];
  /** The type. */
  knowledge: Knowledge;
  /** How likely it is a constraint, per mille. */
  pConstraint: number;
  /** The sums of all contributions. */
  scores: Scores;
}

/** One rule's fate in a text. */
export interface Fate {
  /** The finer word: `softened`, `generalised`, `exception-lost`, `number-changed`, `condition-changed`, `id-changed` … */
  detail: string | null;
  /** The passage of the text that decided; empty where there is none. */
  evidence: string;
  /** What happened. */
  kind: FateKind;
  /** In a sentence. */
  message: string;
  /** The rule. */
  rule: string;
}

/** What happened to a rule, from best to worst. */
export type FateKind = "preserved" | "paraphrased" | "weakened" | "mutated" | "contradicted" | "dropped" | "unverifiable";

/** Something a check found, and what was done about it. */
export interface Finding {
  /** The request, segment, rule or event it is about: an id, never a text. */
  about: string;
  /** How often. */
  count: number;
  /** A stable name, such as `summarizer_failed` or `block_imitation`. */
  kind: string;
  /** What was done: `extractive`, `removed`, `restored`, `appended`, `neutralized`, `kept`, `applied`, `held`, `notice`, `none`. */
  repair: string;
}

/** An item that was found. */
export interface FoundItem {
  /** The headings it stands under, the outermost first. */
  headingPath: string[];
  /** Whether it is a rule in scope, or may be one. */
  inScope: boolean;
  /** Its place in the index. */
  index: number;
  /** Its type. */
  knowledge: Knowledge;
  /** Its first line in the document, from 1; 0 where there is none. */
  line: number;
  /** Where it comes from. */
  source: string;
  /** What it says. */
  text: string;
}

/** A text to be typed, and what stands around it. */
export interface Given {
  /** The headings it stands under, the outermost first. */
  headingPath?: string[];
  /** What it is: `item`, `step` (a numbered item), `row`, `fence`, `quote`. Anything else is a paragraph. */
  kind?: string | null;
  /** The line that governs it, as "Do not:" governs the list below it. */
  leadIn?: string | null;
  /** The text of the item, without its list mark. */
  text: string;
}

/** Rule-shaped external text, kept as data without authority (R11). */
export interface Held {
  /** How often it was seen. */
  count: number;
  /** SHA-256 of the trimmed text. */
  digest: string;
  /** The first 16 hexadecimal digits of the digest. */
  fingerprint: string;
  /** Whether it restricts or states a hazard, so that the held block shows it; else only a stub stands there. */
  restricts: boolean;
  /** The event it was last seen in. */
  seq: number;
  /** Whom it came from, newest first seen. */
  source: string;
  /** The trimmed text. */
  text: string;
  /** User events observed before it was last seen. */
  turn: number;
}

/** How a planned segment comes about. */
export type How = "reuse" | "summarize" | "extract" | "line" | "foreign";

/** Whether spans are summarized twice, to see whether both say the same. */
export type Idempotence = "off" | "sample" | "always";

/** What is wrong with an identifier. */
export type IdentifierFault = "changed" | "invented" | "missing";

/** An identifier, number or date that did not come through. */
export interface IdentifierFinding {
  /** The sentence it stands in; empty for a missing one. */
  evidence: string;
  /** What is wrong. */
  fault: IdentifierFault;
  /** What it may have been. */
  origins: string[];
  /** Where that stands. */
  place: AuditPlace | null;
  /** The identifier: as the summary has it, or the missing one. */
  text: string;
}

/** A text with its knowledge type. */
export interface Item {
  /** How sure its type is, per mille. */
  confidence: number;
  /** Whether its source says by itself what it is, whatever the words. */
  declared: boolean;
  /** The headings it stands under, the outermost first. */
  headingPath: string[];
  /** What it is. */
  kind: ItemKind;
  /** Its type. */
  knowledge: Knowledge;
  /** The line that governs it. */
  leadIn: string | null;
  /** Its first line in the document, from 1; 0 where there is none. */
  line: number;
  /** How likely it is a constraint, per mille. Also the order in which rules are given up where not all fit. */
  pConstraint: number;
  /** How it binds. */
  polarity: Deontic;
  /** The paths it is about, as globs of the document's front matter. */
  scope: string[];
  /** Where it comes from. */
  source: string;
  /** Whether it may be a constraint though it is not called one: to be kept after the rules, and reviewed. */
  suspected: boolean;
  /** What it says: wrapped lines joined, without list mark. */
  text: string;
  /** How long it is to be kept. */
  tier: Tier;
  /** Whose words it is. */
  trust: Trust;
}

/** How much of an item stands in a compacted text. */
export type ItemForm = "verbatim" | "shortened" | "merged" | "dropped";

/** What an item of a document is. */
export type ItemKind = "paragraph" | "item" | "step" | "row" | "fence" | "quote";

/** One item of a knowledge base and what became of it. */
export interface ItemOutcome {
  /** How much of it there is. */
  form: ItemForm;
  /** Its place among the items. */
  index: number;
  /** Its type. */
  knowledge: Knowledge;
  /** Its first line in the document, from 1; 0 where there is none. */
  line: number;
  /** How likely it is a constraint, per mille. */
  pConstraint: number;
  /** What it says, in this form. */
  text: string;
}

/** What kind of knowledge an item is, and with that how much of it a compaction may change. */
export type Knowledge = "constraint" | "procedural" | "belief" | "preference" | "episodic";

/** One part of a knowledge base. */
export interface KnowledgePart {
  /** The places of rules and lead-ins that stand here as well. */
  copies: number[];
  /** The places of the items that have their place here. */
  items: number[];
  /** The size of the text by the counter. */
  size: number;
  /** Its text, to be read behind the preamble. */
  text: string;
}

/** What comes of a user's own words that loosen one of the user's own promoted rules (R7). */
export type Loosening = "apply" | "ask";

/** How the new summaries came about. */
export type Method = "none" | "model" | "extractive" | "mixed";

/** An original that is not here and that a segment is to be summarized anew from. */
export interface Need {
  /** Digest of the host's message: its key in a store. None where a restore found only the chain over it. */
  digest: string | null;
  /** Its place in the log. */
  seq: number;
}

/** New text of `after`: a summary, a note, a changed prompt. */
export interface NewText {
  /** Where it stands. */
  place: AuditPlace;
  /** Its estimated size. */
  tokens: number;
}

/** What came of an observed message. */
export interface Observed {
  /** What was noticed, by stable names. */
  flags: string[];
  /** Rule-shaped external texts in it. */
  held: number;
  /** Names of the rules it put in force. */
  promoted: string[];
  /** Its place in the log. */
  seq: number;
  /** Its estimated price. */
  tokens: number;
}

/** What to do when the originals of a span that should be summarized anew are gone. */
export type OnDegraded = "continue" | "refuse";

/** What is done about the findings of a check. */
export type OnFinding = "repair" | "refuse" | "report";

/** How much a missed rule costs beside a false one. */
export type OperatingPoint = "strict" | "balanced" | "lean";

/** How a segment's text came about. */
export type Origin = "model" | "extractive" | "mixed" | "line" | "foreign";

/** What came of a decision. */
export type Outcome = "continue" | "rendered" | "compacted" | "nothing_to_do" | "invariant_lost";

/** How a call and its result were parted. */
export type PairFault = "result_without_call" | "call_without_result";

/** A call or a result that stands alone in `after` and did not in `before`. */
export interface PairFinding {
  /** What is wrong. */
  fault: PairFault;
  /** The call's id. */
  id: string;
  /** Index of the message in `after`. */
  index: number;
}

/** Why there are no such parts. */
export interface PartTooLarge {
  /** How much of it is missing. */
  deficit: number;
  /** The place of an item that does not fit beside the rules it needs; none where the preamble alone does not. */
  item: number | null;
  /** A size that would do. */
  required: number;
}

/** A compaction that has not happened yet. */
export interface Plan {
  /** What it was made from. */
  base: Base;
  /** First event of the new tail. */
  cut: number;
  /** Events of the head. */
  head: number;
  /** Digest of the plan itself. */
  id: string;
  /** Items of the planned spans by outcome. */
  items: Record<string, number>;
  /** Events before the cut that stay whole. */
  kept: number[];
  /** Originals that are needed and not here: page them in and plan again. A plan that is committed as it is leaves the segments over them as they are, marked as degraded. */
  needs: Need[];
  /** Why it is made. */
  reason: string;
  /** What the host is asked to summarize. */
  requests: Request[];
  /** Rules in force that stand in the planned spans; if one is replaced, the plan is stale. */
  rules: string[];
  /** The segments after the commit, in order. */
  segments: Planned[];
  /** Spans whose text had to be shortened. */
  shortened: SeqSpan[];
  /** Whether the last legal group alone is larger than the tail's budget. */
  tailOverBudget: boolean;
  /** Version of this form. */
  version: number;
}

/** One segment of the ledger after the commit. */
export interface Planned {
  /** Size of its text. */
  budgetTokens: number;
  /** First event. */
  from: number;
  /** How it comes about. */
  how: How;
  /** How often its events were summarized before. */
  level: number;
  /** Whether it stands for events that were summarized before. */
  remade: boolean;
  /** Its requests. */
  requests: string[];
  /** Last event, inclusive. */
  to: number;
}

/** What became of a proposal. */
export type Polarity = "accepted" | "rejected" | "deferred";

/** A guard's policy. Sizes are tokens; `null` fields are derived from the window. */
export interface Policy {
  /** What to do about the findings of a check, by its name: `fate`, `authority`, `identifiers`, `decisions`, `idempotence`. Those not named are repaired. */
  checks?: Record<string, OnFinding>;
  /** Events after which an unanswered call no longer holds anything back. */
  deadCallEvents?: number;
  /** Whether the guard compacts at all. Rules are pinned and asserted either way. */
  enabled?: boolean;
  /** Most that the held block may take. Default: a fiftieth of the window. */
  heldTokens?: number | null;
  /** Whether spans are summarized twice. */
  idempotence?: Idempotence;
  /** Price of one image. */
  imageTokens?: number;
  /** What to do where a user loosens a rule in conversation. */
  loosening?: Loosening;
  /** Room kept for the next tool result. Default: an eighth of the window. */
  maxToolResultTokens?: number | null;
  /** Share a compaction must free for the next one to be worth while at once. */
  minFreedFraction?: number;
  /** What to do without originals. */
  onDegraded?: OnDegraded;
  /** A pattern that replaces the published one for rule-shaped text, in regex-lite syntax without the flags `R`, `U` and `x`. */
  pattern?: string | null;
  /** Most that all active rules may take. Default: a tenth of the window. */
  pinnedTokens?: number | null;
  /** Longest promoted rule; a longer one keeps its whole event. */
  promotedMaxTokens?: number;
  /** Most that promoted rules may take together. */
  promotedTokens?: number;
  /** Share of the window beyond which quality suffers; the backstop never lies above it. */
  qualityFraction?: number;
  /** Most that all segments may take together. Default: a tenth of the window. */
  segmentsTokens?: number | null;
  /** Share of the window below which no boundary compacts. */
  softFloorFraction?: number;
  /** Most that one summary request may hold. Default: half the window. */
  summarizerWindowTokens?: number | null;
  /** Most that the new summaries of one compaction may take; where little is folded, three quarters of it. Default: 4,000 or a 25th of the window, the smaller. */
  summaryTokens?: number | null;
  /** Size of the tail that stays whole. Default: a tenth of the window, or the last user message where that is larger. */
  tailTokens?: number | null;
  /** Size of the task state beyond which it is flagged. Default: a twentieth of the window. */
  taskStateTokens?: number | null;
  /** Rounds that the host has tested; beyond them receipts warn. */
  testedRounds?: number;
  /** Sources given a trust of their own beside the known ones. */
  trustedSources?: Record<string, Trust>;
  /** Size of the model's context window. Required. */
  windowTokens?: number | null;
}

/** Where an event's text is. */
export type Presence = "here" | "paged_out" | "source_removed" | "replayed" | "missing" | "forgotten";

/** A question nobody has answered yet. */
export interface Question {
  /** Names it for `close_question`. */
  id: string;
  /** The text. */
  text: string;
  /** Trust of its producer. */
  trust: Trust;
  /** User events observed before it. */
  turn: number;
}

/** An event as recalled. Text of rules no longer in force stands as a marker (R8). */
export interface Recalled {
  /** Digest of the host's message: the key of the original in a store. */
  digest: string;
  /** Whether the text is here, paged out, or gone. */
  presence: Presence;
  /** Its role. */
  role: Role;
  /** Its place in the log. */
  seq: number;
  /** Name of the producer. */
  source: string;
  /** Its text; none where it is not here. */
  text: string | null;
  /** Trust of the message as a whole. */
  trust: Trust;
  /** User events before it. */
  turn: number;
}

/** The record of one decision. All fields are in every receipt; sizes are estimated tokens. */
export interface Receipt {
  /** What a person should know. */
  alarms: Alarm[];
  /** Spans of events that the segments stand for, inclusive. */
  covered: SeqSpan[];
  /** Spans known only through a summary whose originals are gone. */
  degraded: SeqSpan[];
  /** What the checks found. */
  findings: Finding[];
  /** Items of newly folded events by outcome: summarized, pinned, held, `task_state`, dropped, shortened, withheld. */
  items: Record<string, number>;
  /** Messages in the window before. */
  messagesIn: number;
  /** Messages in the window after. */
  messagesOut: number;
  /** How the new summaries came about. */
  method: Method;
  /** What came of it. */
  outcome: Outcome;
  /** SHA-256 of the pinned block; empty without rules. */
  pinnedDigest: string;
  /** Why: `boundary:task_completed`, `headroom_backstop`, `continue`, `in_flight`, ... */
  reason: string;
  /** Compactions committed so far, this one included. */
  round: number;
  /** Rules by status. */
  rules: RuleCounts;
  /** Segments by what was done with them. */
  segments: SegmentCounts;
  /** Spans whose text had to be shortened before it was summarized, or is known by one line only. */
  shortened: SeqSpan[];
  /** Tokens at the start of the window that are byte for byte as before. */
  stablePrefixTokens: number;
  /** Tokens before. */
  tokensIn: number;
  /** Tokens after. */
  tokensOut: number;
  /** User events observed so far. */
  turnIndex: number;
  /** Rule-shaped texts that nobody declared, by source. A name that is not the engine's own is told by its kind and its fingerprint: `tool:3e8f…` is a tool. */
  undeclared: Record<string, number>;
}

/** One text to summarize. `prompt` is ready to be sent to a model; `text` is what it is about. */
export interface Request {
  /** Size of the summary in tokens; 1.25 times as much is still taken. */
  budgetTokens: number;
  /** The key of the answer in `commit`. */
  id: string;
  /** Instructions and text, ready to be sent. */
  prompt: string;
  /** The request that this one repeats word for word, to see whether both answers say the same. */
  repeats: string | null;
  /** First and last event, inclusive. */
  span: SeqSpan;
  /** One JSON line per event: seq, turn, role, trust, text. Rules stand as markers. */
  text: string;
}

/** How a snapshot fits the host's list. */
export interface RestoreVerdict {
  /** The first message, by its index, that is not known to be as before, where the list is `shorter`, `edited`, `other` or `empty`. */
  firstDivergence: number | null;
  /** What was noticed, by stable names. */
  flags: string[];
  /** `attached`, `longer`, `shorter` (cut at its end), `trimmed` (messages before the last that is known are gone), `edited`, `other` (nothing of it is known), `empty`, `detached` (no messages given) or `rebuilt`. */
  outcome: string;
  /** The place in the log of each message given. */
  seqs: number[];
  /** Spans of the segments that the list no longer bears out: they are void, and their events stand whole again. */
  void: SeqSpan[];
}

/** What a query found. */
export interface Retrieved {
  /** At most as many as were asked for: rules in scope, the nearest first, then what fits best. */
  items: FoundItem[];
  /** Whether every rule in scope is among the items. */
  ok: boolean;
  /** The rules in scope for which there was no room. */
  overflow: FoundItem[];
}

/** Something for a person to decide: a held text, an overflow, a look-alike, a change of a rule. */
export interface Review {
  /** The 16-digit name of the rule that it changes or would change. */
  about: string | null;
  /** Give this to `approve` or `reject`: it binds text, origin and trust as they were read. */
  handle: string;
  /** `held`, `promotion_overflow`, `lookalike`, `loosened` (done; to reject it undoes it), `loosening` (waits) or `unclear_change` (both are in force; to approve it replaces the older). */
  kind: string;
  /** Whom it came from. */
  source: string;
  /** The text in question. */
  text: string;
  /** With which trust. */
  trust: Trust;
  /** User events observed before it. */
  turn: number;
}

/** The role a message has in its shape. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** A rule of the registry. */
export interface Rule {
  /** SHA-256 of the trimmed text. */
  digest: string;
  /** The first 16 hexadecimal digits of the digest, the name shown in the block. */
  fingerprint: string;
  /** Taken over from the guard this one was forked from; cannot be changed here. */
  inherited: boolean;
  /** Another rule with other bytes but the same look. */
  lookalikeOf: string | null;
  /** Whether it stands in the pinned block now; a rule promoted since the last commit stands in its own event. */
  pinned: boolean;
  /** The user it was said by or for, where the host says so. */
  principal: string | null;
  /** Why it is no longer in force. */
  reason: string | null;
  /** What replaced it. */
  replacedBy: string | null;
  /** The host's own label of where the rule applies. */
  scope: string | null;
  /** Events of the log that say it (promoted rules), at most eight. */
  seqs: number[];
  /** Everyone who said it, in order of first appearance. */
  sources: string[];
  /** Whether and how it is in force. */
  status: Status;
  /** The trimmed text, inner bytes untouched. */
  text: string;
  /** The highest trust it was said with. */
  trust: Trust;
  /** User events observed before it was first said; its place in the block. */
  turn: number;
}

/** Rules by status. */
export interface RuleCounts {
  /** Declared and in force. */
  declared: number;
  /** Held external texts. */
  held: number;
  /** Promotions over budget. */
  overflow: number;
  /** Promoted and in force. */
  promoted: number;
}

/** One rule and what the compaction did to it. */
export interface RuleFate {
  /** The finer word of the fate; `role_lowered` where the rule stands only in results of tools or in the assistant's words, `contradicted_elsewhere` where it stands and new text says the opposite. */
  detail: string | null;
  /** The passage of `after` that decided; empty where there is none. */
  evidence: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the trimmed text. */
  fingerprint: string;
  /** Where it was found in `before`; nothing for a rule that the caller gave. */
  found: AuditPlace | null;
  /** Whether it is preserved or paraphrased where it has authority, and nothing new contradicts it. */
  kept: boolean;
  /** What happened. */
  kind: FateKind;
  /** Where that passage stands. */
  place: AuditPlace | null;
  /** The rule. */
  rule: string;
  /** The roles in whose words the rule stands in full. */
  survives: Role[];
  /** Who said it; nothing for a rule that the caller gave. */
  trust: Trust | null;
}

/** What a load of a source's rules changed (R10). */
export interface RulesDiff {
  /** Names of the rules that are new. */
  declared: string[];
  /** Names of the rules that were already in force. */
  kept: string[];
  /** Names of the rules that the source no longer has. */
  revoked: string[];
}

/** One number for each knowledge type. */
export interface Scores {
  /** For a belief. */
  belief: number;
  /** For a constraint. */
  constraint: number;
  /** For an episode. */
  episodic: number;
  /** For a preference. */
  preference: number;
  /** For a procedure. */
  procedural: number;
}

/** Segments by what the compaction did with them. */
export interface SegmentCounts {
  /** Made for newly folded events. */
  new: number;
  /** Made anew from their events. */
  remade: number;
  /** Taken over byte for byte. */
  reused: number;
}

/** A segment as shown to callers. */
export interface SegmentView {
  /** Whether its originals are gone. */
  degraded: boolean;
  /** Its name. */
  id: string;
  /** How often its events were summarized before. */
  level: number;
  /** How the text came about. */
  origin: Origin;
  /** First and last event, inclusive. */
  span: SeqSpan;
  /** The summary. */
  text: string;
  /** Estimated tokens. */
  tokens: number;
  /** Lowest trust of what was summarized. */
  trust: Trust;
  /** User turns of the first and the last event. */
  turns: SeqSpan;
}

/** A file of messages. */
export interface Session {
  /** The compactions, in order. */
  compactions: SessionCompaction[];
  /** What kind of file it is. */
  format: SessionFormat;
  /** What was said and done, without the summaries of compactions. */
  messages: unknown[];
  /** The system slot beside the list, as the file has it. */
  system: unknown;
  /** Lines that could not be read. */
  unread: number;
}

/** A compaction that a session file tells of. */
export interface SessionCompaction {
  /** The window that came of it. */
  after: unknown[];
  /** How many messages came before it. */
  at: number;
  /** Whether a part of what came of it can be read by the provider alone. */
  sealed: boolean;
  /** What set it off, where the file says so: `auto`, `manual`. */
  trigger: string | null;
}

/** What kind of file it is. */
export type SessionFormat = "messages" | "claude_code" | "codex";

/** What the compactions of a session did. */
export interface SessionReport {
  /** What kind of file it is. */
  format: SessionFormat;
  /** Rules that went through a compaction. */
  judged: number;
  /** Those of them that are lost; what nobody can verify is not. */
  lost: number;
  /** Messages in it, without summaries. */
  messages: number;
  /** Whether no rule is lost. */
  ok: boolean;
  /** Every compaction, in order. */
  rounds: SessionRound[];
  /** Every rule, in the order they were said. */
  rules: SessionRule[];
  /** Lines that could not be read. */
  unread: number;
}

/** One compaction of a session. */
export interface SessionRound {
  /** How many messages came before it. */
  at: number;
  /** What it did, from window to window. Its rules are those said so far, in order. */
  report: AuditReport;
  /** Whether a part of what came of it can be read by the provider alone. What is not found is unverifiable then. */
  sealed: boolean;
  /** What set it off, where the file says so. */
  trigger: string | null;
}

/** A rule and how it fared. */
export interface SessionRule {
  /** The finer word of that. */
  detail: string | null;
  /** The passage that decided; empty where there is none. */
  evidence: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the trimmed text. */
  fingerprint: string;
  /** Where it was said first; nothing for a rule that the caller gave. */
  found: AuditPlace | null;
  /** What happened to it there, or in the last compaction. */
  kind: FateKind;
  /** The compaction that lost it and after which it never stood again, from 0; nothing where it stands. */
  lost: number | null;
  /** The rule. */
  rule: string;
  /** The first compaction it went through, from 0; nothing where there was none. */
  since: number | null;
  /** Who said it; nothing for a rule that the caller gave. */
  trust: Trust | null;
}

/** A provider's message format. */
export type Shape = "openai" | "anthropic" | "ai_sdk" | "responses" | "gemini";

/** The host's own message of this event, untouched. */
export interface SlotHost {
  host: number;
}

/** A message of ours, in the host's shape. */
export interface SlotOwn {
  own: unknown;
}

/** One message of a window. */
export type Slot = SlotHost | SlotOwn;

/** Authority of a T0 item. *Active* is declared or promoted. */
export type Status = "declared" | "promoted" | "overflow" | "superseded" | "revoked" | "rejected";

/** A summary as the host gives it back. */
export interface Summary {
  /** Why the model stopped, where known. */
  finishReason?: string | null;
  /** The text. */
  text: string;
}

/** What is left after a round. */
export interface Survival {
  /** Decisions that are still there with their polarity. */
  decisions: number;
  /** Identifiers that are still there. */
  identifiers: number;
  /** Identifiers that were there the round before, and are not any more. */
  lost: string[];
  /** Identifiers that are new or changed. */
  novel: string[];
  /** Those of them that also have their reason. */
  reasons: number;
  /** Whether it fell for the third time running, more than 6 % in all. */
  thinner: boolean;
  /** The size of the memory. */
  tokens: number;
}

/** What the host's list changed. */
export interface Synced {
  /** Messages that are new at the end. */
  appended: number;
  /** Messages that stand where others were before. */
  edited: number;
  /** First index of the host's list that is not as before. */
  firstDivergence: number | null;
  /** What came of the messages that are new or edited. */
  observed: Observed[];
  /** Messages that are gone. */
  removed: number;
  /** The place in the log of each message given, from the first that was given on. */
  seqs: number[];
}

/** Goal, plan, decisions and open questions. */
export interface TaskState {
  /** What was decided, oldest first. */
  decisions: Decision[];
  /** What is to be reached. */
  goal: Entry | null;
  /** Questions opened so far, for their ids. */
  opened: number;
  /** The steps, in order. */
  plan: Entry[];
  /** What is open. */
  questions: Question[];
}

/** Retention of an item in a compacted window. */
export type Tier = "invariant" | "task_state" | "episodic" | "discardable";

/** `operator` > `user` > `agent` > `external`. The derived order is the order of authority. */
export type Trust = "external" | "agent" | "user" | "operator";

/** Why no safe result is possible: the rules alone are over the budget. */
export interface Unsafe {
  /** How much of it is missing. */
  deficit: number;
  /** The rules that do not fit beside the others, the least likely first. */
  items: ItemOutcome[];
  /** The sum of how likely each of them is a rule, in thousandths of a rule. */
  lost: number;
  /** In how many parts a decomposition might hold everything. */
  parts: number;
  /** The smallest budget that holds the rules. */
  required: number;
}

/** The answer to "should this window be compacted now?". */
export interface Verdict {
  /** Whether to compact now. */
  compact: boolean;
  /** `boundary:<name>`, `headroom_backstop`, `requested`, `overflow`, `continue`, `in_flight`, `no_progress` or `off`. */
  reason: string;
  /** The threshold that decided: soft floor for a boundary, mechanical limit for a hard need, else the backstop. */
  threshold: number;
  /** Tokens in use. */
  used: number;
}

/** A window as the engine gives it; bindings put the host's objects in. */
export interface Window {
  /** The pinned block. */
  pinned: string;
  /** The record of the decision this window came from. */
  receipt: Receipt;
  /** The messages in order. */
  slots: Slot[];
  /** The system slot for shapes that have one: the host's own head as told by `overhead`, a blank line, the pinned block; a text, or a list of text blocks where the host's head is one. None where the block is among the messages. */
  system: unknown;
}
