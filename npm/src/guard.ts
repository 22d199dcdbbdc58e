/// <reference lib="esnext.disposable" preserve="true" />
import { answer, ask, askSync, type Answers, type CompactOptions, type CompactSyncOptions, type Summarizer, type Summary, type SyncSummarizer } from "./cycle.js";
import { call, engine, fault, json, readStored, withStored, type Engine, type Stored } from "./engine.js";
import { list, optionText, optionalText, record, ruleText, take, text, texts, whole, type Plain } from "./input.js";
import { Mirror } from "./mirror.js";
import type { LogStore } from "./store.js";
import type * as wire from "./wire.js";

type EngineGuard = InstanceType<Engine["Guard"]>;

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
  system: string | null;
  /** The pinned block. */
  pinned: string;
  receipt: Receipt;
}

export type Receipt = wire.Receipt & Stored;
export type Plan = wire.Plan & Stored;
export type TaskState = wire.TaskState & Stored;

type Slot = { host: number } | { own: object };
const INTERNAL = Symbol("internal");
interface Parts<M> {
  [INTERNAL]: true;
  engine: EngineGuard;
  store: LogStore | undefined;
  hosts: Map<number, M>;
  seqs: number[];
  mirror: Mirror;
  restored: wire.RestoreVerdict | null;
}

/**
 * Guards one conversation: keeps its rules, says when to compact, and rebuilds the window from the host's own objects.
 *
 * The engine's memory is let go by `close()` (or `using`), and else when the guard is garbage collected.
 */
export class Guard<M extends object = object> {
  #engine: EngineGuard | undefined;
  readonly #store: LogStore | undefined;
  /** The host's objects by seq. */
  readonly #hosts: Map<number, M>;
  /** The seq of each message of the host's list at the last `sync`. */
  #seqs: number[];
  readonly #mirror: Mirror;
  /** How a restore went; null for a guard that was not restored. */
  readonly restored: wire.RestoreVerdict | null;

  constructor(options: GuardOptions) {
    if (options !== null && typeof options === "object" && INTERNAL in options) {
      const parts = options as unknown as Parts<M>;
      this.#engine = parts.engine;
      this.#store = parts.store;
      this.#hosts = parts.hosts;
      this.#seqs = parts.seqs;
      this.#mirror = parts.mirror;
      this.restored = parts.restored;
      return;
    }
    const { shape, store, ...policy } = record("options", options);
    const { Guard: Made } = engine();
    this.#engine = call(() => new Made(optionText("options", policy) ?? "{}", optionalText("shape", shape)));
    this.#store = checkedStore(store);
    this.#hosts = new Map();
    this.#seqs = [];
    this.#mirror = new Mirror();
    this.restored = null;
  }

  get #core(): EngineGuard {
    if (this.#engine === undefined) throw fault("guard_closed", "this guard is closed");
    return this.#engine;
  }

  // ── rules ──

  /** Declares a rule: it stands in every window from now on. */
  declare(rule: string, options?: DeclareOptions): wire.Rule {
    return json(() => this.#core.declare(ruleText("text", rule), optionText("options", options)));
  }

  /** Makes `rules` the whole truth of a source: new ones are declared, missing ones revoked. */
  setRules(source: string, rules: readonly string[]): wire.RulesDiff {
    return json(() => this.#core.setRules(text("source", source), texts("texts", rules, ruleText)));
  }

  /** Replaces a rule. */
  supersede(handle: string, rule: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.supersede(text("handle", handle), ruleText("text", rule), by, source));
  }

  /** Ends a rule. */
  revoke(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.revoke(text("handle", handle), by, source));
  }

  /** Makes a rule of what was reviewed. */
  approve(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.approve(text("handle", handle), by, source));
  }

  /** Makes ordinary text of what was reviewed. */
  reject(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.reject(text("handle", handle), by, source));
  }

  /** The active rules, in the order of the block. */
  get rules(): wire.Rule[] {
    return json(() => this.#core.rules());
  }

  /** All rules, with the ones out of force and the overflow. */
  get allRules(): wire.Rule[] {
    return json(() => this.#core.allRules());
  }

  /** Rule-shaped external text, kept as data. */
  get held(): wire.Held[] {
    return json(() => this.#core.held());
  }

  /** What waits for a reviewer. */
  get reviewQueue(): wire.Review[] {
    return json(() => this.#core.reviewQueue());
  }

  /** The audit trail of the rules. */
  get changes(): wire.Change[] {
    return json(() => this.#core.changes());
  }

  // ── events ──

  /** The messages' format, given or detected. */
  get shape(): wire.Shape | null {
    return json(() => this.#core.shape());
  }

  /** Takes one message. The object is kept and comes back in the window as it is. */
  observe(message: M, options?: ObserveOptions): wire.Observed {
    const { copy, replaced } = take(message);
    const observed = json<wire.Observed>(() => this.#core.observe(JSON.stringify(copy), observeText(options, replaced)));
    this.#hosts.set(observed.seq, message);
    return observed;
  }

  /** Takes several messages, one after the other. */
  observeAll(messages: readonly M[], options?: ObserveOptions): wire.Observed[] {
    return Array.from(list("messages", messages), (message) => this.observe(message as M, options));
  }

  /** Takes the host's whole list and finds what was added, edited or removed since the last call. */
  sync(messages: readonly M[], options?: ObserveOptions): wire.Synced {
    const core = this.#core;
    list("messages", messages);
    const unchanged = this.#mirror.prefix(messages);
    const { copies, replaced } = takeAll(messages, unchanged);
    const synced = json<wire.Synced>(() => core.sync(unchanged, JSON.stringify(copies), observeText(options, replaced)));
    this.#mirror.replace(unchanged, copies);
    this.#seqs.length = unchanged;
    for (const seq of synced.seqs) this.#seqs.push(seq);
    this.#attach(messages, synced.edited > 0 || synced.removed > 0);
    return synced;
  }

  /** Records a decision with its reason. */
  recordDecision(what: string, why: string, polarity: wire.Polarity = "accepted", options?: SourceOptions): void {
    call(() => this.#core.recordDecision(text("what", what), text("why", why), text("polarity", polarity), sourceOf(options)));
  }

  setGoal(goal: string, options?: SourceOptions): void {
    call(() => this.#core.setGoal(text("text", goal), sourceOf(options)));
  }

  setPlan(steps: readonly string[], options?: SourceOptions): void {
    call(() => this.#core.setPlan(texts("steps", steps), sourceOf(options)));
  }

  /** Opens a question; gives its id. */
  openQuestion(question: string, options?: SourceOptions): string {
    return json(() => this.#core.openQuestion(text("text", question), sourceOf(options)));
  }

  /** Closes a question by its id or text; whether there was one. */
  closeQuestion(question: string, options?: SourceOptions): boolean {
    return call(() => this.#core.closeQuestion(text("question", question), sourceOf(options)));
  }

  /** Goal, plan, decisions and open questions. */
  get task(): TaskState {
    return readStored(call(() => this.#core.task()));
  }

  /** Reports a semantic seam: a good moment to compact. */
  boundary(name: wire.BoundaryName): void {
    call(() => this.#core.boundary(text("name", name)));
  }

  /** Reports the tokens that the provider counted for the last request. */
  usage(tokens: number): void {
    call(() => this.#core.usage(whole("tokens", tokens)));
  }

  /** Reports what each request carries beside the messages; gives the tokens it comes to. */
  overhead(options: { system?: string; tools?: unknown }): number {
    const { system, tools } = record("options", options);
    const schemas = tools === undefined || tools === null ? undefined : JSON.stringify(take(tools).copy);
    return call(() => this.#core.overhead(optionalText("system", system), schemas));
  }

  // ── the cycle ──

  /** Whether to compact now. Read `.compact`: an object is always truthy. */
  shouldCompact(): wire.Verdict {
    return json(() => this.#core.shouldCompact());
  }

  /** The window as it is now, without compacting. */
  window(): Window<M> {
    return this.#window(call(() => this.#core.window()));
  }

  /** What a compaction would do. Changes nothing; the plan is plain data and may be committed in another process. */
  plan(options?: { asked?: wire.Asked }): Plan {
    return readStored(call(() => this.#core.plan(optionalText("asked", record("options", options)["asked"]))));
  }

  /** Commits a plan with a summary for each request; `null` for one that failed. On an error nothing is changed. */
  commit(plan: wire.Plan | string, summaries: Readonly<Record<string, Summary | null>> | ReadonlyMap<string, Summary | null>): Window<M> {
    const given = summaries instanceof Map ? [...(summaries as Map<string, unknown>)] : Object.entries(record("summaries", summaries));
    return this.#commit(planText(plan), new Map(given.map(([id, summary]) => [id, answer({ id }, summary)])));
  }

  /** The built-in extractive summary of one request. */
  extract(plan: wire.Plan | string, requestId: string): string {
    return json(() => this.#core.extract(planText(plan), text("requestId", requestId)));
  }

  /** Plans, summarizes and commits. Without a summarizer the built-in extractive one is taken. */
  async compact(summarizer?: Summarizer | null, options: CompactOptions = {}): Promise<Window<M>> {
    if (summarizer === undefined || summarizer === null) {
      options.signal?.throwIfAborted();
      return this.compactSync(null, options);
    }
    checkSummarizer(summarizer);
    options.signal?.throwIfAborted();
    const plan = this.plan(options);
    const answers = await ask(plan.requests, summarizer, options);
    return this.#commit(plan.toJson(), answers);
  }

  /** Compacts if it is time to; else null. */
  async maybeCompact(summarizer?: Summarizer | null, options: CompactOptions = {}): Promise<Window<M> | null> {
    return this.shouldCompact().compact ? this.compact(summarizer, options) : null;
  }

  /** `compact` with the built-in summarizer or one that answers at once. */
  compactSync(summarizer?: SyncSummarizer | null, options: CompactSyncOptions = {}): Window<M> {
    const plan = this.plan(options);
    const stored = plan.toJson();
    const given = summarizer ?? ((request) => this.extract(stored, request.id));
    checkSummarizer(given);
    return this.#commit(stored, askSync(plan.requests, given, options));
  }

  /**
   * The last check before a model call, on the real outgoing request. Throws `invariant_lost` if a rule is missing; gives
   * what else it found.
   */
  assertWindow(messages: readonly object[], options?: { system?: string | readonly object[] | null }): wire.Finding[] {
    const copies = takeAll(messages, 0).copies;
    const { system } = record("options", options);
    const slot = system === undefined || system === null ? undefined : JSON.stringify(take(system).copy);
    return json(() => this.#core.assertWindow(JSON.stringify(copies), slot));
  }

  /** The receipt of the last decision. */
  get receipt(): Receipt {
    return readStored(call(() => this.#core.receipt()));
  }

  get segments(): wire.SegmentView[] {
    return json(() => this.#core.segments());
  }

  /** Spans known only through a summary. */
  get degraded(): wire.SeqSpan[] {
    return json(() => this.#core.degraded());
  }

  // ── originals ──

  /** The original events of a span of seqs, first and last included. */
  recall(options: { span: readonly [number, number] }): wire.Recalled[] {
    const span = list("span", record("options", options)["span"]);
    if (span.length !== 2) throw fault("invalid_argument", "`span` must be two seqs");
    return json(() => this.#core.recall(whole("span[0]", span[0]), whole("span[1]", span[1])));
  }

  /** Lets texts before `beforeSeq` go, and the host's objects with them; gives the seqs concerned. */
  pageOut(beforeSeq: number): number[] {
    return this.#drop(json(() => this.#core.pageOut(whole("beforeSeq", beforeSeq))));
  }

  /** Takes originals back. A message that is not the one observed at its seq is `digest_mismatch`. */
  pageIn(messages: Readonly<Record<number, M>> | ReadonlyMap<number, M>): number[] {
    const given: [unknown, unknown][] = messages instanceof Map ? [...messages] : Object.entries(record("messages", messages));
    const read = given.map(([seq, message]) => [whole("seq", typeof seq === "string" ? Number(seq) : seq), message] as [number, M]);
    const body = read.map(([seq, message]) => `"${seq}":${JSON.stringify(take(message).copy)}`).join(",");
    const paged = json<number[]>(() => this.#core.pageIn(`{${body}}`));
    for (const [seq, message] of read) this.#hosts.set(seq, message);
    return paged;
  }

  /** Purges events: their text is gone from the log, from summaries and from here. */
  forget(seqs: readonly number[]): number[] {
    const given = Uint32Array.from(Array.from(list("seqs", seqs), (seq, i) => whole(`seqs[${i}]`, seq)));
    const gone = this.#drop(json(() => this.#core.forget(given)));
    const forgotten = new Set(gone);
    this.#seqs.forEach((seq, index) => forgotten.has(seq) && this.#mirror.forget(index));
    return gone;
  }

  /** A guard for a sub-agent: it inherits all active rules and cannot change them; its history is its own. */
  fork(options?: { scope?: string }): Guard<M> {
    const forked = call(() => this.#core.fork(optionalText("scope", record("options", options)["scope"])));
    return made<M>({ engine: forked, store: this.#store, hosts: new Map(), seqs: [], mirror: new Mirror(), restored: null });
  }

  /** Ends the guard and lets its memory go. Everything but `close` then throws `guard_closed`. */
  close(): void {
    const core = this.#engine;
    if (core === undefined) return;
    this.#engine = undefined;
    this.#hosts.clear();
    this.#mirror.replace(0, []);
    this.#seqs = [];
    call(() => core.close());
    core.free();
  }

  // ── state ──

  /** The state as text. With a `key` it is signed; without one it is protected against accidents only. */
  snapshot(options?: { key?: string | Uint8Array }): string {
    const { text: state, texts: detached } = this.#snapshot(options);
    if (this.#store !== undefined && detached.size > 0 && isPromise(this.#store.putMany(detached))) {
      throw fault("invalid_argument", "the store is asynchronous; use `snapshotAsync`");
    }
    return state;
  }

  /** `snapshot` for a store that answers later: resolves when its texts are put. */
  async snapshotAsync(options?: { key?: string | Uint8Array }): Promise<string> {
    const { text: state, texts: detached } = this.#snapshot(options);
    if (detached.size > 0) await this.#store?.putMany(detached);
    return state;
  }

  /** A guard from a snapshot. `guard.restored` says how the messages fitted. */
  static restore<M extends object = object>(state: string, options: RestoreOptions<M> = {}): Guard<M> {
    const needed = neededTexts(state, options);
    const found = needed === undefined ? undefined : options.store?.getMany(needed);
    if (isPromise(found)) throw fault("invalid_argument", "the store is asynchronous; use `restoreAsync`");
    return restored(state, options, found);
  }

  /** `restore` for a store that answers later. */
  static async restoreAsync<M extends object = object>(state: string, options: RestoreOptions<M> = {}): Promise<Guard<M>> {
    const needed = neededTexts(state, options);
    return restored(state, options, needed === undefined ? undefined : await options.store?.getMany(needed));
  }

  // ── inside ──

  #snapshot(options: { key?: string | Uint8Array } | undefined): { text: string; texts: Map<string, string> } {
    const { key } = record("options", options);
    const snapshot = json<{ text: string; texts: Record<string, string> }>(() => this.#core.snapshot(keyBytes(key), this.#store !== undefined));
    return { text: snapshot.text, texts: new Map(Object.entries(snapshot.texts)) };
  }

  #commit(plan: string, answers: Answers): Window<M> {
    return this.#window(call(() => this.#core.commit(plan, JSON.stringify(Object.fromEntries(answers)))));
  }

  #window(made: string): Window<M> {
    const { value, stored } = JSON.parse(made) as { value: { slots: Slot[]; system: string | null; pinned: string; receipt: wire.Receipt }; stored: string };
    const messages = value.slots.map((slot) => {
      if ("own" in slot) return slot.own as M;
      const message = this.#hosts.get(slot.host);
      if (message === undefined) throw fault("tail_not_attached", `the message of event ${slot.host} is not here`);
      return message;
    });
    return { messages, system: value.system, pinned: value.pinned, receipt: withStored(value.receipt, stored) };
  }

  #attach(messages: readonly M[], moved: boolean): void {
    let last = -1;
    this.#seqs.forEach((seq, index) => {
      this.#hosts.set(seq, messages[index] as M);
      last = Math.max(last, seq);
    });
    if (moved) for (const seq of this.#hosts.keys()) if (seq > last) this.#hosts.delete(seq);
  }

  #drop(seqs: number[]): number[] {
    for (const seq of seqs) this.#hosts.delete(seq);
    return seqs;
  }
}

export interface Guard<M extends object = object> {
  /** `using guard = …` closes it at the end of the block. */
  [Symbol.dispose](): void;
}

// Engines without explicit resource management have no such symbol.
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Guard.prototype, Symbol.dispose, { value: Guard.prototype.close, configurable: true, writable: true });
}

function made<M extends object>(parts: Omit<Parts<M>, typeof INTERNAL>): Guard<M> {
  return new Guard<M>({ ...parts, [INTERNAL]: true } as unknown as GuardOptions);
}

function restored<M extends object>(state: string, options: RestoreOptions<M>, found: Map<string, string> | undefined): Guard<M> {
  const { messages, store, key, ...rest } = record("options", options) as RestoreOptions<M> & Record<string, unknown>;
  const copies = messages === undefined ? undefined : takeAll(list("messages", messages), 0).copies;
  const given = optionText("options", { ...rest, key: keyText(key) });
  const gotten = found === undefined ? undefined : JSON.stringify(Object.fromEntries(found));
  const { Guard: Made } = engine();
  const made_ = call(() => Made.restore(text("text", state), given, copies && JSON.stringify(copies), gotten));
  const verdict = JSON.parse(made_.verdict()) as wire.RestoreVerdict;
  const core = made_.guard();
  made_.free();
  if (core === undefined) throw fault("snapshot_unreadable", "the snapshot gave no guard");
  const hosts = new Map<number, M>();
  const mirror = new Mirror();
  const seqs: number[] = [];
  if (messages !== undefined && copies !== undefined && verdict.seqs.length === messages.length) {
    verdict.seqs.forEach((seq, index) => hosts.set(seq, messages[index] as M));
    mirror.replace(0, copies);
    seqs.push(...verdict.seqs);
  }
  return made<M>({ engine: core, store: checkedStore(store), hosts, seqs, mirror, restored: verdict });
}

function neededTexts(state: unknown, options: object): string[] | undefined {
  const store = checkedStore(record("options", options)["store"]);
  const snapshot = text("text", state);
  if (store === undefined) return undefined;
  try {
    return engine().Guard.textsNeeded(snapshot);
  } catch {
    // `restore` reads the same text next and says what is wrong with it, or rebuilds.
    return undefined;
  }
}

function checkedStore(store: unknown): LogStore | undefined {
  if (store === undefined || store === null) return undefined;
  const { getMany, putMany } = store as Partial<LogStore>;
  if (typeof getMany !== "function" || typeof putMany !== "function") throw fault("invalid_argument", "`store` must have `getMany` and `putMany`");
  return store as LogStore;
}

function takeAll(messages: readonly unknown[], from: number): { copies: Plain[]; replaced: boolean } {
  list("messages", messages);
  const copies: Plain[] = [];
  let replaced = false;
  for (let i = from; i < messages.length; i++) {
    const taken = take(messages[i]);
    copies.push(taken.copy);
    replaced ||= taken.replaced;
  }
  return { copies, replaced };
}

function observeText(options: ObserveOptions | undefined, replaced: boolean): string | undefined {
  return replaced ? optionText("options", { ...record("options", options), replacedSurrogates: true }) : optionText("options", options);
}

function planText(plan: unknown): string {
  if (typeof plan === "string") return plan;
  const { toJson } = record("plan", plan) as Partial<Stored>;
  return typeof toJson === "function" ? toJson.call(plan) : JSON.stringify(take(plan).copy);
}

function change(options: ChangeOptions): { by: string; source: string } {
  const { by, source = "policy_loader" } = record("options", options);
  return { by: text("by", by), source: text("source", source) };
}

function sourceOf(options: SourceOptions | undefined): string | undefined {
  return optionalText("source", record("options", options)["source"]);
}

function checkSummarizer(summarizer: unknown): void {
  if (typeof summarizer !== "function") throw fault("invalid_argument", "`summarizer` must be a function");
}

function keyBytes(key: unknown): Uint8Array | undefined {
  if (key === undefined || key === null || key instanceof Uint8Array) return key ?? undefined;
  return new TextEncoder().encode(text("key", key));
}

function keyText(key: unknown): string | undefined {
  if (!(key instanceof Uint8Array)) return optionalText("key", key);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(key);
  } catch {
    throw fault("invalid_argument", "`key` must be UTF-8 text");
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
