/// <reference lib="esnext.disposable" preserve="true" />
import { change, checkedStore, checkSummarizer, isPromise, keyBytes, observeText, planText, sourceOf, takeAll } from "./arguments.js";
import { answer, type Answers, type CompactOptions, type CompactSyncOptions, type Summarizer, type Summary, type SyncSummarizer } from "./cycle.js";
import { call, engine, fault, json, readStored, snake, withStored } from "./engine.js";
import { list, optionText, optionalText, record, ruleText, take, text, texts, whole } from "./input.js";
import { Mirror } from "./mirror.js";
import { answers, answersSync, atOnce, attempt, neededTexts, originals, pagedOut, stillThere } from "./paging.js";
import { restoredParts, windowOf, type EngineGuard, type Parts } from "./parts.js";
import type { ChangeOptions, DeclareOptions, GuardOptions, ObserveOptions, Plan, RecallOptions, Receipt, RestoreOptions, SourceOptions, TaskState, Window } from "./options.js";
import type { LogStore } from "./store.js";
import type * as wire from "./wire.js";

/** The field of a plan whose keys are no names of fields. */
const PLAN_DATA: ReadonlySet<string> = new Set(["items"]);

/** Marks what the constructor takes as the parts of a guard. */
const INTERNAL = Symbol("internal");

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
  /** The plan that the engine still has. */
  #made: Plan | undefined;
  /** Digests of requests whose answers were looked for in the store. */
  readonly #asked = new Set<string>();
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
    return json(() => this.#core.ask("setRules", [text("source", source), ...texts("texts", rules, ruleText)]));
  }

  /** Replaces a rule. */
  supersede(handle: string, rule: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.ask("supersede", [text("handle", handle), ruleText("text", rule), by, source]));
  }

  /** Ends a rule. */
  revoke(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.ask("revoke", [text("handle", handle), by, source]));
  }

  /** Makes a rule of what was reviewed, or confirms or makes a user's change. */
  approve(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.ask("approve", [text("handle", handle), by, source]));
  }

  /** Makes ordinary text of what was reviewed; a user's change is undone. */
  reject(handle: string, options: ChangeOptions): wire.Rule {
    const { by, source } = change(options);
    return json(() => this.#core.ask("reject", [text("handle", handle), by, source]));
  }

  /** The active rules, in the order of the block. */
  get rules(): wire.Rule[] {
    return json(() => this.#core.ask("rules", []));
  }

  /** All rules, with the ones out of force and the overflow. */
  get allRules(): wire.Rule[] {
    return json(() => this.#core.ask("allRules", []));
  }

  /** Rule-shaped external text, kept as data: the newest 256. */
  get held(): wire.Held[] {
    return json(() => this.#core.ask("held", []));
  }

  /** What waits for a reviewer. */
  get reviewQueue(): wire.Review[] {
    return json(() => this.#core.ask("reviewQueue", []));
  }

  /** The audit trail of the rules. */
  get changes(): wire.Change[] {
    return json(() => this.#core.ask("changes", []));
  }

  // ── events ──

  /** The messages' format, given or detected. */
  get shape(): wire.Shape | null {
    return json(() => this.#core.ask("shape", []));
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
    call(() => this.#core.ask("recordDecision", [text("what", what), text("why", why), text("polarity", polarity), ...sourceOf(options)]));
  }

  setGoal(goal: string, options?: SourceOptions): void {
    call(() => this.#core.ask("setGoal", [text("text", goal), ...sourceOf(options)]));
  }

  setPlan(steps: readonly string[], options?: SourceOptions): void {
    call(() => this.#core.setPlan(texts("steps", steps), ...sourceOf(options)));
  }

  /** Opens a question; gives its id. */
  openQuestion(question: string, options?: SourceOptions): string {
    return json(() => this.#core.ask("openQuestion", [text("text", question), ...sourceOf(options)]));
  }

  /** Closes a question by its id or text; whether there was one. */
  closeQuestion(question: string, options?: SourceOptions): boolean {
    return json(() => this.#core.ask("closeQuestion", [text("question", question), ...sourceOf(options)]));
  }

  /** Goal, plan, decisions and open questions. */
  get task(): TaskState {
    return readStored(call(() => this.#core.ask("task", [])));
  }

  /** Reports a semantic seam: a good moment to compact. */
  boundary(name: wire.BoundaryName): void {
    call(() => this.#core.ask("boundary", [text("name", name)]));
  }

  /** Reports the tokens that the provider counted for the last request. */
  usage(tokens: number): void {
    call(() => this.#core.usage(whole("tokens", tokens)));
  }

  /** Reports what each request carries beside the messages; gives the tokens it comes to. */
  overhead(options: { system?: string | readonly unknown[]; tools?: unknown }): number {
    const { system, tools } = record("options", options);
    const schemas = tools === undefined || tools === null ? undefined : JSON.stringify(take(tools).copy);
    const slot = system === undefined || system === null ? undefined : JSON.stringify(take(system).copy);
    return call(() => this.#core.overhead(slot, schemas));
  }

  // ── the cycle ──

  /** Whether to compact now. Read `.compact`: an object is always truthy. */
  shouldCompact(): wire.Verdict {
    return json(() => this.#core.ask("shouldCompact", []));
  }

  /** The window as it is now, without compacting. */
  window(): Window<M> {
    return this.#window(call(() => this.#core.ask("window", [])));
  }

  /** What a compaction would do. Changes nothing; the plan is plain data and may be committed in another process. */
  plan(options?: { asked?: wire.Asked }): Plan {
    const asked = optionalText("asked", record("options", options)["asked"]);
    const plan = json<wire.Plan>(() => this.#core.plan(asked));
    // The engine says where the text begins in the prompt; here both share their characters.
    for (const request of plan.requests) request.text = request.prompt.slice(Number(request.text));
    // A plan is large; its text is written when somebody asks for it.
    return (this.#made = withStored(plan, () => JSON.stringify(snake(plan, PLAN_DATA))));
  }

  /** Commits a plan with a summary for each request; `null` for one that failed. On an error nothing is changed. */
  commit(plan: wire.Plan | string, summaries: Readonly<Record<string, Summary | null>> | ReadonlyMap<string, Summary | null>): Window<M> {
    const given = summaries instanceof Map ? [...(summaries as Map<string, unknown>)] : Object.entries(record("summaries", summaries));
    return this.#commit(this.#planText(plan), new Map(given.map(([id, summary]) => [id, answer({ id }, summary)])));
  }

  /**
   * Plans, summarizes and commits. Without a summarizer the built-in extractive one is taken. With a store, originals that the plan
   * lacks are fetched from it, and no summary is paid for twice.
   */
  async compact(summarizer?: Summarizer | null, options: CompactOptions = {}): Promise<Window<M>> {
    const builtIn = summarizer === undefined || summarizer === null;
    if (!builtIn) checkSummarizer(summarizer);
    options.signal?.throwIfAborted();
    const store = this.#store;
    const { needs, settled } = attempt(() => this.plan(options));
    const lacking = store !== undefined && needs.size > 0;
    const plan = lacking && this.#fetched(needs, await store.getMany([...needs.values()])) ? this.plan(options) : settled();
    if (builtIn) return this.#extractive(plan);
    const given = await answers(store, this.#asked, plan.requests, summarizer, options);
    return this.#commit(this.#planText(plan), given);
  }

  /** Compacts if it is time to; else null. */
  async maybeCompact(summarizer?: Summarizer | null, options: CompactOptions = {}): Promise<Window<M> | null> {
    return this.shouldCompact().compact ? this.compact(summarizer, options) : null;
  }

  /** `compact` with the built-in summarizer or one that answers at once. */
  compactSync(summarizer?: SyncSummarizer | null, options: CompactSyncOptions = {}): Window<M> {
    const store = this.#store;
    const { needs, settled } = attempt(() => this.plan(options));
    const texts = store !== undefined && needs.size > 0 ? atOnce(store, [...needs.values()]) : new Map<string, string>();
    if (texts === undefined) throw fault("invalid_argument", "the store is asynchronous; use `compact`");
    const plan = this.#fetched(needs, texts) ? this.plan(options) : settled();
    if (summarizer === undefined || summarizer === null) return this.#extractive(plan);
    checkSummarizer(summarizer);
    const given = answersSync(store, this.#asked, plan.requests, summarizer, options);
    return this.#commit(this.#planText(plan), given);
  }

  /**
   * The last check before a model call, on the real outgoing request. Throws `invariant_lost` if a rule is missing; gives
   * what else it found.
   */
  assertWindow(messages: readonly object[], options?: { system?: string | readonly unknown[] | null }): wire.Finding[] {
    const copies = takeAll(messages, 0).copies;
    const { system } = record("options", options);
    const slot = system === undefined || system === null ? undefined : JSON.stringify(take(system).copy);
    return json(() => this.#core.assertWindow(JSON.stringify(copies), slot));
  }

  /** The receipt of the last decision. */
  get receipt(): Receipt {
    return readStored(call(() => this.#core.ask("receipt", [])));
  }

  /** What the checks of the last commit found, each with its sentence. In memory only: never in receipts or snapshots. */
  get evidence(): wire.Evidence[] {
    return json(() => this.#core.ask("evidence", []));
  }

  get segments(): wire.SegmentView[] {
    return json(() => this.#core.ask("segments", []));
  }

  /** Spans known only through a summary. */
  get degraded(): wire.SeqSpan[] {
    return json(() => this.#core.ask("degraded", []));
  }

  // ── originals ──

  /** The original events of a span of seqs, first and last included; with `query` the `k` (10) that fit it best, of the span where one is given. */
  recall(options: RecallOptions): wire.Recalled[] {
    const recalled = this.#recall(options);
    const paged = pagedOut(this.#store, recalled);
    if (paged === undefined) return recalled;
    const found = paged.store.getMany([...paged.digests.values()]);
    if (isPromise(found)) throw fault("invalid_argument", "the store is asynchronous; use `recallAsync`");
    this.pageIn(originals<M>(paged.digests, found));
    return this.#recall(options);
  }

  /** `recall` for a store that answers later. */
  async recallAsync(options: RecallOptions): Promise<wire.Recalled[]> {
    const recalled = this.#recall(options);
    const paged = pagedOut(this.#store, recalled);
    if (paged === undefined) return recalled;
    this.pageIn(originals<M>(paged.digests, await paged.store.getMany([...paged.digests.values()])));
    return this.#recall(options);
  }

  /**
   * Lets texts before `beforeSeq` go, and the host's objects with them; gives the seqs concerned. With a store, the originals
   * are put there first, and `recall` fetches them back.
   */
  pageOut(beforeSeq: number): number[] {
    const before = whole("beforeSeq", beforeSeq);
    const originals = this.#originals(before);
    if (this.#store !== undefined && originals.size > 0 && isPromise(this.#store.putMany(originals))) {
      throw fault("invalid_argument", "the store is asynchronous; use `pageOutAsync`");
    }
    return this.#drop(json(() => this.#core.pageOut(before)));
  }

  /** `pageOut` for a store that answers later. */
  async pageOutAsync(beforeSeq: number): Promise<number[]> {
    const before = whole("beforeSeq", beforeSeq);
    const originals = this.#originals(before);
    if (originals.size > 0) await this.#store?.putMany(originals);
    return this.#drop(json(() => this.#core.pageOut(before)));
  }

  /** Takes originals back. A message that is not the one observed at its seq is `digest_mismatch`. */
  pageIn(messages: Readonly<Record<number, M>> | ReadonlyMap<number, M>): number[] {
    const given: [unknown, unknown][] = messages instanceof Map ? [...messages] : Object.entries(record("messages", messages));
    const read = given.map(([seq, message]) => [whole("seq", typeof seq === "string" ? Number(seq) : seq), message] as [number, M]);
    const body = read.map(([seq, message]) => `"${seq}":${JSON.stringify(take(message).copy)}`).join(",");
    const paged = json<number[]>(() => this.#core.pageIn(`{${body}}`));
    const came = new Set(paged);
    for (const [seq, message] of read) if (came.has(seq)) this.#hosts.set(seq, message);
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
    this.#made = undefined;
    this.#hosts.clear();
    this.#mirror.replace(0, []);
    this.#seqs = [];
    try {
      core.free();
    } catch {
      // the engine stopped inside one of its calls, which holds it for good
    }
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
    return made(restoredParts(state, options, found));
  }

  /** `restore` for a store that answers later. */
  static async restoreAsync<M extends object = object>(state: string, options: RestoreOptions<M> = {}): Promise<Guard<M>> {
    const needed = neededTexts(state, options);
    return made(restoredParts(state, options, needed === undefined ? undefined : await options.store?.getMany(needed)));
  }

  // ── inside ──

  #snapshot(options: { key?: string | Uint8Array } | undefined): { text: string; texts: Map<string, string> } {
    const { key } = record("options", options);
    const snapshot = json<{ text: string; texts: Record<string, string> }>(() => this.#core.snapshot(keyBytes(key), this.#store !== undefined));
    return { text: snapshot.text, texts: new Map(Object.entries(snapshot.texts)) };
  }

  #recall(options: RecallOptions): wire.Recalled[] {
    const given = record("options", options);
    const [query, span] = [optionalText("query", given["query"]), given["span"] === undefined ? undefined : list("span", given["span"])];
    if (span !== undefined && span.length !== 2) throw fault("invalid_argument", "`span` must be two seqs");
    const [from, to] = span === undefined ? [] : [whole("span[0]", span[0]), whole("span[1]", span[1])];
    if (query !== undefined) return json(() => this.#core.search(query, from, to, whole("k", given["k"] ?? 10)));
    if (from === undefined || to === undefined) throw fault("invalid_argument", "give `span` or `query`");
    return json(() => this.#core.recall(from, to));
  }

  /** The host's objects before a place, as texts by digest. */
  #originals(before: number): Map<string, string> {
    const seqs = this.#store === undefined ? [] : [...this.#hosts.keys()].filter((seq) => seq < before);
    if (seqs.length === 0) return new Map();
    const events: wire.Recalled[] = json(() => this.#core.recall(Math.min(...seqs), Math.max(...seqs)));
    const kept = events.filter((event) => event.presence === "here" && this.#hosts.has(event.seq));
    return new Map(kept.map((event) => [event.digest, JSON.stringify(take(this.#hosts.get(event.seq) as M).copy)]));
  }

  /** Whether the store gave something that was lacking. */
  #fetched(needs: ReadonlyMap<number, string>, texts: ReadonlyMap<string, string>): boolean {
    return needs.size > 0 && this.pageIn(stillThere<M>(needs, texts)).length > 0;
  }

  #extractive(plan: Plan): Window<M> {
    return this.#window(call(() => this.#core.commitExtractive(this.#planText(plan))));
  }

  #commit(plan: string, given: Answers): Window<M> {
    const made = call(() => this.#core.commit(plan, JSON.stringify(Object.fromEntries(given))));
    this.#made = undefined;
    return this.#window(made);
  }

  /** A plan as the engine takes it: the one it made last by its id, any other as its stored text. */
  #planText(plan: unknown): string {
    return plan !== undefined && plan === this.#made ? this.#made.id : planText(plan);
  }

  #window(made: string): Window<M> {
    return windowOf(made, this.#hosts);
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

function made<M extends object>(parts: Parts<M>): Guard<M> {
  return new Guard<M>({ ...parts, [INTERNAL]: true } as unknown as GuardOptions);
}
