import type { Stored } from "./engine.js";
import type { LogStore } from "./store.js";
import type { Provider, Requests } from "./provider.js";
import type * as wire from "./wire.js";

/** Policy fields, and what belongs to this guard alone. */
export interface GuardOptions extends wire.Policy {
  /** Size of the model's context window. */
  windowTokens: number;
  /** The messages' format; detected where it is not given. */
  shape?: wire.Shape;
  /** Where snapshots put their texts. */
  store?: LogStore;
}

export interface DeclareOptions {
  /** Who declares it. Default `policy_loader`. */
  source?: string;
  scope?: string;
  principal?: string;
}

export interface ObserveOptions {
  source?: string;
  /** Overrides the trust of the message; upwards only for sources that the policy lists. */
  trust?: wire.Trust;
  principal?: string;
}

/** Who changes a rule: a person or a program, and under which source. Default source `policy_loader`. */
export interface ChangeOptions {
  by: string;
  source?: string;
}

export interface SourceOptions {
  source?: string;
}

/** Which events: a span of first and last seq, the best for a query, or the best of a span. */
export interface RecallOptions {
  span?: readonly [number, number];
  query?: string;
  /** How many a query gives at most; 10 without it. */
  k?: number;
}

export interface RestoreOptions<M extends object> {
  /** The host's whole list, to attach the tail. */
  messages?: readonly M[];
  store?: LogStore;
  /** The host's rules of today, by source. */
  rules?: Record<string, string[]>;
  key?: string | Uint8Array;
  /** Refuse anything older: `stale_snapshot`. */
  minGeneration?: number;
  onBadState?: "raise" | "rebuild";
  policy?: wire.Policy;
}

/** The rebuilt context. */
export interface Window<M extends object> {
  /** The host's very objects, and ours in the same shape. */
  messages: M[];
  /** Text for the system slot, in shapes that have it beside the list; else null. */
  system: string | unknown[] | null;
  /** The pinned block. */
  pinned: string;
  receipt: Receipt;
  /** The arguments that the SDK of a provider takes: the messages, and the system slot where it has one. */
  render<P extends Provider>(provider: P): Requests<M>[P];
}

export type Receipt = wire.Receipt & Stored;
export type Plan = wire.Plan & Stored;
export type TaskState = wire.TaskState & Stored;
