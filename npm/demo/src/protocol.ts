// What the page and its worker say to each other.

import type { Contribution, Fate, Knowledge, Review, Scores, SessionReport, Trust } from "standfast";
import type { Point, Round } from "./replay.js";
import type { SummarizerName } from "./summarizer-names.js";

export type Tier = "invariant" | "task_state" | "episodic" | "discardable";

/** A file as it was opened. */
export interface Opened {
  readonly name: string;
  readonly kind: SessionReport["format"] | "document";
  readonly messages: number;
  readonly tokens: number;
  /** Lines that could not be read. */
  readonly unread: number;
  /** What its own compactions did, where it has some. */
  readonly session: SessionReport | null;
  /** The rules of the documents that came with it. */
  readonly rules: readonly string[];
}

/** A replay, as the page draws it. */
export interface Played {
  readonly summarizer: SummarizerName;
  readonly windowTokens: number;
  readonly softFloor: number;
  readonly backstop: number;
  readonly rules: readonly string[];
  readonly rounds: readonly Round[];
  readonly points: readonly Point[];
  readonly pinned: string;
  readonly digest: string;
  readonly review: readonly Review[];
}

/** What one summarizer left of the rules, round by round. */
export interface Compared {
  readonly summarizer: SummarizerName;
  readonly rules: readonly number[];
  readonly plain: readonly number[];
  readonly ours: readonly number[];
}

/** One text of an item list. */
export interface ShownItem {
  readonly text: string;
  readonly tier: Tier;
  readonly knowledge: Knowledge;
  readonly polarity: string;
  readonly confidence: number;
  readonly line: number;
  readonly heading: string;
}

export interface ItemGroup {
  /** Its message; -1 for a document. */
  readonly message: number;
  readonly role: string;
  readonly trust: Trust;
  readonly items: readonly ShownItem[];
}

export interface ItemPage {
  readonly groups: readonly ItemGroup[];
  /** The message to go on from; null at the end. */
  readonly next: number | null;
}

export interface Explained {
  readonly contributions: readonly Contribution[];
  readonly scores: Scores;
  readonly pConstraint: number;
}

/** A file, or its text. */
export interface Source {
  readonly name: string;
  readonly source: File | string;
}

/** The worker's methods: arguments and result. */
export interface Methods {
  /** `host` is the conversation that the rules of a document are played in. */
  open: [args: { files: readonly Source[]; host: string }, result: Opened];
  play: [args: { summarizer: SummarizerName }, result: Played];
  compare: [args: { summarizers: readonly SummarizerName[] }, result: readonly Compared[]];
  items: [args: { from: number }, result: ItemPage];
  explain: [args: { message: number; item: number }, result: Explained];
  fates: [args: { text: string }, result: Fate[]];
  review: [args: { handle: string; verdict: "approve" | "reject" }, result: Pick<Played, "review" | "pinned" | "digest">];
  receipt: [args: Record<string, never>, result: string];
  snapshot: [args: Record<string, never>, result: string];
}

export type Method = keyof Methods;

/** From the page. */
export type ToWorker = { id: number; method: Method; args: unknown } | { answer: number; text: string | null };

/** What goes wrong, in words for a person. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** From the worker. */
export type FromWorker =
  | { ready: true; lock: string }
  | { id: number; result: unknown }
  | { id: number; failure: Failure }
  | { id: number; progress: number }
  | { ask: number; text: string };
