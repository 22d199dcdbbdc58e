// Plays a conversation twice with one summarizer, until it has been compacted so many times: the plain way (head, one rolling
// summary, tail) and behind a guard. Both keep the same tail, and one judge says what became of each rule.

import { Guard, auditCompaction, countTokens, type FateKind, type Receipt } from "standfast";
import { added, headOf, speaker, textOf, tokensOf, type Given, type Message, type Script } from "./script.js";
import type { Summarize } from "./summarizers.js";

/** What became of a rule in one round. */
export interface RuleFate {
  readonly kept: boolean;
  readonly kind: FateKind;
  readonly detail: string | null;
  /** The passage that decided. */
  readonly evidence: string;
}

export interface Arm {
  readonly tokensBefore: number;
  readonly tokens: number;
  /** By rule, in the order of `Replay.rules`. */
  readonly fates: readonly RuleFate[];
}

export interface Round {
  readonly message: number;
  readonly reason: string;
  readonly plain: Arm;
  readonly ours: Arm;
  readonly digest: string;
}

/** How full the window was before a message. */
export interface Point {
  readonly message: number;
  readonly used: number;
  /** Where it was compacted: the reason. */
  readonly reason?: string;
}

export interface Replay {
  readonly windowTokens: number;
  readonly softFloor: number;
  readonly backstop: number;
  readonly rules: readonly string[];
  readonly rounds: readonly Round[];
  readonly points: readonly Point[];
  readonly pinned: string;
  readonly receipt: Receipt | null;
  /** The guard as it stands in the end. It is the caller's to close. */
  readonly guard: Guard<Message>;
}

export interface ReplayOptions {
  readonly rounds?: number;
  /** Asked now and then; whoever throws here ends the replay. */
  readonly tick?: (done: number) => void | Promise<void>;
}

const SOFT_FLOOR = 0.5;
/** Points of the gauge that are kept. */
const POINTS = 1_000;

/** Head, one rolling summary, tail. Rules are ordinary messages, where they were given. */
class Plain {
  #summary: string | null = null;
  #events: { at: number; message: Message }[] = [];
  readonly #head: number;

  constructor(
    readonly script: Script,
    readonly summarize: Summarize,
  ) {
    this.#head = headOf(script.messages);
  }

  rule({ message: at, text }: Given): void {
    this.#events.push({ at, message: added(this.script.system === undefined ? "system" : "user", text, this.script.messages) });
  }

  message(at: number, message: Message): void {
    if (at >= this.#head) this.#events.push({ at, message });
  }

  get window(): { messages: Message[]; system?: unknown } {
    const memory = this.#summary === null ? [] : [added("user", `Summary of the conversation so far:\n${this.#summary}`, this.script.messages)];
    const messages = [...this.script.messages.slice(0, this.#head), ...memory, ...this.#events.map(({ message }) => message)];
    return { messages, ...(this.script.system === undefined ? {} : { system: this.script.system }) };
  }

  async compact(tail: number): Promise<void> {
    const folded = this.#events.filter(({ at }) => at < tail);
    this.#events = this.#events.filter(({ at }) => at >= tail);
    // the lines that a guard's request has
    const told = folded.map(({ message }) => ({ role: message["role"], trust: speaker(message), text: textOf(message) }));
    const lines = this.#summary === null ? told : [{ role: "user", trust: "user", text: this.#summary }, ...told];
    this.#summary = await this.summarize({ text: lines.map((line, seq) => JSON.stringify({ seq, turn: 0, ...line })).join("\n"), budgetTokens: Math.floor(this.script.windowTokens / 10) });
  }
}

/** Plays a script. */
export async function replay(script: Script, summarize: Summarize, options: ReplayOptions = {}): Promise<Replay> {
  const { rounds: most = 5, tick } = options;
  const { windowTokens, messages, system } = script;
  // a small window leaves a tenth for rules by default; files of users may hold more than that
  const stated = script.rules.reduce((sum, { text }) => sum + countTokens(text) + 24, 200);
  const pinnedTokens = Math.floor(Math.max(Math.min(windowTokens / 5, 3_000), Math.min(windowTokens / 3, stated)));
  const guard = new Guard<Message>({ windowTokens, softFloorFraction: SOFT_FLOOR, pinnedTokens });
  if (system !== undefined) guard.overhead({ system: system as string | unknown[] });
  const plain = new Plain(script, summarize);
  const rules: string[] = script.rules.map(({ text }) => text.trim());
  const own = script.rules.length === 0;
  const rounds: Round[] = [];
  const points: Point[] = [];
  let [backstop, lastTail, receipt] = [0, headOf(messages), null as Receipt | null];
  try {
    for (const [at, message] of messages.entries()) {
      if (at % 500 === 0) await tick?.(at / messages.length);
      for (const given of script.rules) {
        if (given.message !== at || given.said) continue;
        guard.declare(given.text, { source: given.source });
        plain.rule(given);
      }
      const verdict = guard.shouldCompact();
      if (verdict.reason === "continue") backstop = verdict.threshold;
      const due = speaker(message) === "agent" && verdict.compact;
      if (due && rounds.length === most) break;
      points.push({ message: at, used: verdict.used, ...(due ? { reason: verdict.reason } : {}) });
      if (due) {
        const before = { plain: plain.window, ours: guard.window() };
        const window = await guard.compact(({ text, budgetTokens }) => summarize({ text, budgetTokens }));
        guard.assertWindow(window.messages, { system: window.system });
        const tail = tailOf(window.messages, messages, at);
        if (tail > lastTail) {
          lastTail = tail;
          await plain.compact(tail);
          if (own) for (const { text } of guard.rules) if (!rules.includes(text)) rules.push(text);
          const given = own ? rules : script.rules.filter((rule) => rule.message < at || (rule.message === at && !rule.said)).map(({ text }) => text.trim());
          receipt = window.receipt;
          rounds.push({
            message: at,
            reason: verdict.reason,
            plain: arm(before.plain, plain.window, given),
            ours: arm(before.ours, window, given),
            digest: window.receipt.pinnedDigest,
          });
          await tick?.(at / messages.length);
        }
      }
      guard.observe(message);
      plain.message(at, message);
    }
    if (own) for (const { text } of guard.rules) if (!rules.includes(text)) rules.push(text);
    const { pinned } = guard.window();
    return { windowTokens, softFloor: Math.floor(windowTokens * SOFT_FLOOR), backstop, rules, rounds, points: thinned(points), pinned, receipt, guard };
  } catch (error) {
    guard.close();
    throw error;
  }
}

interface Side {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
}

function arm(before: Side, after: Side, rules: readonly string[]): Arm {
  // a window against itself: which of the rules stand in it, without a look at what else is new
  const { fates } = auditCompaction(after, after, rules);
  return {
    tokensBefore: tokensOf(before.system, before.messages),
    tokens: tokensOf(after.system, after.messages),
    fates: fates.map(({ kept, kind, detail, evidence }) => ({ kept, kind, detail, evidence })),
  };
}

/** Where the tail of a window begins in the host's list. */
function tailOf(window: readonly Message[], messages: readonly Message[], seen: number): number {
  let count = 0;
  while (count < window.length && count < seen && window[window.length - 1 - count] === messages[seen - 1 - count]) count++;
  return seen - count;
}

/** Of many points those that show: the fullest of each stretch, and every compaction. */
function thinned(points: readonly Point[]): Point[] {
  if (points.length <= POINTS) return [...points];
  const step = points.length / POINTS;
  const kept = new Map<number, Point>();
  for (const point of points) {
    const stretch = Math.floor(point.message / step);
    const known = kept.get(stretch);
    if (known === undefined || point.reason !== undefined || (known.reason === undefined && point.used > known.used)) kept.set(stretch, point);
  }
  return [...kept.values()];
}
