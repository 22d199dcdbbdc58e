// What every integration does: a guard that is loaded by id, fed with the host's whole list, compacts when it is time, and
// is saved by compare-and-set.

import { Guard, MemoryStore, StandfastError, init, type BoundaryName, type Finding, type GuardOptions, type Policy, type Receipt, type RestoreOptions, type Shape, type StateStore, type Summarizer, type Verdict, type Window } from "standfast";
import { plain } from "./plain.js";
import { Forgiving } from "./forgiving.js";
import { bounded } from "./summarizing.js";

/** What to do after a refused compaction: send the whole history while it fits, fail, or try once more. */
export type AfterRefusal = "continue" | "raise" | "retry";

export interface SessionOptions {
  /** The name of the conversation: its state is loaded and saved under it. */
  id: string;
  /** Where states and texts are kept. Without one the state lives as long as what this call gives. */
  store?: StateStore;
  /** The host's rules of today: all of `policy_loader`, or by source. What is missing from a source is revoked. */
  rules?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Size of the model's context window. */
  windowTokens: number;
  /** Further policy fields. */
  policy?: Policy;
  /** Writes the summaries; without one the built-in extractive summary is taken. */
  summarizer?: Summarizer;
  /** After this time a summary counts as failed and the built-in one is taken. Default 60,000 ms. */
  summarizerTimeout?: number;
  /** Aborts a running compaction; nothing is changed then. */
  signal?: AbortSignal;
  /** Told of each compaction that was refused, with the guard. What it gives decides; by default the run goes on while the history fits. */
  onRefusal?: (error: StandfastError, guard: Guard) => AfterRefusal | void | Promise<AfterRefusal | void>;
  /** Told of each compaction, and of each request that was stopped because a rule was missing. */
  onReceipt?: (receipt: Receipt) => void;
  /**
   * Told of each call of the store that failed while a request was made ready. The run goes on with what is in memory, and the next
   * step tries to save again. `standfast()` and `update` throw such errors instead.
   */
  onStoreError?: (error: unknown) => void;
  /** Signs states, and demands the signature. */
  key?: string | Uint8Array;
  /** What to do with a state that cannot be read. Default: `raise`. */
  onBadState?: "raise" | "rebuild";
}

/** The classes of errors that refuse a compaction and leave everything as it was. */
const REFUSALS: ReadonlySet<string> = new Set(["PlanRefused", "CommitRefused", "BudgetExceeded"]);
/** How often a loser of compare-and-set looks again. Each time somebody else got on. */
const ATTEMPTS = 16;

type Changing = (guard: Guard) => void;

/** What a request carries beside its messages, and a seam that was just passed. */
export interface Beside {
  system?: unknown;
  tools?: unknown;
  boundary?: BoundaryName;
}

/** A guard with its id, its store and its place in the host's run. */
export class Session {
  readonly #options: SessionOptions;
  readonly #shape: Shape | undefined;
  readonly #store: StateStore | undefined;
  readonly #summarizer: Summarizer | undefined;
  #guard: Guard;
  #version: string | null;
  /** Changes of the host that are not saved yet. */
  #changes: Changing[] = [];
  /** Whether a compaction was committed that is not saved. */
  #unsaved = false;
  #queue: Promise<unknown> = Promise.resolve();
  /** What the registry was when the state was loaded or saved. */
  #registry: string;
  readonly #texts: Forgiving | undefined;
  /** What the guard was told that requests carry beside the messages. */
  #told = "";

  private constructor(options: SessionOptions, shape: Shape | undefined, texts: Forgiving | undefined, loaded: Loaded) {
    this.#options = options;
    this.#shape = shape;
    this.#store = options.store;
    this.#summarizer = options.summarizer && bounded(options.summarizer, options.summarizerTimeout);
    this.#texts = texts;
    this.#guard = loaded.guard;
    this.#version = loaded.version;
    this.#registry = loaded.registry;
  }

  /** Loads the state of `options.id`, or begins one. */
  static async open(options: SessionOptions, shape?: Shape): Promise<Session> {
    checked(options);
    await init();
    const texts = options.store && new Forgiving(options.store, (error) => options.onStoreError?.(error));
    return new Session(options, shape, texts, await load(options, shape, texts));
  }

  /** The guard as it is now. After a lost compare-and-set it is another one: ask for it anew. */
  get guard(): Guard {
    return this.#guard;
  }

  get options(): SessionOptions {
    return this.#options;
  }

  /** Takes the host's whole list, compacts if it is time, and gives the window of the host's own objects. */
  prepare<M extends object>(messages: readonly M[], beside: Beside = {}): Promise<Window<M>> {
    return this.#next(async () => {
      const { list, hosts } = readable(messages);
      this.#take(list, beside);
      for (let tries = 0; tries < ATTEMPTS; tries++) {
        await this.#compactIfDue();
        if ((!this.#unsaved && registry(this.#guard) === this.#registry) || (await this.#tried())) break;
        // somebody else saved first: theirs is taken, and it may be small enough already
        await this.#reload();
        this.#take(list, beside);
      }
      const window = this.#guard.window() as Window<M>;
      return { ...window, messages: window.messages.map((message) => hosts.get(message) ?? message) };
    });
  }

  /** Takes the host's whole list in, and nothing else. */
  read(messages: readonly object[]): Promise<void> {
    return this.#next(async () => {
      this.#guard.sync(readable(messages).list);
    });
  }

  /** Changes rules or task state, and saves. Where somebody else saved meanwhile, theirs is loaded and the change made on it. */
  update(change: Changing): Promise<void> {
    return this.#next(async () => {
      change(this.#guard);
      this.#changes.push(change);
      for (let tries = 0; tries < ATTEMPTS; tries++) {
        if (await this.#save()) return;
        await this.#reload();
      }
      throw lost(this.#options.id);
    });
  }

  /** The last check of an outgoing request. */
  assert(messages: readonly object[], system?: string | readonly unknown[] | null): Finding[] {
    try {
      return this.#guard.assertWindow(messages.map(plain), { system });
    } catch (error) {
      if (error instanceof StandfastError && error.code === "invariant_lost") this.#options.onReceipt?.(this.#guard.receipt);
      throw error;
    }
  }

  /** Lets the engine's memory go. */
  close(): void {
    this.#guard.close();
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work, work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #take(list: readonly object[], { system, tools, boundary }: Beside): void {
    this.#guard.sync(list);
    const told = JSON.stringify([system, tools]);
    if (told !== this.#told) {
      this.#guard.overhead({ system: system as string | undefined, tools });
      this.#told = told;
    }
    if (boundary !== undefined) this.#guard.boundary(boundary);
  }

  async #compactIfDue(): Promise<void> {
    for (let tries = 0; tries < 2; tries++) {
      const verdict = this.#guard.shouldCompact();
      if (!verdict.compact || (await this.#compact(verdict)) !== "retry") return;
    }
  }

  async #compact(verdict: Verdict): Promise<AfterRefusal | "compacted"> {
    const { signal, onRefusal, onReceipt, windowTokens } = this.#options;
    try {
      this.#texts?.forgive(true);
      const window = await this.#guard.compact(this.#summarizer, { signal });
      if (window.receipt.outcome !== "compacted") return "continue";
      this.#unsaved = true;
      onReceipt?.(window.receipt);
      return "compacted";
    } catch (error) {
      if (!(error instanceof StandfastError) || !REFUSALS.has(error.name)) throw error;
      const after = (await onRefusal?.(error, this.#guard)) ?? "continue";
      // the whole history may still be sent while it fits
      if (after === "raise" || (after === "continue" && verdict.used > windowTokens)) throw error;
      return after;
    } finally {
      this.#texts?.forgive(false);
    }
  }

  /** `#save`, where a store that fails does not stop the run. */
  async #tried(): Promise<boolean> {
    try {
      return await this.#save();
    } catch (error) {
      this.#options.onStoreError?.(error);
      return true;
    }
  }

  /** Whether the state is saved, or there is nowhere to save it. */
  async #save(): Promise<boolean> {
    if (this.#store !== undefined) {
      const state = await this.#guard.snapshotAsync({ key: this.#options.key });
      const version = await this.#store.save(this.#options.id, state, this.#version);
      if (version === null) return false;
      this.#version = version;
    }
    this.#unsaved = false;
    this.#changes = [];
    this.#registry = registry(this.#guard);
    return true;
  }

  async #reload(): Promise<void> {
    const loaded = await load(this.#options, this.#shape, this.#texts);
    const { guard } = loaded;
    this.#guard.close();
    this.#guard = guard;
    this.#version = loaded.version;
    this.#registry = loaded.registry;
    this.#unsaved = false;
    this.#told = "";
    for (const change of this.#changes) change(guard);
  }
}

/** The host's list as the engine reads it, and the host's own objects by what stands for them. */
function readable<M extends object>(messages: readonly M[]): { list: M[]; hosts: Map<object, M> } {
  const hosts = new Map<object, M>();
  const list = messages.map((message) => {
    const read = plain(message);
    if (read !== message) hosts.set(read, message);
    return read;
  });
  return { list, hosts };
}

interface Loaded {
  guard: Guard;
  version: string | null;
  registry: string;
}

/** What a state is saved for between compactions: rules and what waits for a reviewer. */
function registry(guard: Guard): string {
  return [guard.allRules.length, guard.held.length, guard.reviewQueue.length].join();
}

async function load(options: SessionOptions, shape: Shape | undefined, texts: Forgiving | undefined): Promise<Loaded> {
  const { id, store, windowTokens, policy, key, onBadState } = options;
  const rules = bySource(options.rules);
  const saved = store === undefined ? null : await store.load(id);
  const whole = { ...policy, windowTokens };
  if (saved === null) {
    const guard = new Guard({ ...whole, shape, store: texts } as GuardOptions);
    for (const [source, declared] of Object.entries(rules)) guard.setRules(source, declared);
    return { guard, version: null, registry: registry(guard) };
  }
  const guard = await Guard.restoreAsync(saved.state, { store: texts, rules, key, onBadState, policy: whole } as RestoreOptions<object>);
  return { guard, version: saved.version, registry: registry(guard) };
}

function bySource(rules: SessionOptions["rules"]): Record<string, string[]> {
  if (rules === undefined) return {};
  if (Array.isArray(rules)) return { policy_loader: [...(rules as readonly string[])] };
  return Object.fromEntries(Object.entries(rules).map(([source, texts]) => [source, [...(texts as readonly string[])]]));
}

function checked(options: SessionOptions): void {
  const { id, store, summarizer } = (options ?? {}) as Partial<SessionOptions>;
  if (typeof id !== "string" || id === "") throw problem("invalid_argument", "`id` must be the name of the conversation");
  const { load: loads, save, getMany, putMany } = (store ?? new MemoryStore()) as Partial<StateStore>;
  if (![loads, save, getMany, putMany].every((method) => typeof method === "function")) {
    throw problem("invalid_argument", "`store` must have `load`, `save`, `getMany` and `putMany`");
  }
  if (summarizer !== undefined && typeof summarizer !== "function") throw problem("invalid_argument", "`summarizer` must be a function");
}

function lost(id: string): StandfastError {
  return problem("stale_snapshot", `the state of \`${id}\` was saved by others ${ATTEMPTS} times in a row`, "SnapshotError", "try again when fewer write at once");
}

/** An error of an integration. */
export function problem(code: string, message: string, className = "PolicyError", hint = "see the integration's options"): StandfastError {
  return new StandfastError(message, { code, className, hint, details: {} });
}
